#include "e2e/command.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rollcall::e2e {
namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// `script` by bash, in the root of the tree; ended after `limit`, and killed 5 s later.
Said bash(const std::string& script, std::chrono::seconds limit) {
  const std::string whole =
      "cd " + quoted(ROLLCALL_SOURCE_DIR) + "; PATH=${ROLLCALL_CACHE:-$HOME/.cache/rollcall}/bin:$PATH; " + script;
  const std::string command = fmt::format("timeout -k 5 {} bash -c {} 2>&1 </dev/null", limit.count(), quoted(whole));
  Said said;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return said;
  std::array<char, 4096> chunk{};
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), pipe)) said.text.append(chunk.data(), n);
  const int ended = pclose(pipe);
  said.code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return said;
}

Said program(std::string command, const std::vector<std::string>& words, std::chrono::seconds limit) {
  for (const auto& word : words) command += ' ' + quoted(word);
  return bash(command, limit);
}

const std::string& operations_page() {
  static const std::string page = [] {
    std::ostringstream text;
    text << std::ifstream(std::string(ROLLCALL_SOURCE_DIR) + "/docs/operations.md").rdbuf();
    return text.str();
  }();
  return page;
}

}  // namespace

Said kubectl(const std::vector<std::string>& words, std::chrono::seconds limit) {
  return program("kubectl", words, limit);
}

Said helm(const std::vector<std::string>& words, std::chrono::seconds limit) { return program("helm", words, limit); }

bool in_operations_page(const std::string& text) { return operations_page().find(text) != std::string::npos; }

Said documented(const std::string& command, const std::string& ns, const std::map<std::string, std::string>& with,
                std::chrono::seconds limit) {
  EXPECT_TRUE(in_operations_page(command)) << "docs/operations.md has no such command: " << command;
  std::string written = command;
  for (const auto& [word, value] : with) {
    for (auto at = written.find(word); at != std::string::npos; at = written.find(word, at + value.size()))
      written.replace(at, word.size(), value);
  }
  if (ns.empty()) return bash(written, limit);
  // A kubeconfig of its own whose context is in that namespace, as a user's is.
  return bash(
      "own=$(mktemp) && trap 'rm -f \"$own\"' EXIT && cp \"$KUBECONFIG\" \"$own\" && export KUBECONFIG=$own && "
      "kubectl config set-context --current --namespace=" +
          quoted(ns) + " >/dev/null && " + written,
      limit);
}

ManifestFile::ManifestFile(const std::string& text) : path_(testing::TempDir() + "rollcall-e2e-XXXXXX") {
  const int file = mkstemp(path_.data());  // 0600: it may hold a token
  if (file < 0) {
    ADD_FAILURE() << "no temporary file " << path_;
    return;
  }
  close(file);
  std::ofstream(path_) << text;
}

ManifestFile::~ManifestFile() { std::remove(path_.c_str()); }

}  // namespace rollcall::e2e
