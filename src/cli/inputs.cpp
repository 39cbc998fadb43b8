#include "cli/inputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <istream>
#include <system_error>
#include <utility>

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

Status has_room(std::size_t bytes) {
  if (bytes <= kMaxHeld) return Done{};
  return Error{
      fmt::format("more than {} bytes come through a pipe; write them to a file, which is read in parts", kMaxHeld)};
}

/// A file descriptor, closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  bool open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

class FromDisk : public Inputs::Reading {
 public:
  explicit FromDisk(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  Result<std::string_view> next() override {
    for (;;) {
      const ssize_t got = ::read(descriptor_.number(), block_.data(), block_.size());
      if (got >= 0) return std::string_view(block_.data(), static_cast<std::size_t>(got));
      if (errno != EINTR) return Error{std::strerror(errno)};
    }
  }

 private:
  Descriptor descriptor_;
  std::vector<char> block_ = std::vector<char>(256 << 10);
};

class Held : public Inputs::Reading {
 public:
  explicit Held(std::string_view text) : text_(text) {}
  Result<std::string_view> next() override { return std::exchange(text_, {}); }

 private:
  std::string_view text_;
};

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
  Inputs inputs(in);
  auto reading = inputs.read(file);
  if (!reading.ok()) return reading.error().in(file);
  std::string text;
  for (;;) {
    const Result<std::string_view> block = reading.value()->next();
    if (!block.ok()) return block.error().in(file);
    if (block->empty()) return text;
    if (Status room = has_room(text.size() + block->size()); !room.ok()) return room.error().in(file);
    text += *block;
  }
}

Result<std::unique_ptr<Inputs::Reading>> Inputs::read(const std::string& file) {
  const auto held = held_.find(file);
  if (held != held_.end()) return std::unique_ptr<Reading>(std::make_unique<Held>(held->second));
  std::string text;
  if (file == "-") {
    char block[64 << 10];
    while (in_.read(block, sizeof block).gcount() > 0) {
      text.append(block, static_cast<std::size_t>(in_.gcount()));
      if (Status room = has_room(text.size()); !room.ok()) return room.error();
    }
    if (in_.bad()) return Error{"it could not be read"};
    return std::unique_ptr<Reading>(std::make_unique<Held>(held_.emplace(file, std::move(text)).first->second));
  }
  Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!descriptor.open()) return Error{std::strerror(errno)};
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) return Error{std::strerror(errno)};
  auto reading = std::make_unique<FromDisk>(std::move(descriptor));
  if (S_ISREG(status.st_mode)) return std::unique_ptr<Reading>(std::move(reading));
  for (;;) {
    const Result<std::string_view> block = reading->next();
    if (!block.ok()) return block.error();
    if (block->empty()) break;
    text += *block;
    if (Status room = has_room(text.size()); !room.ok()) return room.error();
  }
  return std::unique_ptr<Reading>(std::make_unique<Held>(held_.emplace(file, std::move(text)).first->second));
}

}  // namespace rollcall::cli
