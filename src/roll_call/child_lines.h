#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "roll_call/collective.h"
#include "roll_call/device_facts.h"

/// What the probe's child (rollcall-probe-child) prints on its standard output: one JSON object a line, flushed at
/// once, so that a child that is killed leaves its last step. The parent reads lines as untrusted text.
///
///   rollcall-probe-child gpu
///   rollcall-probe-child nccl [--library PATH] [--source job|bundled]
///   rollcall-probe-child collective --library PATH --rank R --nranks N --gpu INDEX --small BYTES --large BYTES
///                                   (--make-id | --unique-id HEX)
///
/// Exit 0: its result line stands. 1: the result line says what failed. 2: it was called wrongly, standard error says
/// how. The environment is the job's.
namespace rollcall::roll_call {

/// Longest line: NcclFacts with 64 devices, or GpuFacts with 64 GPUs.
inline constexpr std::size_t kMaxChildLine = 64 * 1024;

/// One line; exactly one of its parts is set.
struct ChildLine {
  std::string step;               ///< begun now: "cuInit"; the last one is reported when the child does not end
  std::optional<GpuFacts> gpu;    ///< whole so far; the last one counts
  std::optional<NcclFacts> nccl;  ///< as above; without the RDMA devices, which the parent reads
  std::string unique_id;          ///< hex of ncclUniqueId, of --make-id
  /// What is known so far; the last one counts. Before the end its outcome is TimedOut, with what the library has said
  /// meanwhile: what stands of a child that had to be killed.
  std::optional<RankResult> rank;
  bool simulated = false;  ///< with `rank`: a double stands in for a library
};

/// An Error says what is wrong with the line; limits are those of the messages.
Result<ChildLine> child_line_from(std::string_view line);
/// Without the newline.
std::string to_json(const ChildLine& line);

}  // namespace rollcall::roll_call
