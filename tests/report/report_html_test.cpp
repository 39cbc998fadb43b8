#include "report/report_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <ctime>
#include <regex>

#include "report/fixtures.h"
#include "report/html/html.h"

namespace rollcall::report {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page(const api::RollCall& roll_call) { return report_html(roll_call, kNow); }

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

TEST(ReportHtml, SaysWhatSinceCostOwnerNextAndWhetherReleasingIsSafe) {
  const auto html = page(failing_pair());
  EXPECT_THAT(html, AllOf(HasSubstr("gpu-06 drops new connections from gpu-03 on ephemeral ports"),
                          HasSubstr("2026-11-30T12:01:24Z (6 min ago)"), HasSubstr("8.6 GPU-hours"),
                          HasSubstr("<dd>network</dd>"), HasSubstr("kubectl get networkpolicies -n team-a -o wide"),
                          HasSubstr("no: the rendezvous works, then NCCL waits for ever")));
  EXPECT_THAT(html, HasSubstr("kubectl annotate tj llama-ft rollcall.dev/release=&#39;why&#39; -n team-a"));
}

TEST(ReportHtml, DoublesAreAnnouncedAndRealRunsAreNot) {
  auto roll_call = healthy();
  EXPECT_THAT(page(roll_call), HasSubstr("<b>SIMULATED</b>"));
  roll_call.status.report->simulated = false;
  EXPECT_THAT(page(roll_call), Not(HasSubstr("SIMULATED")));
}

TEST(ReportHtml, EveryNodeIsARowUpTo64AndExceptionsAboveIt) {
  EXPECT_EQ(count(page(partition()), "<td class=d title="), 64u);
  const auto html = page(thousand());
  const auto floor = html.substr(html.find("<svg class=floor"),
                                 html.find("Nodes that need attention") - html.find("<svg class=floor"));
  EXPECT_EQ(count(floor, "<rect class=p"), 997u);
  EXPECT_EQ(count(floor, "<rect class=f"), 3u);
  EXPECT_THAT(html, HasSubstr("Nodes that need attention"));
  EXPECT_THAT(html, HasSubstr("997 nodes"));
}

TEST(ReportHtml, TheMatrixNamesBothEndsAndWhatHappened) {
  const auto html = page(failing_pair());
  EXPECT_THAT(html, HasSubstr("<title>gpu-03 → gpu-06: Dropped, 3000.0 ms, all 4 ports tried: Connection timed out"));
  EXPECT_THAT(html, HasSubstr("<title>gpu-08 → gpu-01: Lossy, 9.4 ms, 2.1 % of segments sent again"));
}

TEST(ReportHtml, MinoritiesAreMarkedWithWhoHasThem) {
  const auto html = page(failing_pair());
  EXPECT_THAT(html, HasSubstr("2 differ"));
  EXPECT_TRUE(std::regex_search(html, std::regex("minority</span> <b>2\\.21\\.5</b> <small>1 node</small> <span "
                                                 "class=chip title=\"gpu-07 \\(node rank 6, ranks 48-55\\)\">gpu-07")));
}

TEST(ReportHtml, ASlowNodeIsBelowTheMarks) {
  EXPECT_THAT(page(failing_pair()), HasSubstr("341.7 GB/s · 0.79"));
  const auto html = page(thousand());
  EXPECT_THAT(html, HasSubstr("gpu-641 (node rank 640, ranks 5120-5127)</b> 190.0 GB/s, 0.44 of the median"));
}

TEST(ReportHtml, PullAndWaitingAreApartInTheTimeline) {
  const auto html = page(healthy());
  EXPECT_THAT(
      html, AllOf(HasSubstr("<title>Pulling the image: 60 s (the job&#39;s image; gpu-01 26 s"),
                  HasSubstr("Waiting for every node"), HasSubstr("Finding places"), HasSubstr("Job-wide collective")));
}

TEST(ReportHtml, PairCollectivesAreAMatrixOfTheirOwn) {
  const auto html = page(localised());
  EXPECT_THAT(html, AllOf(HasSubstr("Collectives in pairs"), HasSubstr("in ncclAllReduce large for 45 s")));
  EXPECT_THAT(page(healthy()), Not(HasSubstr("Collectives in pairs")));
}

TEST(ReportHtml, ARollCallWithoutAReportShowsWhatItHas) {
  const auto html = page(older());
  EXPECT_THAT(html, AllOf(HasSubstr("written by a version without reports"), HasSubstr("gpu-06 (node rank 5"),
                          HasSubstr("Nodes by stages"), HasSubstr("mesh/dropped")));
  EXPECT_EQ(count(html, "<td class=d title="), 8u);
}

TEST(ReportHtml, OneThatNoDeskHasReadYetSaysSo) {
  auto roll_call = failing_pair();
  roll_call.status = {};
  EXPECT_THAT(page(roll_call), HasSubstr("The desk has not read this roll call yet"));
}

TEST(ReportHtml, NothingSaidByOthersIsMarkup) {
  const auto html = page(hostile("</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"));
  EXPECT_EQ(count(html, "<script"), 1u) << "the page's own";
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_EQ(count(html, "</style>"), 1u);
  EXPECT_EQ(count(html, "<title>"), count(html, "</title>"));
  // No text ends an attribute: every quote of the text is written as an entity.
  EXPECT_THAT(html, Not(HasSubstr("alert(2)>\"")));
}

TEST(ReportHtml, ControlCharactersDoNotReachThePage) {
  const auto html = page(hostile("a\x1b[2Jb\xff"));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  EXPECT_THAT(html, Not(HasSubstr("\xff")));
}

TEST(ReportHtml, NeedsNothingFromElsewhere) {
  for (const auto& roll_call : {healthy(), failing_pair(), thousand()}) {
    const auto html = page(roll_call);
    for (const char* way : {"http://", "https://", "src=", "url(", "@import", "<link", "href="})
      EXPECT_THAT(html, Not(HasSubstr(way)));
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  }
}

TEST(ReportHtml, ThePolicyNamesTheOneScriptByItsHash) {
  const std::string script = html::kScript;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(script.data()), script.size(), digest);
  unsigned char base64[64];
  EVP_EncodeBlock(base64, digest, sizeof digest);
  EXPECT_EQ(html::kScriptHash, "'sha256-" + std::string(reinterpret_cast<const char*>(base64)) + "'");
}

TEST(ReportHtml, AtAThousandNodesItIsUnderTwoMegabytesAndMadeFast) {
  const auto roll_call = thousand();
  const std::clock_t begin = std::clock();
  const auto html = page(roll_call);
  const double ms = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("1,000 nodes: page of %zu KiB in %.1f ms of CPU\n", html.size() / 1024, ms);
  EXPECT_LT(html.size(), 2'000'000u);
  EXPECT_LT(page(partition()).size(), 2'000'000u);
}

}  // namespace
}  // namespace rollcall::report
