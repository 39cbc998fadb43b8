#include "child/nccl/nccl.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "child/collective/private_log.h"
#include "child/driver/nccl.h"
#include "child/lines.h"

namespace rollcall::child {
namespace {

struct Options {
  std::string library;
  std::string source = "job";
};

Result<Options> options_of(std::span<const std::string_view> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const auto name = arguments[i];
    if (i + 1 == arguments.size()) return Error{std::string(name) + " wants a value"};
    const std::string value(arguments[i + 1]);
    if (name == "--library")
      options.library = value;
    else if (name == "--source" && (value == "job" || value == "bundled"))
      options.source = value;
    else
      return Error{"what is '" + std::string(name) + " " + value + "'?"};
  }
  return options;
}

int say_facts(const roll_call::NcclFacts& facts, int code) {
  roll_call::ChildLine line;
  line.nccl = facts;
  say(line);
  return code;
}

/// Asks the library for an id, which makes it listen on the interface it prefers, and reads from the id where that is.
bool read_interface(const Nccl& nccl, PrivateLog& log, roll_call::NcclFacts& facts) {
  step("ncclGetUniqueId");
  ncclUniqueId id{};
  const ncclResult_t result = nccl.get_unique_id(&id);
  facts.interface_result = result;
  if (result != ncclSuccess) {
    // The warning names the interface or address; the result's own text is "internal error" or "invalid usage".
    const auto warned = log.look().error();
    facts.interface_error = warned.empty() ? nccl.words_for(result) : nccl_result_name(result) + ": " + warned;
    return false;
  }
  const auto address = address_in({id.internal, sizeof id.internal});
  if (!address) return true;  // it works; where it listens is not known to this version
  facts.interface_address = *address;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return true;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> freed(all, freeifaddrs);
  facts.interface_name = interface_of(*address, all);
  return true;
}

}  // namespace

int run_nccl(std::span<const std::string_view> arguments) {
  const auto options = options_of(arguments);
  if (!options) {
    std::fprintf(stderr, "nccl: %s\n", options.error().message.c_str());
    return 2;
  }
  roll_call::NcclFacts facts;
  facts.source = options->source;
  facts.interface_forced = std::getenv("NCCL_COMM_ID") != nullptr;  // NOLINT(concurrency-mt-unsafe): one thread so far
  step("limits");
  read_limits(facts);
  if (options->library.empty()) {
    facts.error = "no libnccl.so.2 was found in the image";
    return say_facts(facts, 1);
  }
  // RAS would listen on port 28028, which is the job's.
  setenv("NCCL_RAS_ENABLE", "0", 1);  // NOLINT(concurrency-mt-unsafe): one thread so far
  PrivateLog log;
  step("dlopen " + options->library);
  const auto nccl = Nccl::load(options->library);
  if (!nccl) {
    facts.error = nccl.error().message;
    return say_facts(facts, 1);
  }
  facts.simulated = nccl->library.simulated();
  facts.path = nccl->library.path();
  facts.version = nccl_version_text(nccl->version);
  say_facts(facts, 0);  // so that a call that does not come back leaves the version
  const bool found = read_interface(*nccl, log, facts);
  return say_facts(facts, found ? 0 : 1);
}

}  // namespace rollcall::child
