#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

/// How values of this room become JSON and back. Each struct names its fields once, in a function `fields(io, value)`;
/// Reader and Writer both run it, so that what is written is what is read. Private to api/.
namespace rollcall::api::codec {

using nlohmann::json;

/// Longest list read from the API server. Our own schemas allow fewer (a roster has at most 4,096 pods); the bound
/// keeps an object written under another schema from filling memory.
inline constexpr std::size_t kMaxItems = 20000;

template <typename E>
struct EnumText;  // specialised where the enum's words are known: static std::optional<E> from(std::string_view)

/// Reads the fields of one object. The first error is kept and names the field; absent and null fields leave the value
/// as it is.
class Reader {
 public:
  Reader(const json& object, std::string path, std::optional<Error>& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (!object.is_object()) fail("", std::string("must be an object, is ") + object.type_name());
  }

  template <typename T>
  void operator()(const char* name, T& value) {
    if (error_ || !object_.is_object()) return;
    const auto at = object_.find(name);
    if (at == object_.end() || at->is_null()) return;
    read(*at, path_of(name), value);
  }

  /// As above, but the field must be there.
  template <typename T>
  void required(const char* name, T& value) {
    if (!error_ && object_.is_object() && (!object_.contains(name) || object_.at(name).is_null()))
      fail(name, "is missing");
    (*this)(name, value);
  }

 private:
  std::string path_of(const char* name) const { return path_.empty() ? name : path_ + "." + name; }
  void fail(const char* name, const std::string& what) { fail_at(*name == '\0' ? path_ : path_of(name), what); }
  void fail_at(const std::string& path, const std::string& what) {
    if (!error_) error_ = Error{(path.empty() ? "the object" : path) + ": " + what, "Invalid"};
  }
  bool expect(bool is_right, const json& at, const std::string& path, const char* what) {
    if (!is_right) fail_at(path, std::string("must be ") + what + ", is " + at.type_name());
    return is_right;
  }

  void read(const json& at, const std::string& path, std::string& value) {
    if (expect(at.is_string(), at, path, "a string")) value = at.get<std::string>();
  }
  void read(const json& at, const std::string& path, bool& value) {
    if (expect(at.is_boolean(), at, path, "true or false")) value = at.get<bool>();
  }
  void read(const json& at, const std::string& path, double& value) {
    if (expect(at.is_number(), at, path, "a number")) value = at.get<double>();
  }
  void read(const json& at, const std::string&, json& value) { value = at; }

  template <typename T>
  requires(std::is_same_v<T, int> || std::is_same_v<T, std::int64_t>) void read(const json& at, const std::string& path,
                                                                                T& value) {
    if (!expect(at.is_number_integer(), at, path, "an integer")) return;
    // An unsigned above int64's range would wrap in get<int64_t>.
    const bool fits = !at.is_number_unsigned() ||
                      at.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const auto wide = fits ? at.get<std::int64_t>() : 0;
    if (!fits || wide > std::numeric_limits<T>::max() || wide < std::numeric_limits<T>::min()) {
      fail_at(path, at.dump() + " is out of range");
      return;
    }
    value = static_cast<T>(wide);
  }

  template <typename E>
  requires std::is_enum_v<E>
  void read(const json& at, const std::string& path, E& value) {
    if (!expect(at.is_string(), at, path, "a string")) return;
    const auto parsed = EnumText<E>::from(at.get_ref<const std::string&>());
    if (!parsed) {
      fail_at(path, "`" + at.get<std::string>() + "` is none of " + EnumText<E>::all);
      return;
    }
    value = *parsed;
  }

  template <typename T>
  void read(const json& at, const std::string& path, std::optional<T>& value) {
    T inner{};
    read(at, path, inner);
    if (!error_) value = std::move(inner);
  }

  template <typename T>
  void read(const json& at, const std::string& path, std::vector<T>& value) {
    if (!expect(at.is_array(), at, path, "a list")) return;
    if (at.size() > kMaxItems) {
      fail_at(path, "has " + std::to_string(at.size()) + " items, at most " + std::to_string(kMaxItems) + " are read");
      return;
    }
    value.clear();
    value.reserve(at.size());
    for (std::size_t i = 0; i < at.size() && !error_; ++i) {
      T item{};
      read(at[i], path + "[" + std::to_string(i) + "]", item);
      value.push_back(std::move(item));
    }
  }

  void read(const json& at, const std::string& path, std::map<std::string, std::string>& value) {
    if (!expect(at.is_object(), at, path, "an object")) return;
    value.clear();
    for (const auto& [key, item] : at.items()) {
      if (!expect(item.is_string(), item, path + "[\"" + key + "\"]", "a string")) return;
      value[key] = item.get<std::string>();
    }
  }

  template <typename T>
  requires(std::is_class_v<T>) void read(const json& at, const std::string& path, T& value) {
    Reader inner(at, path, error_);
    fields(inner, value);
  }

  const json& object_;
  std::string path_;
  std::optional<Error>& error_;
};

/// Writes the fields of one object. Empty strings, lists and options are left out; numbers and booleans are always
/// written.
class Writer {
 public:
  explicit Writer(json& object) : object_(object) { object_ = json::object(); }

  template <typename T>
  void operator()(const char* name, const T& value) {
    if (json written = write(value); !written.is_null()) object_[name] = std::move(written);
  }
  template <typename T>
  void required(const char* name, const T& value) {
    (*this)(name, value);
  }

 private:
  static json write(const std::string& value) { return value.empty() ? json() : json(value); }
  static json write(bool value) { return value; }
  static json write(int value) { return value; }
  static json write(std::int64_t value) { return value; }
  static json write(double value) { return value; }
  static json write(const json& value) { return value; }
  template <typename E>
  requires std::is_enum_v<E>
  static json write(E value) { return std::string(to_string(value)); }
  template <typename T>
  static json write(const std::optional<T>& value) {
    return value ? write(*value) : json();
  }
  template <typename T>
  static json write(const std::vector<T>& value) {
    if (value.empty()) return {};
    json list = json::array();
    for (const T& item : value) {
      // An item keeps its place and its type: a null in a list of strings is refused by the API server.
      if constexpr (std::is_same_v<T, std::string>) {
        list.push_back(item);
      } else {
        list.push_back(write(item));
      }
    }
    return list;
  }
  static json write(const std::map<std::string, std::string>& value) { return value.empty() ? json() : json(value); }
  template <typename T>
  requires(std::is_class_v<T>) static json write(const T& value) {
    json object;
    Writer inner(object);
    fields(inner, const_cast<T&>(value));  // NOLINT: fields() only reads through a Writer
    return object;
  }

  json& object_;
};

template <typename T>
json written(const T& value) {
  json object;
  Writer writer(object);
  fields(writer, const_cast<T&>(value));  // NOLINT: as above
  return object;
}

}  // namespace rollcall::api::codec
