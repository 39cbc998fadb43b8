#include "telemetry/standard.h"

#include <gmock/gmock.h>

namespace rollcall::telemetry {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class StandardMetrics : public testing::Test {
 protected:
  Registry registry_{"rollcall-test"};
  Standard standard_{registry_};
};

TEST_F(StandardMetrics, BuildInfoNamesProgramAndVersion) {
  EXPECT_THAT(registry_.text(), HasSubstr("rollcall_build_info{"));
  EXPECT_THAT(registry_.text(), HasSubstr("program=\"rollcall-test\""));
  EXPECT_THAT(registry_.text(), HasSubstr("version=\"0."));
}

TEST_F(StandardMetrics, RequestsCountByCodeMethodAndHost) {
  standard_.request({"GET", "10.0.0.1:443", 200, false, 0.02, 0});
  standard_.request({"GET", "10.0.0.1:443", 200, true, 400, 0});
  standard_.request({"PUT", "10.0.0.1:443", 0, false, 30, 0.5});
  const auto text = registry_.text();
  EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="200",host="10.0.0.1:443",method="GET"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="<error>",host="10.0.0.1:443",method="PUT"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(rest_client_request_duration_seconds_count{host="10.0.0.1:443",method="GET"} 1)"))
      << "a watch of minutes is no slow call";
  EXPECT_THAT(text,
              HasSubstr(R"(rest_client_rate_limiter_duration_seconds_count{host="10.0.0.1:443",method="PUT"} 1)"));
}

TEST_F(StandardMetrics, QueueShowsWhatWaitsAndWhatIsWorkedOn) {
  kube::WorkQueue queue(standard_.queue_hooks("trainingjob"));
  standard_.queue("trainingjob", [&] { return queue.figures(); });
  queue.add("a");
  queue.add("b");
  ASSERT_EQ(queue.take(), "a");
  queue.add_backing_off("a");
  const auto text = registry_.text();
  EXPECT_THAT(text, HasSubstr("workqueue_adds_total{name=\"trainingjob\"} 2"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"trainingjob\"} 1"));
  EXPECT_THAT(text, HasSubstr("workqueue_retries_total{name=\"trainingjob\"} 1"));
  EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_count{name=\"trainingjob\"} 1"));
  EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_count{name=\"trainingjob\"} 0"));
  EXPECT_THAT(text, Not(HasSubstr("workqueue_longest_running_processor_seconds{name=\"trainingjob\"} 0\n")));
}

TEST_F(StandardMetrics, LeadershipIsAskedForEachText) {
  bool leading = false;
  standard_.leadership("rollcall-operator", [&] { return leading; });
  EXPECT_THAT(registry_.text(), HasSubstr("leader_election_master_status{name=\"rollcall-operator\"} 0"));
  leading = true;
  EXPECT_THAT(registry_.text(), HasSubstr("leader_election_master_status{name=\"rollcall-operator\"} 1"));
}

TEST_F(StandardMetrics, WatchRestartsFollowTheirCounts) {
  kube::WatchHealth health;
  standard_.watch(
      "pods", [&] { return health; }, [] { return std::size_t{7}; });
  health.restarts["expired"] = 2;
  registry_.text();
  health.restarts["expired"] = 3;
  const auto text = registry_.text();
  EXPECT_THAT(text, HasSubstr(R"(rollcall_watch_restarts_total{reason="expired",resource="pods"} 3)"));
  EXPECT_THAT(text, HasSubstr(R"(rollcall_cached_objects{resource="pods"} 7)"));
  EXPECT_THAT(text, HasSubstr(R"(rollcall_watch_callback_failures_total{resource="pods"} 0)"));
}

TEST_F(StandardMetrics, CertificatesShowReadsAndExpiry) {
  standard_.certificate_read(true);
  standard_.certificate_read(false);
  standard_.certificate_expiry("desk", std::chrono::system_clock::time_point(1'800'000'000s));
  const auto text = registry_.text();
  EXPECT_THAT(text, HasSubstr("certwatcher_read_certificate_total 2"));
  EXPECT_THAT(text, HasSubstr("certwatcher_read_certificate_errors_total 1"));
  EXPECT_THAT(text, HasSubstr("rollcall_certificate_expiry_timestamp_seconds{certificate=\"desk\"} 1800000000"));
}

}  // namespace
}  // namespace rollcall::telemetry
