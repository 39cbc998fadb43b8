#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

/// The commands that a person types: kubectl and helm as `dev/deps --tools` made them, in the root of the tree.
namespace rollcall::e2e {

struct Said {
  int code = -1;     ///< exit code; 124: it ran past its limit and was ended
  std::string text;  ///< stdout and stderr, as they came
  bool ok() const { return code == 0; }
};

Said kubectl(const std::vector<std::string>& words, std::chrono::seconds limit = std::chrono::seconds(60));
Said helm(const std::vector<std::string>& words, std::chrono::seconds limit = std::chrono::seconds(180));

/// A command of docs/operations.md, letter by letter: a command that the page does not have fails the test, so that
/// what is written there is what was tried. `with` then replaces words in capitals (JOB); commands without a namespace
/// mean `ns`.
Said documented(const std::string& command, const std::string& ns = {},
                const std::map<std::string, std::string>& with = {},
                std::chrono::seconds limit = std::chrono::seconds(180));

/// Whether docs/operations.md says so, letter by letter.
bool in_operations_page(const std::string& text);

/// `kubectl apply` or `create` of objects that are not worth a file in the tree: a file for as long as this lives.
class ManifestFile {
 public:
  explicit ManifestFile(const std::string& text);
  ~ManifestFile();
  ManifestFile(const ManifestFile&) = delete;
  ManifestFile& operator=(const ManifestFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace rollcall::e2e
