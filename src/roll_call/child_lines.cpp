#include "roll_call/child_lines.h"

#include "base/printable.h"
#include "roll_call/device_json.h"
#include "roll_call/limits.h"

namespace rollcall::roll_call {

Result<ChildLine> child_line_from(std::string_view text) {
  auto parsed = parse_bounded(text, kMaxChildLine, limits::kDepth);
  if (!parsed) return parsed.error();
  std::optional<Error> fault;
  ChildLine line;
  Reader r(*parsed, "", fault);
  r.text("step", line.step, limits::kShort);
  r.object("gpu", [&](Reader& inner) { read(inner, line.gpu.emplace()); });
  r.object("nccl", [&](Reader& inner) { read(inner, line.nccl.emplace()); });
  r.text("uniqueId", line.unique_id, limits::kUniqueId);
  r.object("rank", [&](Reader& inner) { read(inner, line.rank.emplace()); });
  r.flag("simulated", line.simulated);
  if (fault) return *fault;
  return line;
}

std::string to_json(const ChildLine& line) {
  nlohmann::json out = nlohmann::json::object();
  // A path in it may be long, or not UTF-8.
  if (!line.step.empty()) out["step"] = clipped(line.step, limits::kShort);
  if (line.gpu) out["gpu"] = write(*line.gpu);
  if (line.nccl) out["nccl"] = write(*line.nccl);
  if (!line.unique_id.empty()) out["uniqueId"] = clipped(line.unique_id, limits::kUniqueId);
  if (line.rank) out["rank"] = write(*line.rank);
  if (line.simulated) out["simulated"] = true;
  return out.dump();
}

}  // namespace rollcall::roll_call
