#include "probe/steps/nccl.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "probe/children/child.h"
#include "probe/deadline.h"
#include "probe/facts/elf.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// Facts and dlopen: image streaming can fault in the library's 400 MB.
constexpr std::chrono::seconds kNcclDeadline{60};

/// What only the parent reads, into what the child said.
void merge(const roll_call::NcclFacts& read, roll_call::NcclFacts& facts) {
  facts.rdma = read.rdma;
  facts.ibverbs = facts.ibverbs || read.ibverbs;
  facts.ib_driver = read.ib_driver;
  facts.linked_statically = read.linked_statically;
  if (facts.plugins.empty()) facts.plugins = read.plugins;
}

/// What this process knows as well as a child of it would.
roll_call::NcclFacts without_child() {
  roll_call::NcclFacts facts;
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
    facts.memlock_bytes = limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<std::int64_t>(limit.rlim_cur);
  return facts;
}

/// What the file says, where the library itself did not. The image's files were read by a child; the bundled one lies
/// in the pod's own volume, which does not hang.
void read_file_of(const std::string& library, const roll_call::NcclFacts& read, roll_call::NcclFacts& facts) {
  if (facts.path.empty()) facts.path = library;
  ElfFacts elf{read.build_id, read.version};
  if (facts.source == "bundled") {
    const auto own = read_elf(library, true);
    elf = own ? *own : ElfFacts{};
  }
  if (facts.build_id.empty()) facts.build_id = elf.build_id;
  if (facts.version.empty()) facts.version = elf.nccl_version;
}

}  // namespace

Result<std::string> nccl_library(const Settings& settings, const JobImage& image, const JobImage::Devices& devices) {
  const auto& found = devices.facts.nccl;
  if (settings.bundled_nccl) {
    const auto path = image.bundled_nccl();
    if (::access(path.c_str(), R_OK) == 0) return path;
    return Error{
        "rollCall.nccl is Bundled, but the probe image brings no libnccl.so.2; use the one whose name says that it "
        "does"};
  }
  if (!found.linked_statically.empty()) {
    return Error{text("NCCL is linked into ", found.linked_statically,
                      ", where only torch can call it; set rollCall.nccl: Bundled")};
  }
  if (!found.path.empty()) return found.path;
  if (!devices.trouble.empty())
    return Error{text("whether the image has a libnccl.so.2 is not known: ", devices.trouble)};
  return Error{
      "no libnccl.so.2 in the image, neither in its loader's directories nor among its Python packages; a job that "
      "uses "
      "NCCL all the same can set rollCall.nccl: Bundled"};
}

std::optional<roll_call::NcclFacts> read_nccl(const Settings& settings, JobImage& image, const Wake& cancel) {
  const auto environment = image.environment(cancel);
  const auto devices = image.devices(cancel);
  if (!environment || !devices) return std::nullopt;
  const auto library = nccl_library(settings, image, *devices);
  const std::string source = settings.bundled_nccl ? "bundled" : "job";
  // Without a library the child still reads the limits of its process.
  std::vector<std::string> arguments{"nccl", "--source", source};
  if (library) arguments.insert(arguments.end(), {"--library", *library});
  const auto report = run_child({image.child_program(), std::move(arguments), environment->variables,
                                 scaled(kNcclDeadline, settings.deadline_percent)},
                                cancel);
  if (cancel.notified()) return std::nullopt;
  auto facts = report.nccl.value_or(without_child());
  facts.source = source;
  mark_end(report, facts);
  // What the child did not tell, or what was not read of the image, is not known to be absent.
  facts.cut_short = facts.cut_short || !devices->trouble.empty();
  if (!library) {
    facts.error = library.error().message;
  } else if (!report.trouble.empty()) {
    facts.error +=
        text(facts.error.empty() ? "" : "; ", report.unable ? "" : "the program that asks NCCL ", report.trouble);
  } else if (report.trouble.empty() && facts.interface_result < 0 && facts.error.empty()) {
    // A library that ends its process by itself.
    facts.error = "the program that asks NCCL ended in " + report.step;
    facts.cut_short = true;
  }
  if (library) read_file_of(*library, devices->facts.nccl, facts);
  merge(devices->facts.nccl, facts);
  facts.fidelity = environment->fidelity;
  if (library && !devices->trouble.empty()) facts.error += (facts.error.empty() ? "" : "; ") + devices->trouble;
  return facts;
}

void mark_listed(const std::vector<roll_call::RankResult>& ranks, roll_call::NcclFacts& facts) {
  for (auto& device : facts.rdma) {
    const auto port = device.name + ":1";  // state and rate are those of port 1
    device.listed_by_nccl =
        device.listed_by_nccl || std::any_of(ranks.begin(), ranks.end(), [&](const roll_call::RankResult& rank) {
          // Of NCCL's own sockets the list is one of interfaces.
          return rank.network != "Socket" &&
                 std::find(rank.devices.begin(), rank.devices.end(), port) != rank.devices.end();
        });
  }
}

std::string words_for(const roll_call::NcclFacts& facts) {
  std::string line = text("nccl: ", facts.version.empty() ? "version not known" : facts.version);
  if (facts.simulated) line += " (simulated)";
  if (!facts.path.empty()) line += text(" at ", facts.path);
  if (facts.interface_result == 0) {
    line += text("; it will listen on ",
                 facts.interface_address.empty() ? "an address in an unknown layout" : facts.interface_address,
                 facts.interface_name.empty() ? "" : " of " + facts.interface_name);
  } else if (facts.interface_result > 0) {
    line += text("; it finds no interface: ", facts.interface_error);
  }
  for (const auto& plugin : facts.plugins) line += "; plugin " + plugin;
  const auto open = std::count_if(facts.rdma.begin(), facts.rdma.end(), [](const auto& d) { return d.opens; });
  if (facts.rdma.empty()) {
    line += "; no RDMA device on the node";
  } else {
    line += text("; ", open, " of ", facts.rdma.size(), " RDMA devices open here");
    const auto first = std::find_if(facts.rdma.begin(), facts.rdma.end(), [](const auto& d) { return d.opens; });
    const auto& shown = first == facts.rdma.end() ? facts.rdma.front() : *first;
    line += text(" (", shown.name, " ", shown.driver, " ", shown.state, " ", shown.rate_gbits, " Gb/s",
                 shown.opens ? "" : ", " + shown.error, ")");
    if (!facts.ibverbs) line += "; no libibverbs.so.1 in the image";
  }
  if (!facts.fidelity.empty()) line += "; environment is " + facts.fidelity;
  if (!facts.error.empty()) line += "; " + facts.error;
  return line;
}

}  // namespace rollcall::probe
