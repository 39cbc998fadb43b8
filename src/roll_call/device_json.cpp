#include "roll_call/device_json.h"

#include "roll_call/json_writer.h"
#include "roll_call/limits.h"

namespace rollcall::roll_call {
namespace {

using nlohmann::json;
using namespace limits;

constexpr std::int64_t kInt = kMaxInt;

// Each struct names its fields once; Io is Reader or Writer.

template <typename Io>
void fields(Io& io, GpuFact& v) {
  io.integer("index", v.index, 0, 1024);
  io.text("uuid", v.uuid, kShort);
  io.text("name", v.name, kShort);
  io.text("pci", v.pci, kShort);
  io.integer("computeMajor", v.compute_major, 0, kInt);
  io.integer("computeMinor", v.compute_minor, 0, kInt);
  io.flag("mig", v.mig);
  io.integer("memoryBytes", v.memory_bytes, -1, kMaxBytes);
  io.integer("memoryUsedBytes", v.memory_used_bytes, -1, kMaxBytes);
  io.integer("eccUncorrected", v.ecc_uncorrected, -1, kMaxBytes);
  io.integer("remapPending", v.remap_pending, -1, kInt);
  io.integer("remapFailed", v.remap_failed, -1, kInt);
  io.integer("nvlinkActive", v.nvlink_active, -1, kInt);
  io.integer("nvlinkLinks", v.nvlink_links, -1, kInt);
  io.text("fabric", v.fabric, kShort);
  io.text("fabricClique", v.fabric_clique, kShort);
  io.integer("throttle", v.throttle, 0, INT64_MAX);
  io.integer("nvmlResult", v.nvml_result, 0, kInt);
  io.text("error", v.error, kDetail);
}

template <typename Io>
void fields(Io& io, RdmaDevice& v) {
  io.text("name", v.name, kShort);
  io.text("driver", v.driver, kShort);
  io.flag("opens", v.opens);
  io.text("error", v.error, kEdgeDetail);
  io.text("state", v.state, kShort);
  io.text("physicalState", v.physical_state, kShort);
  io.text("linkLayer", v.link_layer, kShort);
  io.integer("rateGbits", v.rate_gbits, 0, kInt);
  io.text("gidType", v.gid_type, kShort);
  io.flag("gidZero", v.gid_zero);
}

/// All of GpuFacts but its list.
template <typename Io>
void fields(Io& io, GpuFacts& v) {
  io.flag("simulated", v.simulated);
  io.flag("library", v.library);
  io.text("libraryPath", v.library_path, kPath);
  io.integer("cudaResult", v.cuda_result, -1, kInt);
  io.text("cudaName", v.cuda_name, kShort);
  io.number("initSeconds", v.init_seconds, 0, 1e6);
  io.integer("cudaVersion", v.cuda_version, 0, kInt);
  io.text("driver", v.driver, kShort);
  io.integer("nvmlResult", v.nvml_result, -1, kInt);
  io.text("nvmlName", v.nvml_name, kShort);
  io.integer("torchCuda", v.torch_cuda, 0, kInt);
  io.integer("visibleDevices", v.visible_devices, -1, kInt);
  io.flag("shared", v.shared);
  io.text("stoppedIn", v.stopped_in, kDetail);
  io.flag("stuck", v.stuck);
  io.flag("notStarted", v.not_started);
  io.flag("cutShort", v.cut_short);
  io.text("cutIn", v.cut_in, kShort);
  io.text("error", v.error, kDetail);
  io.text("other", v.other, kDetail);
}

template <typename Io>
void fields(Io& io, NcclFacts& v) {
  io.flag("simulated", v.simulated);
  io.text("path", v.path, kPath);
  io.text("version", v.version, kShort);
  io.text("buildId", v.build_id, kShort);
  io.text("source", v.source, kShort);
  io.text("linkedStatically", v.linked_statically, kPath);
  io.texts("plugins", v.plugins, kLibraries, kPath);
  io.integer("interfaceResult", v.interface_result, -1, kInt);
  io.text("interfaceError", v.interface_error, kDetail);
  io.text("interfaceName", v.interface_name, kShort);
  io.text("interfaceAddress", v.interface_address, kAddress);
  io.flag("interfaceForced", v.interface_forced);
  io.flag("ibverbs", v.ibverbs);
  io.flag("ibDriver", v.ib_driver);
  io.integer("memlockBytes", v.memlock_bytes, -1, kMaxBytes);
  io.flag("memlockTried", v.memlock_tried);
  io.integer("numaErrno", v.numa_errno, 0, 4096);
  io.text("fidelity", v.fidelity, kDetail);
  io.text("stoppedIn", v.stopped_in, kDetail);
  io.flag("stuck", v.stuck);
  io.flag("notStarted", v.not_started);
  io.flag("cutShort", v.cut_short);
  io.text("error", v.error, kDetail);
}

template <typename Io>
void fields(Io& io, CollectiveOrder& v) {
  io.integer("id", v.id, 0, kInt);
  io.integer("nranks", v.nranks, 0, kInt);
  io.integer("firstRank", v.first_rank, 0, kInt);
  io.integers("gpus", v.gpus, kMaxLocalRanks, 0, 1024);
  io.text("uniqueId", v.unique_id, kUniqueId);
  io.text_map("env", v.env, kConfFiles, kEnvName, kEnvValue);
  io.integer("smallBytes", v.small_bytes, 0, kMaxBytes);
  io.integer("largeBytes", v.large_bytes, 0, kMaxBytes);
  io.integer("deadlineMs", v.deadline_ms, 0, kInt);
}

template <typename Io>
void fields(Io& io, RankResult& v) {
  io.integer("rank", v.rank, 0, kInt);
  io.integer("gpu", v.gpu, 0, 1024);
  io.text("uuid", v.uuid, kShort);
  io.text("step", v.step, kShort);
  io.number("stepSeconds", v.step_seconds, 0, 1e6);
  io.integer("result", v.result, 0, kInt);
  io.text("error", v.error, kDetail);
  io.number("initMs", v.init_ms, 0, 1e9);
  io.number("smallUs", v.small_us, 0, 1e12);
  io.number("busGbytes", v.bus_gbytes, 0, 1e9);
  io.text("network", v.network, kShort);
  io.text("transport", v.transport, kShort);
  io.text("provider", v.provider, kShort);
  io.texts("devices", v.devices, kLibraries, kShort);
  io.flag("gdr", v.gdr);
}

template <typename Io>
void fields(Io& io, CollectiveState& v) {
  io.integer("id", v.id, 0, kInt);
  io.text("uniqueId", v.unique_id, kUniqueId);
  io.flag("done", v.done);
  io.flag("simulated", v.simulated);
}

template <typename Io>
void fields(Io& io, CheckResult& v) {
  io.text("name", v.name, kShort);
  io.flag("ran", v.ran);
  io.flag("timedOut", v.timed_out);
  io.integer("exitCode", v.exit_code, -1, kInt);
  io.text("output", v.output, kDetail);
  io.text("error", v.error, kDetail);
  io.number("seconds", v.seconds, 0, 1e6);
}

template <typename T>
json one(const T& value) {
  json object;
  Writer writer(object);
  fields(writer, const_cast<T&>(value));  // NOLINT: a Writer only reads
  return object;
}

template <typename T>
json many(const std::vector<T>& list, std::size_t max, json (*each)(const T&)) {
  json out = json::array();
  for (std::size_t i = 0; i < std::min(list.size(), max); ++i) out.push_back(each(list[i]));
  return out;
}

}  // namespace

void read(Reader& r, GpuFacts& facts) {
  fields(r, facts);
  r.objects("gpus", kMaxGpus, [&](Reader& each) { fields(each, facts.gpus.emplace_back()); });
}

json write(const GpuFacts& facts) {
  json out = one(facts);
  out["gpus"] = many<GpuFact>(facts.gpus, kMaxGpus, one<GpuFact>);
  return out;
}

void read(Reader& r, NcclFacts& facts) {
  fields(r, facts);
  r.objects("rdma", kMaxRdmaDevices, [&](Reader& each) { fields(each, facts.rdma.emplace_back()); });
}

json write(const NcclFacts& facts) {
  json out = one(facts);
  out["rdma"] = many<RdmaDevice>(facts.rdma, kMaxRdmaDevices, one<RdmaDevice>);
  return out;
}

void read(Reader& r, CollectiveOrder& order) {
  fields(r, order);
  r.word<CollectiveScope>("scope", order.scope, collective_scope_from);
}

json write(const CollectiveOrder& order) {
  json out = one(order);
  out["scope"] = to_string(order.scope);
  return out;
}

void read(Reader& r, RankResult& result) {
  fields(r, result);
  r.word<RankOutcome>("outcome", result.outcome, rank_outcome_from);
}

json write(const RankResult& result) {
  json out = one(result);
  out["outcome"] = to_string(result.outcome);
  return out;
}

void read(Reader& r, CollectiveState& state) {
  fields(r, state);
  r.objects("ranks", kMaxLocalRanks, [&](Reader& each) { read(each, state.ranks.emplace_back()); });
}

json write(const CollectiveState& state) {
  json out = one(state);
  out["ranks"] = many<RankResult>(state.ranks, kMaxLocalRanks, write);
  return out;
}

void read(Reader& r, ChecksState& state) {
  r.flag("done", state.done);
  r.objects("checks", kMaxChecks, [&](Reader& each) { fields(each, state.checks.emplace_back()); });
}

json write(const ChecksState& state) {
  return {{"done", state.done}, {"checks", many<CheckResult>(state.checks, kMaxChecks, one<CheckResult>)}};
}

}  // namespace rollcall::roll_call
