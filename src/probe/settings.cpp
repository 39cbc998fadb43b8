#include "probe/settings.h"

#include <charconv>

#include "probe/settings_json.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

namespace names = api::names;

/// Reads variables and keeps the first error.
class Reader {
 public:
  explicit Reader(const GetEnv& get) : get_(get) {}

  std::string need(const char* name, const char* what) {
    auto value = get_(name);
    if (!value || value->empty()) {
      fail(text(name, " is not set; the operator sets it to ", what));
      return {};
    }
    return *value;
  }

  std::string optional(const char* name) { return get_(name).value_or(""); }

  int number(const char* name, int least, int most, std::optional<int> absent = std::nullopt) {
    const auto value = get_(name);
    if ((!value || value->empty()) && absent) return *absent;
    const std::string digits = value.value_or("");
    int parsed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    if (error != std::errc() || end != digits.data() + digits.size() || parsed < least || parsed > most) {
      fail(text(name, " is `", digits, "`; it must be a number from ", least, " to ", most));
    }
    return parsed;
  }

  /// A variable that `from` reads; its error gets the variable's name.
  template <typename T>
  void parsed(const char* name, T& into, Result<T> (*from)(std::string_view)) {
    const auto value = get_(name);
    if (!value || value->empty()) return;
    auto read = from(*value);
    if (read) {
      into = std::move(read).value();
    } else {
      fail(text(name, ": ", read.error().message));
    }
  }

  void fail(std::string message) {
    if (!error_) error_ = Error{std::move(message)};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const GetEnv& get_;
  std::optional<Error> error_;
};

void read_job_environment(Reader& read, Settings& settings) {
  read.parsed(names::kEnvExports, settings.exports, exports_from);
  read.parsed(names::kEnvChecks, settings.checks, checks_from);
  settings.setup = read.optional(names::kEnvSetup);
  settings.fidelity = read.optional(names::kEnvFidelity);
  constexpr std::string_view kPartial = "partial";
  if (!settings.fidelity.empty() && settings.fidelity.substr(0, kPartial.size()) != kPartial)
    settings.fidelity = "partial: " + settings.fidelity;
  const auto nccl = read.optional(names::kEnvNccl);
  if (!nccl.empty() && nccl != "Job" && nccl != "Bundled")
    read.fail(text(names::kEnvNccl, " is `", nccl, "`; it must be Job or Bundled"));
  settings.bundled_nccl = nccl == "Bundled";
  settings.deadline_percent = read.number(names::kEnvDeadlinePercent, 1, 10'000, 100);
}

}  // namespace

Result<Settings> settings_from(const GetEnv& get) {
  Reader read(get);
  Settings settings;
  const auto desk = read.need(names::kEnvDeskAddress, "the desk's IP:port");
  if (!desk.empty()) {
    auto address = SocketAddress::parse(desk);
    if (address) {
      settings.desk = *address;
    } else {
      read.fail(text(names::kEnvDeskAddress, ": ", address.error().message));
    }
  }
  settings.desk_name = read.need(names::kEnvDeskName, "the name in the desk's certificate");
  settings.desk_ca = read.need(names::kEnvDeskCa, "the PEM of the authority that signed it");
  settings.pod_uid = read.need(names::kEnvPodUid, "the pod's uid (fieldRef)");
  settings.pod_name = read.optional(names::kEnvPodName);
  settings.job = read.optional(names::kEnvJob);
  constexpr int kMost = 1'000'000'000;  // any larger is a mistake, and still far from overflow in seconds
  settings.attempt = read.number(names::kEnvAttempt, 1, kMost);
  settings.node_rank = read.number(names::kEnvNodeRank, 0, kMost);
  settings.nnodes = read.number(names::kEnvNnodes, 1, kMost);
  // The defaults of waitForPodsSeconds and holdSeconds together.
  settings.give_up = std::chrono::seconds(read.number(names::kEnvGiveUpSeconds, 1, kMost, 1800 + 900));
  settings.gpu_resource = read.optional(names::kEnvGpuResource);
  settings.gpus = read.number(names::kEnvGpus, 0, kMost, 0);
  read_job_environment(read, settings);
  if (read.error()) return *read.error();
  return settings;
}

}  // namespace rollcall::probe
