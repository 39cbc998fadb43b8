// The page in a real browser, headless: that it is laid out within the window, that its policy lets its one script run
// and no other, and that nothing is reported on the console. Skipped where there is no Chromium (dev/deps --browser).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "report/fixtures.h"
#include "report/report_html.h"

namespace rollcall::report {
namespace {

namespace fs = std::filesystem;
using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder of its own for pages, screenshots and the browser's profile. ROLLCALL_KEEP_PAGES=FOLDER keeps pages and
/// screenshots there, to look at.
class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* given = std::getenv("ROLLCALL_CHROMIUM")) program_ = given;
    if (!fs::exists(program_)) GTEST_SKIP() << "no " << program_ << ": dev/deps --browser installs it";
    std::string made = (fs::temp_directory_path() / "rollcall-report-XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    folder_ = made;
    if (const char* kept = std::getenv("ROLLCALL_KEEP_PAGES")) keep_ = kept;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  struct Said {
    int code = -1;
    std::string out;
    std::string err;
  };

  /// The browser with a new profile; ends by itself, and by `timeout` when it does not.
  Said browse(const std::string& arguments) {
    const std::string err = (folder_ / "err").string();
    const std::string command =
        "timeout -k 5 120 " + program_ +
        " --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run "
        "--disable-extensions --disable-dev-shm-usage --hide-scrollbars --enable-logging=stderr "
        "--user-data-dir=" +
        (folder_ / ("profile-" + std::to_string(++profiles_))).string() + " " + arguments + " 2>" + err;
    Said said;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return said;
    char buffer[65536];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.out.append(buffer, got);
    const int status = ::pclose(pipe);
    said.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream in(err);
    said.err.assign(std::istreambuf_iterator<char>(in), {});
    return said;
  }

  std::string write(const std::string& name, const std::string& html) {
    const fs::path file = folder_ / (name + ".html");
    std::ofstream(file) << html;
    if (!keep_.empty()) std::ofstream(keep_ / (name + ".html")) << html;
    return "file://" + file.string();
  }

  /// Console messages: Chromium logs each as `…:CONSOLE(line)] "text"`.
  static std::string console(const std::string& log) {
    std::string out;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("CONSOLE") != std::string::npos) out += line + "\n";
    }
    return out;
  }

  std::string program_ = "/usr/bin/chromium";
  fs::path folder_;
  fs::path keep_;
  int profiles_ = 0;
};

/// The page with a script of the test's own in place of its policy: how wide it is in a window of each width, told in
/// an attribute. Frames are laid out like windows.
std::string measured(std::string html) {
  const auto policy = html.find("<meta http-equiv=Content-Security-Policy");
  html.erase(policy, html.find('>', policy) + 1 - policy);
  html.insert(html.rfind("</body>"),
              "<script>(function(){var e=document.documentElement,w=[];"
              "if(e.scrollWidth>innerWidth)document.querySelectorAll('main *').forEach(function(n){var "
              "r=n.getBoundingClientRect();"
              "if(r.right>innerWidth+1&&!n.closest('.scroll')&&w.length<5)w.push(n.tagName+'.'+n.getAttribute('class')+"
              "' '+r.right)});"
              "e.setAttribute('data-fit',innerWidth+' holds '+e.scrollWidth+(e.scrollWidth>innerWidth?' TOO WIDE "
              "'+w.join(', '):''))})()</script>");
  return html;
}

struct Page {
  const char* name;
  api::RollCall (*make)();
  const char* shows;
};

class Pages : public Browser, public ::testing::WithParamInterface<Page> {};

TEST_P(Pages, FitTheWindowAndKeepTheConsoleQuiet) {
  const auto html = report_html(GetParam().make(), kNow);
  const auto url = write(GetParam().name, html);
  const auto shot = (folder_ / (std::string(GetParam().name) + ".png")).string();
  // Two things in one start: what the page became, and what was logged.
  const auto said = browse("--window-size=1280,2400 --dump-dom " + url);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(GetParam().shows));
  EXPECT_EQ(console(said.err), "");
  if (html.find("class=cmd>") != std::string::npos) {
    EXPECT_THAT(said.out, HasSubstr("<button type=\"button\">Copy</button>")) << "the page's own script did not run";
  }

  const auto fit = write(std::string(GetParam().name) + "-fit", measured(html));
  for (const int width : {1280, 800}) {
    const auto wide = browse("--window-size=" + std::to_string(width) + ",1200 --dump-dom " + fit);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(wide.out, found, std::regex("data-fit=\"([^\"]*)\""))) << wide.err;
    EXPECT_THAT(found[1].str(), HasSubstr(std::to_string(width) + " holds"));
    EXPECT_THAT(found[1].str(), Not(HasSubstr("TOO WIDE")));
  }
  if (!keep_.empty()) {
    browse("--window-size=1280,2400 --screenshot=" + shot + " " + url);
    fs::copy_file(shot, keep_ / (std::string(GetParam().name) + ".png"), fs::copy_options::overwrite_existing);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Pages,
                         ::testing::Values(Page{"healthy", [] { return healthy(); }, "Released: all 3 nodes answered"},
                                           Page{"pair", failing_pair, "gpu-06 drops new connections"},
                                           Page{"partition", partition, "two groups that do not reach each other"},
                                           Page{"thousand", thousand, "997 of 1,000 nodes are fine"}),
                         [](const auto& each) { return each.param.name; });

TEST_F(Browser, TextsOfOthersRunNothing) {
  // Each of these would change the title or log an error if it were markup.
  const auto url = write("hostile", report_html(hostile("<script>document.title='owned'</script><img src=x "
                                                        "onerror=\"document.title='owned'\">'\"--></svg></style>"),
                                                kNow));
  const auto said = browse("--window-size=1280,2400 --dump-dom " + url);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, Not(HasSubstr("<title>owned")));
  EXPECT_THAT(said.out, Not(HasSubstr("<img")));
  EXPECT_EQ(console(said.err), "");
}

TEST_F(Browser, TheMeasureSeesWhatIsTooWide) {
  std::string html = report_html(healthy(), kNow);
  html.insert(html.rfind("<footer>"), "<div style=width:3000px>wide</div>");
  const auto said = browse("--window-size=1280,1200 --dump-dom " + write("wide", measured(html)));
  EXPECT_THAT(said.out, HasSubstr("TOO WIDE"));
}

TEST_F(Browser, TheConsoleIsHeard) {
  const auto said = browse("--dump-dom " + write("console", "<script>console.error('heard')</script>"));
  EXPECT_THAT(console(said.err), HasSubstr("heard"));
}

TEST_F(Browser, DrawsAPicture) {
  const auto shot = folder_ / "pair.png";
  const auto said = browse("--window-size=1280,2400 --screenshot=" + shot.string() + " " +
                           write("picture", report_html(failing_pair(), kNow)));
  ASSERT_EQ(said.code, 0) << said.err;
  ASSERT_TRUE(fs::exists(shot)) << said.err;
  std::ifstream in(shot, std::ios::binary);
  std::string head(24, '\0');
  in.read(head.data(), 24);
  EXPECT_EQ(head.substr(1, 3), "PNG");
  const auto size = [&](std::size_t at) {
    return (static_cast<unsigned char>(head[at + 2]) << 8) | static_cast<unsigned char>(head[at + 3]);
  };
  EXPECT_EQ(size(16), 1280);
  EXPECT_EQ(size(20), 2400);
  EXPECT_GT(fs::file_size(shot), 60'000u) << "an empty page";
}

}  // namespace
}  // namespace rollcall::report
