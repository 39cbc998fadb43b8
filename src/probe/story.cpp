#include "probe/story.h"

#include <algorithm>

#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// A held reply comes back every 20 s: said with each of them, nobody waits longer than 30 s for a line.
constexpr std::chrono::seconds kRepeat{20};

std::string without_numbers(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; }),
             text.end());
  return text;
}

}  // namespace

std::optional<std::string> Story::heard(const roll_call::Instruction& instruction, TimePoint now) {
  const auto step = roll_call::to_string(instruction.step);
  if (instruction.attempt == 0) {
    return tell("unknown",
                text("the desk does not know this pod yet: ",
                     instruction.message.empty() ? "it will, once every pod of the job exists" : instruction.message),
                now);
  }
  const auto stage = instruction.stage.empty() ? std::string(step) : instruction.stage;
  const auto key = text(instruction.attempt, " ", roll_call::to_string(instruction.round), " ", stage, " ",
                        without_numbers(instruction.message));
  return tell(key,
              text("attempt ", instruction.attempt, ", round ", roll_call::to_string(instruction.round), ", ", stage,
                   instruction.message.empty() ? "" : ": ", instruction.message),
              now);
}

std::optional<std::string> Story::failed(const Error& error, const std::string& desk, TimePoint since, TimePoint now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since).count();
  std::string line = text("not heard by the desk ", desk, " for ", seconds, " s: ", error.message);
  if (error.code == "ETIMEDOUT" || error.code == "EHOSTUNREACH" || error.code == "ENETUNREACH") {
    line += text("; if this lasts, a NetworkPolicy may block this pod's egress: allow TCP to ", desk,
                 " (and to the desk's pods)");
  }
  return tell("failed " + without_numbers(error.message), std::move(line), now);
}

std::optional<std::string> Story::tell(const std::string& key, std::string line, TimePoint now) {
  if (key == last_key_ && now - last_told_ < kRepeat) return std::nullopt;
  last_key_ = key;
  last_told_ = now;
  return line;
}

}  // namespace rollcall::probe
