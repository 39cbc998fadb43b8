#include "range/desk.h"

#include "probe/support/scripted_desk.h"

namespace rollcall::range {

using namespace std::chrono_literals;
using roll_call::Instruction;

namespace {

std::string uid(int node) { return "uid-" + std::to_string(node); }
int node_of(const std::string& pod_uid) { return std::stoi(pod_uid.substr(4)); }

api::RollCall roll_call_of(const DeskOptions& options) {
  api::RollCall call;
  call.meta.name = "tj-llama-1";
  call.meta.namespace_name = "team-a";
  call.spec.job = {"rollcall.dev/v1alpha1", "TrainingJob", "llama", "job-uid"};
  for (int node = 0; node < options.nodes; ++node)
    call.spec.roster.push_back({node, "llama-" + std::to_string(node) + "-1", uid(node)});
  if (options.spec) options.spec(call.spec);
  return call;
}

}  // namespace

RangeDesk::RangeDesk(DeskOptions options)
    : options_(std::move(options)),
      wall_(std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now())),
      authority_(probe::testing::make_authority("range")),
      desk_(std::make_unique<roll_call::Desk>(roll_call_of(options_), 1, "0123456789abcdef0123456789abcdef", now())) {
  for (int node = 0; node < options_.nodes; ++node) {
    roll_call::PodView pod;
    pod.uid = uid(node);
    pod.name = "llama-" + std::to_string(node) + "-1";
    pod.node = "gpu-" + std::to_string(node);
    pod.address = options_.address(node);
    pod.probe_running = true;
    pod.state = "Running";
    pod.scheduled_at = pod.probe_started_at = now();
    hear(roll_call::PodSeen{pod});
  }
  server_ =
      probe::testing::TlsServer::start(probe::testing::make_server(authority_, probe::testing::kDeskName),
                                       [this](const probe::testing::HttpRequest& request) { return reply(request); });
  ticker_ = std::thread([this] {
    while (!stop_.wait_for(10ms)) {
      const std::lock_guard lock(mutex_);
      hear(roll_call::Tick{});
    }
  });
}

RangeDesk::~RangeDesk() {
  stop_.notify();
  changed_.notify_all();
  ticker_.join();
}

roll_call::TimePoint RangeDesk::now() const {
  const auto real = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_);
  return wall_ + std::chrono::duration_cast<std::chrono::milliseconds>(real * options_.speed);
}

std::map<std::string, std::string> RangeDesk::environment(int node, const std::string& address) const {
  return {{"ROLLCALL_DESK_ADDRESS", address + ":" + std::to_string(port())},
          {"ROLLCALL_DESK_NAME", probe::testing::kDeskName},
          {"ROLLCALL_DESK_CA", authority_.certificate},
          {"ROLLCALL_JOB", "tj/team-a/llama"},
          {"ROLLCALL_ATTEMPT", "1"},
          {"ROLLCALL_NODE_RANK", std::to_string(node)},
          {"ROLLCALL_NNODES", std::to_string(options_.nodes)},
          {"ROLLCALL_POD_UID", uid(node)},
          {"ROLLCALL_POD_NAME", "llama-" + std::to_string(node) + "-1"}};
}

api::RollCallStatus RangeDesk::status() const {
  const std::lock_guard lock(mutex_);
  return desk_->status(now());
}

void RangeDesk::wait_for_news(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  const auto before = told_;
  news_.wait_for(lock, limit, [&] { return told_ != before; });
}

void RangeDesk::hear(const roll_call::Event& event) {
  auto told = desk_->hear(event, now());
  if (!told.status_changed && !told.orders_changed && !told.write_verdict) return;
  bool orders = told.orders_changed;
  while (told.write_verdict) {
    told = desk_->hear(roll_call::VerdictStored{*told.write_verdict}, now());
    orders = orders || told.orders_changed;
  }
  ++told_;
  news_.notify_all();
  if (orders) changed_.notify_all();
}

std::string RangeDesk::reply(const probe::testing::HttpRequest& request) {
  const auto answer = roll_call::answer_from(request.body);
  if (!answer) return probe::testing::http_reply(400, answer.error().message);
  std::optional<Instruction> instruction;
  {
    std::unique_lock lock(mutex_);
    hear(roll_call::AnswerHeard{*answer});
    changed_.wait_for(lock, 20s / options_.speed, [&] {
      instruction = desk_->instruction_for(answer->pod_uid, now());
      return stop_.notified() || !instruction || instruction->step != roll_call::Step::Wait;
    });
  }
  if (!instruction) return probe::testing::http_reply(403, "unknown");
  if (options_.on_order) options_.on_order(node_of(answer->pod_uid), *instruction);
  return probe::testing::http_reply(200, roll_call::to_json(*instruction));
}

}  // namespace rollcall::range
