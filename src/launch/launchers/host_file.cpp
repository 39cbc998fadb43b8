#include "launch/launchers/host_file.h"

#include <optional>
#include <utility>

#include "launch/kinds/shape.h"

namespace rollcall::launch {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view line) {
  const std::size_t start = line.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return line.substr(start, line.find_last_not_of(kBlanks) - start + 1);
}

/// The number behind `slots=`, which may be followed by Open MPI's `max_slots=`; nullopt when it is none.
std::optional<Fact<int>> slots_of(std::string_view rest) {
  rest = trimmed(rest);
  if (rest.empty()) return Fact<int>();
  if (!rest.starts_with("slots")) return std::nullopt;
  rest = trimmed(rest.substr(5));
  if (!rest.starts_with('=')) return std::nullopt;
  rest = trimmed(rest.substr(1));
  const auto number = whole_number(rest.substr(0, rest.find_first_of(kBlanks)));
  if (!number) return std::nullopt;
  return Fact<int>::of(*number, "");
}

std::optional<HostLine> host_of(std::string_view line, HostForm form) {
  const std::size_t blank = line.find_first_of(kBlanks);
  std::string_view name = line.substr(0, blank);
  auto slots = slots_of(blank == std::string_view::npos ? std::string_view() : line.substr(blank));
  if (!slots || (form == HostForm::slots_only && !slots->given())) return std::nullopt;
  const std::size_t colon = name.find(':');
  if (!slots->given() && colon != std::string_view::npos && colon == name.rfind(':')) {
    const auto number = whole_number(name.substr(colon + 1));
    if (!number) return std::nullopt;
    slots = Fact<int>::of(*number, "");
    name = name.substr(0, colon);
  }
  return HostLine{std::string(name), *slots};
}

}  // namespace

HostFile host_file_of(std::string_view text, HostForm form) {
  HostFile file;
  file.known = true;
  while (!text.empty() && file.broken.empty() && file.hosts.size() < kMostHosts) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (auto host = host_of(line, form)) {
      file.hosts.push_back(std::move(*host));
    } else {
      file.broken = line.substr(0, 80);
    }
  }
  // What stands behind the last line that is kept is not known.
  if (file.hosts.size() == kMostHosts) file.known = false;
  return file;
}

void read_host_file(const MountedFiles& files, const std::string& otherwise, HostForm form, Command& command) {
  const Flag* flag = command.flag("--hostfile");
  if (flag != nullptr && !flag->value.known()) return;
  const auto found = files.find(flag == nullptr ? otherwise : flag->value.text);
  if (!found) return;
  command.host_file = host_file_of(found->text, form);
  command.host_file.from = found->from;
}

}  // namespace rollcall::launch
