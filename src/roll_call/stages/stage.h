#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "roll_call/deadlines.h"
#include "roll_call/roll.h"

/// One stage of a round. A stage is a row of the table in table.cpp and a file of its own: what it waits for, what it
/// concludes, what it wants of each probe meanwhile.
namespace rollcall::roll_call::stages {

enum class Outcome { Running, Passed, Failed, Skipped };
struct Progress {
  Outcome outcome = Outcome::Running;
  std::string reason;  ///< for Failed and Skipped; a remark for Passed
};

struct Order {
  Step step = Step::Wait;
  bool with_peers = false;
  std::optional<CollectiveOrder> collective = {};  ///< for Step::Collective
};

struct Definition {
  Stage stage;
  /// Called when the stage begins and at every event while it runs. Adds findings, moves `roll.step`. Ends in bounded
  /// time.
  Progress (*check)(Roll& roll, TimePoint now);
  /// What the pod is to do while the stage runs.
  Order (*order)(const Roll& roll, const Pod& pod);
  /// When check() has something to say without any event; nullopt = never.
  std::optional<TimePoint> (*due)(const Roll& roll);
};
const Definition& definition(Stage stage);

Progress gathering(Roll& roll, TimePoint now);
Progress local_facts(Roll& roll, TimePoint now);
Progress comparison(Roll& roll, TimePoint now);
Progress gpu(Roll& roll, TimePoint now);
Progress nccl(Roll& roll, TimePoint now);
Progress node_collective(Roll& roll, TimePoint now);
Progress job_collective(Roll& roll, TimePoint now);
Progress localisation(Roll& roll, TimePoint now);
Progress transport(Roll& roll, TimePoint now);
Progress checks(Roll& roll, TimePoint now);
Progress master_port(Roll& roll, TimePoint now);
Progress mesh(Roll& roll, TimePoint now);
Progress address_seen(Roll& roll, TimePoint now);

Order local_facts_order(const Roll& roll, const Pod& pod);
Order gpu_order(const Roll& roll, const Pod& pod);
Order nccl_order(const Roll& roll, const Pod& pod);
Order master_port_order(const Roll& roll, const Pod& pod);
Order mesh_order(const Roll& roll, const Pod& pod);
Order collective_stage_order(const Roll& roll, const Pod& pod);
Order checks_order(const Roll& roll, const Pod& pod);
Order address_seen_order(const Roll& roll, const Pod& pod);

std::optional<TimePoint> local_facts_due(const Roll& roll);
std::optional<TimePoint> gpu_due(const Roll& roll);
std::optional<TimePoint> nccl_due(const Roll& roll);
std::optional<TimePoint> master_port_due(const Roll& roll);
std::optional<TimePoint> mesh_due(const Roll& roll);
std::optional<TimePoint> collective_stage_due(const Roll& roll);
std::optional<TimePoint> checks_due(const Roll& roll);
std::optional<TimePoint> address_seen_due(const Roll& roll);

// Helpers of the stages (helpers.cpp).

using Done = std::function<bool(const Pod&)>;
/// Pods that are not done and are still waited for.
std::vector<const Pod*> missing(const Roll& roll, const Done& done);
/// True when nobody is waited for any more: all are done, or `deadline` is over; then each one missing is marked silent
/// and named in a finding. `doing` completes "has not …".
bool settled(Roll& roll, Stage stage, TimePoint now, TimePoint deadline, const std::string& doing, const Done& done);
/// The next step of the same stage, its deadline running from `now`.
void next_step(Roll& roll, TimePoint now);
void add(Roll& roll, Stage stage, api::NodeFinding finding, bool jobs_own = false);
/// Failed when the stage made a failing finding, with the first one's rule as the reason.
Progress by_findings(const Roll& roll, Stage stage, std::string remark = {});

}  // namespace rollcall::roll_call::stages
