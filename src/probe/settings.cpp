#include "probe/settings.h"

#include <charconv>

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

  void fail(std::string message) {
    if (!error_) error_ = Error{std::move(message)};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const GetEnv& get_;
  std::optional<Error> error_;
};

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
  if (read.error()) return *read.error();
  return settings;
}

}  // namespace rollcall::probe
