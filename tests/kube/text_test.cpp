// Paths, lines, base64, warnings, errors: the texts of the room.
#include <gtest/gtest.h>

#include "kube/api_error.h"
#include "kube/base64.h"
#include "kube/line_splitter.h"
#include "kube/resource.h"
#include "kube/warnings.h"

namespace rollcall::kube {
namespace {

using Lines = std::vector<std::string>;

TEST(Path, NamesResourceNamespaceNameAndSubresource) {
  EXPECT_EQ(path_of(kPods, "n", "p", "log"), "/api/v1/namespaces/n/pods/p/log");
  EXPECT_EQ(path_of(kPods, ""), "/api/v1/pods");
  EXPECT_EQ(path_of(kNodes, "ignored", "a"), "/api/v1/nodes/a");
  EXPECT_EQ(path_of(kRollCalls, "n", "tj-a-1", "status"),
            "/apis/rollcall.dev/v1alpha1/namespaces/n/rollcalls/tj-a-1/status");
  EXPECT_EQ(path_of(kTrainingJobs, "", {}), "/apis/rollcall.dev/v1alpha1/trainingjobs");
}

TEST(Path, NoSegmentCanBecomeTwo) {
  EXPECT_EQ(path_of(kPods, "a/../b", "p?x=1#y"), "/api/v1/namespaces/a%2F..%2Fb/pods/p%3Fx%3D1%23y");
  EXPECT_EQ(escape(".."), "%2E%2E");
  EXPECT_EQ(escape("."), "%2E");
  EXPECT_EQ(escape("a.b-c_d~e"), "a.b-c_d~e");
  EXPECT_EQ(escape("%41\n\xc3\xbc "), "%2541%0A%C3%BC%20");
  EXPECT_EQ(query_of({{"labelSelector", "a in (b),c!=d"}, {"limit", "5"}}),
            "labelSelector=a%20in%20%28b%29%2Cc%21%3Dd&limit=5");
}

struct Split {
  Lines lines;
  bool good = true;
  std::size_t pending = 0;
};
Split split(const std::string& text, std::size_t step, std::size_t most = 100) {
  LineSplitter splitter(most);
  Split out;
  for (std::size_t i = 0; i < text.size() && out.good; i += step) {
    out.good = splitter.feed(std::string_view(text).substr(i, step), [&](std::string_view line) {
      out.lines.emplace_back(line);
      return true;
    });
  }
  out.pending = splitter.pending();
  return out;
}

TEST(LineSplitter, GivesTheSameLinesHoweverTheBytesCome) {
  const std::string text = "first\n\nzweite ü日\r\n\xff\xfe\nrest";
  const Lines expected{"first", "zweite ü日", "\xff\xfe"};
  for (std::size_t step = 1; step <= text.size(); ++step) {
    const auto out = split(text, step);
    EXPECT_EQ(out.lines, expected) << step;
    EXPECT_EQ(out.pending, 4U);
  }
}

TEST(LineSplitter, LineAboveTheLimitIsRefusedInOnePieceOrMany) {
  EXPECT_EQ(split(std::string(10, 'x') + '\n', 3, 10).lines.size(), 1U);
  for (const std::size_t step : {1, 5, 11, 12}) {
    const auto out = split(std::string(11, 'x') + '\n', step, 10);
    EXPECT_FALSE(out.good) << step;
    EXPECT_TRUE(out.lines.empty());
  }
}

TEST(LineSplitter, ReaderCanStop) {
  LineSplitter splitter(100);
  int seen = 0;
  EXPECT_TRUE(splitter.feed("a\nb\nc\n", [&](std::string_view) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

TEST(Base64, DecodesWhatItEncodes) {
  for (const std::string& text :
       {std::string{}, std::string("a"), std::string("ab"), std::string("abc"), std::string("\0\xff\x80 x", 5)}) {
    EXPECT_EQ(base64_decode(base64_encode(text)), text);
  }
  EXPECT_EQ(base64_encode("hello"), "aGVsbG8=");
  EXPECT_EQ(base64_decode("aGVs\nbG8=\n"), "hello");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"a", "aGVsbG8", "aGVs=", "a===", "aGV!", "=aaa", "aG=s", "===="}) {
    EXPECT_FALSE(base64_decode(text).has_value()) << text;
  }
}

TEST(Warnings, AreTakenApart) {
  EXPECT_EQ(warnings_from(""), Lines{});
  EXPECT_EQ(warnings_from(R"(299 - "a, b")"), Lines{"a, b"});
  EXPECT_EQ(warnings_from(R"(299 - "a \"q\"" "Mon, 01 Jan 2024 00:00:00 GMT", 299 h "b")"), (Lines{"a \"q\"", "b"}));
  EXPECT_EQ(warnings_from("299 - not quoted"), Lines{"299 - not quoted"});
}

TEST(ApiErrors, ComeFromTheStatusOrFromTheCode) {
  const auto conflict = api_error_from(409, R"({"kind":"Status","reason":"Conflict","message":"changed"})", 0, "");
  EXPECT_TRUE(conflict.conflict());
  EXPECT_FALSE(conflict.already_exists());
  EXPECT_TRUE(api_error_from(409, R"({"kind":"Status","reason":"AlreadyExists"})", 0, "").already_exists());
  EXPECT_EQ(api_error_from(503, "upstream", 0, "").text(), "503 ServiceUnavailable: upstream");
  EXPECT_EQ(api_error_from(404, "", 0, "").text(), "404 NotFound: no explanation came with it");
  EXPECT_TRUE(api_error_from(200, R"({"kind":"Status","code":410})", 0, "").gone());
  EXPECT_EQ(api_error_from(500, R"({"kind":"Status","details":{"retryAfterSeconds":4}})", 0, "").retry_after_seconds,
            4);
  EXPECT_EQ(api_error_from(500, R"({"kind":"Status","details":{"retryAfterSeconds":-4}})", 0, "").retry_after_seconds,
            0);
  EXPECT_EQ(api_error_from(Error{"gone silent", "Deadline"}).text(), "Deadline: gone silent");
}

TEST(ApiErrors, KnowWhatIsWorthAskingAgain) {
  for (const int http : {0, 429, 500, 503, 504}) EXPECT_TRUE((ApiError{http, "", "", 0}.transient())) << http;
  for (const int http : {307, 400, 401, 403, 404, 409, 410, 422})
    EXPECT_FALSE((ApiError{http, "", "", 0}.transient())) << http;
}

}  // namespace
}  // namespace rollcall::kube
