#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Table = std::map<std::string, std::set<std::string>>;

std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The table "Rooms" of docs/architecture.md: room → rooms it may include.
Table allowed_rooms() {
  const std::string text = read(fs::path(ROLLCALL_SOURCE_DIR) / "docs/architecture.md");
  const auto start = text.find("| room | may include |");
  if (start == std::string::npos) return {};
  Table table;
  std::istringstream lines(text.substr(start));
  const std::regex row(R"(^\| *([a-z_]+) *\|([a-z_ ]*)\|.*)");
  for (std::string line; std::getline(lines, line) && line.starts_with("|");) {
    std::smatch match;
    if (!std::regex_match(line, match, row) || match[1] == "room") continue;
    auto& rooms = table[match[1]];
    std::istringstream words(match[2]);
    for (std::string word; words >> word;) rooms.insert(word);
  }
  return table;
}

struct Include {
  std::string file;
  std::string room;    // of the including file
  std::string target;  // first folder of what it includes
  bool system = false;
  std::string what;
};

std::vector<Include> includes() {
  std::vector<Include> found;
  const fs::path root = fs::path(ROLLCALL_SOURCE_DIR) / "src";
  const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^">]+)[">])re");
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    const auto relative = fs::relative(entry.path(), root);
    std::istringstream lines(read(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, pattern)) continue;
      const std::string what = match[2];
      found.push_back(
          {relative.string(), relative.begin()->string(), what.substr(0, what.find('/')), match[1] == "<", what});
    }
  }
  return found;
}

TEST(Rooms, EveryFolderUnderSrcStandsInTheTable) {
  const Table table = allowed_rooms();
  ASSERT_FALSE(table.empty());
  for (const auto& entry : fs::directory_iterator(fs::path(ROLLCALL_SOURCE_DIR) / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(table.contains(entry.path().filename().string())) << entry.path().filename();
  }
}

TEST(Rooms, IncludesFollowTheTable) {
  const Table table = allowed_rooms();
  int checked = 0;
  for (const Include& include : includes()) {
    if (include.system || !table.contains(include.target)) continue;
    ++checked;
    if (include.target == include.room || include.target == "base") continue;
    const auto row = table.find(include.room);
    ASSERT_NE(row, table.end()) << include.file;
    EXPECT_TRUE(row->second.contains(include.target)) << include.file << " includes " << include.what;
  }
  EXPECT_GT(checked, 20);
}

TEST(Rooms, PureRoomsIncludeNoClockThreadOrIo) {
  const std::set<std::string> pure{"base", "finding", "api", "launch", "roll_call", "report"};
  const std::set<std::string> banned{"thread",     "mutex",      "condition_variable", "future",         "fstream",
                                     "filesystem", "iostream",   "sys/socket.h",       "unistd.h",       "fcntl.h",
                                     "random",     "sys/stat.h", "netinet/in.h",       "spdlog/spdlog.h"};
  for (const Include& include : includes()) {
    if (!pure.contains(include.room) || include.file.ends_with("main.cpp")) continue;
    EXPECT_FALSE(banned.contains(include.what)) << include.file << " includes " << include.what;
  }
}

TEST(Rooms, PureRoomsReadNoClock) {
  const fs::path root = fs::path(ROLLCALL_SOURCE_DIR) / "src";
  for (const std::string room : {"base", "finding", "api", "launch", "roll_call", "report"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      if (!entry.is_regular_file() || entry.path().extension() == ".txt") continue;
      const std::string text = read(entry.path());
      for (const std::string call : {"_clock::now(", "std::time(", "gettimeofday(", "std::rand(", "getenv("}) {
        EXPECT_EQ(text.find(call), std::string::npos) << entry.path() << " calls " << call;
      }
    }
  }
}

/// cpprestsdk and Beast cost 6 to 21 s a file to compile: they stay in kube and serve, and no other room includes a
/// header that pulls them in.
TEST(Rooms, HeavyHeadersStayBehindTheirAdapters) {
  const auto all = includes();
  std::set<std::string> heavy;
  for (const Include& include : all) {
    const bool cpprest = include.target == "cpprest" || include.target == "pplx";
    const bool beast = include.what.starts_with("boost/beast") || include.what.starts_with("boost/asio");
    if (!cpprest && !beast) continue;
    // cpprestsdk hands out Asio's TLS context, so kube has that header too.
    EXPECT_TRUE(include.room == "kube" || (beast && include.room == "serve"))
        << include.file << " includes " << include.what;
    heavy.insert(include.file);
  }
  EXPECT_FALSE(heavy.empty());
  for (const Include& include : all) {
    if (!heavy.contains(include.what)) continue;
    EXPECT_EQ(include.room, include.target) << include.file << " includes " << include.what;
  }
}

}  // namespace
