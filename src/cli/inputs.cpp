#include "cli/inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <system_error>

#include "launch/document/limits.h"

namespace rollcall::cli {
namespace {

namespace fs = std::filesystem;

bool is_manifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Result<std::vector<std::string>> files_below(const fs::path& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator walk(directory, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    std::error_code ignored;  // a file that vanished meanwhile is none
    if (walk->is_regular_file(ignored) && is_manifest(walk->path())) files.push_back(walk->path().string());
  }
  if (error) return Error{directory.string() + ": " + error.message()};
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::vector<std::string>> files_of(const std::string& name) {
  if (name == "-") return std::vector<std::string>{name};
  std::error_code error;
  const fs::file_status status = fs::status(name, error);
  if (error) return Error{name + ": " + error.message()};
  if (fs::is_directory(status)) return files_below(name);
  return std::vector<std::string>{name};
}

Result<std::string> read_text(const std::string& file, std::istream& in) {
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened) return Error{file + ": " + std::strerror(errno)};
  }
  std::istream& stream = file == "-" ? in : opened;
  std::string text;
  char block[64 << 10];
  // One byte over the limit is enough for the reader to refuse it by name.
  while (text.size() <= launch::kMaxTextBytes && stream.read(block, sizeof block).gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return Error{file + ": " + std::strerror(errno)};
  return text;
}

}  // namespace rollcall::cli
