#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/roll_call.h"
#include "base/time_text.h"

/// A RollCall as the forms of the report need it: one entry a node, whatever version wrote it. Nothing in it was made
/// fit to show: text and HTML do that each in their way. Pure.
namespace rollcall::report {

struct NodeView {
  int rank = 0;
  std::string name;  ///< the node, or "pod NAME" while it has none
  std::string pod;
  std::string ranks;  ///< "24-31"
  std::string state;  ///< as in RollNode; empty = needs no attention
  std::string detail;
  std::string letters;  ///< a letter a stage of View::stages; empty = not known
};

/// Bus bandwidth by node rank in GB/s; 0 = not measured.
struct BandwidthView {
  std::string title;
  bool in_node = false;  ///< else across the job
  std::vector<double> values;
  double median = 0;       ///< of those measured
  std::vector<int> below;  ///< node ranks below 0.85 of the median, slowest first
};
/// Below the first a node is warned of, below the second, twice in a row, it fails (a job of two nodes never does).
inline constexpr double kBandwidthWarn = 0.85;
inline constexpr double kBandwidthFail = 0.5;

struct CellView {
  enum class Kind { none, time, failed } kind = Kind::none;
  double milliseconds = 0;
};

struct View {
  const api::RollCall* roll_call = nullptr;
  api::Report report;  ///< empty when the RollCall has none
  bool has_report = false;
  std::vector<api::StageLine> stages;
  std::vector<NodeView> nodes;  ///< index = node rank
  std::vector<BandwidthView> bandwidths;
  std::vector<std::vector<CellView>> matrix;  ///< square over all nodes, or empty
  double median_ms = 0;                       ///< of the matrix

  bool is_node(int rank) const { return rank >= 0 && rank < static_cast<int>(nodes.size()); }
  /// "gpu-17"; "node rank 3" when the name is not known.
  std::string name_of(int rank) const;
  /// "gpu-17 (node rank 3, ranks 24-31)".
  std::string who(int rank) const;
};

/// `roll_call` must outlive the view. Never fails: what does not fit together is left out.
View view_of(const api::RollCall& roll_call);

/// The letter of a stage's or a node's state in words: 'F' is "Failed".
const char* state_word(char letter);

/// What holds have cost so far: "held 12 min, 4.8 GPU-hours"; empty = nothing.
std::string cost_words(const api::RollCall& roll_call, WallTime now);
/// What releases it in spite of all, to copy.
std::string release_command(const api::RollCall& roll_call);

/// Rows of equal letters, the most frequent last; for jobs with more nodes than a page has lines.
struct LikeNodes {
  std::string letters;
  std::vector<int> ranks;
};
std::vector<LikeNodes> like_nodes(const View& view);

}  // namespace rollcall::report
