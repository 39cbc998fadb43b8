#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace rollcall::cli {

/// What a command line came to, run in this process.
struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline Outcome rollcall(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), "rollcall");
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(static_cast<int>(argv.size()), argv.data(), {in, out, err});
  return {code, out.str(), err.str()};
}

/// The examples of the rules.
inline const std::string kRules = std::string(ROLLCALL_SOURCE_DIR) + "/tests/launch/rules/";

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of its own that ends with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "rollcall-cli-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;  // the next run has a folder of its own
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace rollcall::cli
