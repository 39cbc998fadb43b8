#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the doubles shall do, read from the file that ROLLCALL_SCENARIO names (README.md beside this directory tells
/// the format and every key). No file: a healthy machine with eight GPUs.
namespace rollcall::doubles {

/// Who asks. Sections of the file apply when all their conditions hold here.
struct Where {
  int gpu = -1;                ///< CUDA's index; -1 = nobody in particular
  int rank = -1;               ///< of the communicator
  std::string peer_node = {};  ///< the other end's node, for [link A B]
};

/// Immutable once read; any thread may ask.
class Scenario {
 public:
  /// Ends the process with a message when the text is not of the format or knows a key that nobody reads: a fault that
  /// silently does not happen would make a test pass for the wrong reason.
  static Scenario parse(std::string_view text, const std::string& name);
  /// The process's own, read once.
  static const Scenario& get();

  /// The value in the section with the most conditions that hold, the last one of equals.
  std::optional<std::string> text(std::string_view key, const Where& where = {}) const;
  std::string text(std::string_view key, const Where& where, const std::string& otherwise) const;
  std::int64_t number(std::string_view key, const Where& where, std::int64_t otherwise) const;
  double real(std::string_view key, const Where& where, double otherwise) const;
  bool flag(std::string_view key, const Where& where) const;
  /// `hang = STEP`, `die = STEP` and the like: is this step among the comma separated ones of the key?
  bool lists(std::string_view key, std::string_view entry, const Where& where) const;

 private:
  struct Section {
    std::string node, unless_env, link_a, link_b;
    int gpu = -1, rank = -1;
    int conditions = 0;
  };
  struct Entry {
    Section section;
    std::string key, value;
  };
  bool applies(const Section& section, const Where& where) const;
  std::vector<Entry> entries_;
};

/// The node this process runs on: ROLLCALL_SCENARIO_NODE, else the host's name. Nodes that differ have other GPUs and
/// are other hosts to NCCL.
std::string node_name();

/// What every faulty step does first, by the scenario: `hang` waits for ever, `die` ends the process with SIGSEGV,
/// `stuck` waits in a system call that SIGKILL does not end (opens the file of `stuck_file`), `delay_STEP` seconds
/// pass.
void enter(std::string_view step, const Where& where);

/// 64 bits that differ between texts (FNV-1a): UUIDs and host hashes of the doubles.
std::uint64_t hash_of(std::string_view text);

}  // namespace rollcall::doubles
