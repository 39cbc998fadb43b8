#include "webhook/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "api/names.h"
#include "base/printable.h"
#include "launch/check.h"
#include "launch/document/field.h"
#include "launch/kinds/context.h"
#include "launch/kinds/readers.h"
#include "webhook/words.h"

namespace rollcall::webhook {
namespace {

using Identity = std::tuple<std::string, std::string, std::string>;

Identity identity_of(const Finding& finding) { return {finding.rule, finding.place.path, finding.message}; }

/// Everything the rules say of the old object, also what it passed over itself or a policy took out: none of it is the
/// update's doing.
std::set<Identity> findings_of_old(const nlohmann::json& object, const launch::Context& context) {
  std::set<Identity> had;
  const launch::Checked checked = launch::check_by_kind(object, context);
  for (const Finding& finding : checked.findings) had.insert(identity_of(finding));
  for (const launch::PassedOver& passed : checked.ignored) had.insert(identity_of(passed.finding));
  return had;
}

/// Words about findings, by the key of the audit annotation they go to.
using Audit = std::map<std::string, std::vector<std::string>>;

std::string where(const Finding& finding) { return finding.rule + " at " + finding.place.path; }

/// Sorts the findings of one object into what is shown, refused and only counted.
class Sorter {
 public:
  Sorter(const Review& review, Enforcement enforcement, bool refuses)
      : review_(review), enforcement_(enforcement), refuses_(refuses && enforcement == Enforcement::deny) {}

  void ignored(const launch::PassedOver& passed) {
    count(passed.finding, Outcome::ignored, "ignored", fmt::format("{}: {}", where(passed.finding), passed.reason));
  }
  void off(const Finding& finding) {
    count(finding, Outcome::off, "off",
          finding.policy.empty() ? where(finding) : fmt::format("{}: {}", where(finding), finding.policy));
  }
  void found(Finding finding, bool had_before, bool old_deleting) {
    if (!finding.policy.empty()) audit_["policy"].push_back(fmt::format("{}: {}", where(finding), finding.policy));
    switch (finding.severity) {
      case Severity::deny:
        if (old_deleting) {
          count(finding, Outcome::deleting, "deleting", where(finding));
        } else if (had_before) {
          count(finding, Outcome::before, "before", where(finding));
          warn(std::move(finding));
        } else if (!refuses_) {
          count(finding, Outcome::not_enforced, "not-enforced", where(finding));
          warn(std::move(finding));
        } else {
          count(finding, Outcome::denied, "denied", where(finding));
          denials_.push_back(std::move(finding));
        }
        return;
      case Severity::warn:
        count(finding, Outcome::warned, "warned", where(finding));
        warn(std::move(finding));
        return;
      case Severity::info:
        count(finding, Outcome::noted, "noted", where(finding));
        return;
    }
  }

  Decision take() {
    if (!denials_.empty()) {
      decision_.answer.allowed = false;
      decision_.answer.message = refusal({"", review_.kind, review_.ns, name()}, denials_);
    }
    decision_.answer.warnings = warnings(warnings_);
    for (const auto& [key, entries] : audit_) decision_.answer.audit[key] = audit_text(entries);
    return std::move(decision_);
  }

 private:
  void count(const Finding& finding, Outcome outcome, const char* key, std::string words) {
    decision_.findings.emplace_back(finding.rule, outcome);
    audit_[key].push_back(std::move(words));
  }
  void warn(Finding finding) {
    if (enforcement_ != Enforcement::dryrun) warnings_.push_back(std::move(finding));
  }
  std::string name() const {
    if (!review_.name.empty()) return review_.name;
    const auto meta = review_.object.find("metadata");
    if (meta == review_.object.end() || !meta->is_object()) return "(without a name)";
    for (const char* key : {"name", "generateName"}) {
      const auto text = meta->find(key);
      if (text != meta->end() && text->is_string()) return text->get<std::string>();
    }
    return "(without a name)";
  }

  const Review& review_;
  const Enforcement enforcement_;
  const bool refuses_;
  Decision decision_;
  Findings denials_, warnings_;
  Audit audit_;
};

Decision admitted(const char* why, std::string words) {
  Decision decision;
  decision.answer.audit[why] = std::move(words);
  return decision;
}

std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::create:
      return "CREATE";
    case Operation::update:
      return "UPDATE";
    case Operation::remove:
      return "DELETE";
    case Operation::connect:
      break;
  }
  return "CONNECT";
}

/// What a launch is made of: the spec, and what of it is to be passed over. So a label, a finalizer or
/// `rollcall.dev/release` is no change.
bool same_launch(const nlohmann::json& a, const nlohmann::json& b) {
  const auto ignored = [](const nlohmann::json& object) {
    return launch::Field(object)["metadata"]["annotations"][api::names::kAnnotationIgnore].text();
  };
  const auto spec = [](const nlohmann::json& object) {
    const auto found = object.find("spec");
    return found == object.end() ? nlohmann::json() : *found;
  };
  if (!a.is_object() || !b.is_object()) return false;
  return spec(a) == spec(b) && ignored(a) == ignored(b);
}

}  // namespace

std::string_view to_string(Enforcement enforcement) {
  switch (enforcement) {
    case Enforcement::deny:
      return "deny";
    case Enforcement::warn:
      return "warn";
    case Enforcement::dryrun:
      break;
  }
  return "dryrun";
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::denied:
      return "denied";
    case Outcome::warned:
      return "warned";
    case Outcome::noted:
      return "noted";
    case Outcome::not_enforced:
      return "not_enforced";
    case Outcome::before:
      return "before";
    case Outcome::deleting:
      return "deleting";
    case Outcome::ignored:
      return "ignored";
    case Outcome::off:
      break;
  }
  return "off";
}

bool is_training_job(const Review& review) {
  return review.group == api::names::kGroup && review.kind == "TrainingJob";
}

bool is_read(const Review& review) {
  if (review.operation != Operation::create && review.operation != Operation::update) return false;
  if (!review.subresource.empty() || (!review.owner.empty() && !is_training_job(review))) return false;
  const auto readers = launch::all_readers();
  return std::any_of(readers.begin(), readers.end(), [&review](const launch::KindReader& reader) {
    return reader.name == review.kind && reader.group == review.group &&
           (reader.version.empty() || reader.version == review.version);
  });
}

Decision decide(const Review& review, const launch::Policy& policy, Enforcement enforcement, const Beside& beside) {
  if (!is_read(review)) {
    const std::string part = review.subresource.empty() ? "" : "/" + review.subresource;
    const std::string maker = review.owner.empty() ? "" : fmt::format(", made by a {}", clipped(review.owner, 63));
    return admitted("not-read", fmt::format("{} of {}{} of group {}{}", to_string(review.operation), review.kind, part,
                                            review.group.empty() ? "core" : review.group, maker));
  }
  const bool update = review.operation == Operation::update;
  if (update && same_launch(review.object, review.old_object)) {
    return admitted("unchanged", "the launch is what it was");
  }
  const launch::Context nothing;
  const launch::Context& context = beside.context == nullptr ? nothing : *beside.context;
  launch::Checked checked = launch::check_by_kind(review.object, context);
  const Findings off = launch::apply_policy(policy, checked);
  std::set<Identity> had;
  // Asked only where it can matter: most updates bring no denial.
  if (update && any_denial(checked.findings)) had = findings_of_old(review.old_object, context);

  Sorter sorter(review, enforcement, beside.others_denied || is_training_job(review));
  for (const launch::PassedOver& passed : checked.ignored) sorter.ignored(passed);
  for (const Finding& finding : off) sorter.off(finding);
  for (Finding& finding : checked.findings) {
    const bool before = had.contains(identity_of(finding));
    sorter.found(std::move(finding), before, update && review.old_deleting);
  }
  return sorter.take();
}

}  // namespace rollcall::webhook
