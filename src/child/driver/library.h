#pragma once

#include <string>

#include "base/result.h"

namespace rollcall::child {

/// A shared library of the image, loaded at run time. It is never unloaded: CUDA and NCCL leave threads behind that
/// would run into nothing.
class Library {
 public:
  /// `name` is a path or a name that the loader looks for. An Error carries the loader's words; its code is "absent"
  /// when no file of that name was found, "broken" when one was found that cannot be loaded.
  static Result<Library> open(const std::string& name);

  /// The file that was loaded; `name` when the loader does not say.
  const std::string& path() const { return path_; }

  /// A double of the tests: it exports `rollcall_double` (a const char* that names its scenario).
  bool simulated() const { return symbol("rollcall_double") != nullptr; }

  /// Null when there is none.
  void* symbol(const char* name) const;

  /// Fills a member of a table of functions; null when there is none.
  template <typename Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(symbol(name));
  }

 private:
  Library(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::string path_;
};

}  // namespace rollcall::child
