#include "child/collective/session.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "child/collective/pattern.h"
#include "child/lines.h"

namespace rollcall::child {
namespace {

using Clock = std::chrono::steady_clock;
using roll_call::RankOutcome;
using namespace std::chrono_literals;

constexpr auto kLook = 200ms;  ///< how often the log is read while a call hangs
/// Polling begins quick, so that latencies are told rightly, and slows down, so that a rank that waits for others for a
/// minute takes no core from them.
constexpr auto kFirstPause = 20us;
constexpr auto kLongestPause = 2ms;
/// Aborting or destroying a communicator has hung (NVIDIA/nccl#1013, #549). The result is out by then.
constexpr auto kLeaving = 3s;
constexpr std::size_t kTimedSmall = 5;
constexpr std::int32_t kWarmUps = 2;
constexpr std::int32_t kIterations = 5;
/// What the timed part of the large message may take: at 0.1 GB/s, a gigabit network, 256 MB are 5 s.
constexpr double kLargeSeconds = 5;
constexpr std::size_t kChunk = 1 << 20;  ///< bytes compared at a time

std::string uuid_text(const CUuuid& uuid) {
  const auto digits = hex(std::string_view(uuid.bytes, sizeof uuid.bytes));
  std::string text = "GPU-";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    text += digits[i];
  }
  return text;
}

}  // namespace

Session::Session(const CollectiveOptions& options) : options_(options), step_began_(Clock::now()) {
  result_.rank = options.rank;
  result_.gpu = options.gpu;
  result_.outcome = RankOutcome::TimedOut;
  // The probe decides whether to wait; and no status port of NCCL's may stay on 28028 for the job to trip on.
  unsetenv("NCCL_COMM_BLOCKING");
  setenv("NCCL_RAS_ENABLE", "0", 1);
  // Files that the job's own NCCL is to write.
  for (const char* file : {"NCCL_TOPO_DUMP_FILE", "NCCL_GRAPH_DUMP_FILE"}) unsetenv(file);
}

void Session::begin(const std::string& what) {
  result_.step = what;
  step_began_ = Clock::now();
  step(what);
}

void Session::read_log() {
  const auto& log = log_.look();
  result_.network = log.network();
  result_.provider = log.provider();
  result_.transport = log.transport();
  result_.devices = log.devices();
  result_.gdr = log.gdr();
}

void Session::tell() {
  read_log();
  result_.step_seconds = std::chrono::duration<double>(Clock::now() - step_began_).count();
  roll_call::ChildLine line;
  line.rank = result_;
  line.simulated = simulated_;
  say(line);
}

Outcome Session::cuda(CUresult code) const {
  if (code == CUDA_SUCCESS) return std::nullopt;
  return Fault{RankOutcome::Error, static_cast<int>(code), cuda_->words_for(code)};
}

Outcome Session::nccl(ncclResult_t code) {
  if (code == ncclSuccess) return std::nullopt;
  // The log's telling warning before the library's last one, which is often a mere consequence.
  const auto& log = log_.look();
  auto words = log.warned() ? nccl_result_name(code) + ": " + log.error() : nccl_->words_for(code);
  return Fault{RankOutcome::Error, static_cast<int>(code), std::move(words)};
}

Outcome Session::load_cuda() {
  begin("loading libcuda");
  auto loaded = Cuda::load();
  if (!loaded) return Fault{RankOutcome::NotStarted, 0, loaded.error().message};
  cuda_ = std::move(*loaded);
  simulated_ = simulated_ || cuda_->library.simulated();
  return std::nullopt;
}

Outcome Session::load_nccl() {
  begin("loading libnccl");
  auto loaded = Nccl::load(options_.library);
  if (!loaded) return Fault{RankOutcome::NotStarted, 0, loaded.error().message};
  nccl_ = std::move(*loaded);
  simulated_ = simulated_ || nccl_->library.simulated();
  return std::nullopt;
}

Outcome Session::open_device() {
  begin("cuInit");
  if (auto fault = cuda(cuda_->init(0))) return fault;
  begin("cuDeviceGet");
  CUdevice device = 0;
  if (auto fault = cuda(cuda_->device_get(&device, options_.gpu))) return fault;
  CUuuid uuid{};
  const auto get_uuid = cuda_->device_get_uuid != nullptr ? cuda_->device_get_uuid : cuda_->device_get_uuid_v1;
  if (get_uuid != nullptr && get_uuid(&uuid, device) == CUDA_SUCCESS) result_.uuid = uuid_text(uuid);
  begin("cuDevicePrimaryCtxRetain");
  CUcontext context = nullptr;
  if (auto fault = cuda(cuda_->primary_ctx_retain(&context, device))) return fault;
  if (auto fault = cuda(cuda_->ctx_set_current(context))) return fault;
  begin("cuStreamCreate");
  if (auto fault = cuda(cuda_->stream_create(&stream_, CU_STREAM_NON_BLOCKING))) return fault;
  if (auto fault = cuda(cuda_->event_create(&from_, CU_EVENT_DEFAULT))) return fault;
  return cuda(cuda_->event_create(&to_, CU_EVENT_DEFAULT));
}

Outcome Session::unique_id() {
  if (!options_.make_id) {
    static_assert(sizeof id_ == 128);
    std::memcpy(&id_, options_.unique_id.data(), sizeof id_);
    return std::nullopt;
  }
  begin("ncclGetUniqueId");
  if (auto fault = nccl(nccl_->get_unique_id(&id_))) return fault;
  roll_call::ChildLine line;
  line.unique_id = hex(std::string_view(reinterpret_cast<const char*>(&id_), sizeof id_));
  say(line);
  return std::nullopt;
}

Outcome Session::allocate() {
  begin("cuMemAlloc");
  // A GPU that others use has less room; what all ranks can is agreed on before the large message.
  auto bytes = std::max(options_.large_bytes, options_.small_bytes);
  for (;; bytes = std::max(bytes / 2, options_.small_bytes)) {
    auto result = cuda_->mem_alloc(&in_, static_cast<std::size_t>(bytes));
    if (result == CUDA_SUCCESS) {
      result = cuda_->mem_alloc(&out_, static_cast<std::size_t>(bytes));
      if (result == CUDA_SUCCESS) break;
      static_cast<void>(cuda_->mem_free(in_));
    }
    if (result != CUDA_ERROR_OUT_OF_MEMORY || bytes == options_.small_bytes) return cuda(result);
  }
  large_bytes_ = std::min(bytes, options_.large_bytes);
  return std::nullopt;
}

Outcome Session::wait(const std::function<ncclResult_t()>& ready) {
  auto pause = std::chrono::duration_cast<std::chrono::microseconds>(kFirstPause);
  auto looked = Clock::now();
  for (;;) {
    const auto state = ready();
    if (state != ncclInProgress) return nccl(state);
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, kLongestPause);
    if (Clock::now() - looked < kLook) continue;
    looked = Clock::now();
    // Told at once, because a child that is killed cannot tell it any more.
    if (const auto& log = log_.look(); log.warned() && !told_warning_) {
      told_warning_ = true;
      result_.error = log.error();
      tell();
    }
  }
}

Outcome Session::wait_communicator() {
  return wait([this] {
    ncclResult_t state = ncclSuccess;
    const auto asked = nccl_->comm_get_async_error(comm_, &state);
    return asked == ncclSuccess ? state : asked;
  });
}

Outcome Session::wait_stream() {
  Outcome driver;
  auto fault = wait([&] {
    const auto state = cuda_->stream_query(stream_);
    if (state == CUDA_SUCCESS) return ncclSuccess;
    if (state != CUDA_ERROR_NOT_READY) {
      driver = cuda(state);
      return ncclSuccess;
    }
    ncclResult_t network = ncclSuccess;
    const auto asked = nccl_->comm_get_async_error(comm_, &network);
    if (asked != ncclSuccess) return asked;
    return network == ncclSuccess ? ncclInProgress : network;
  });
  return driver ? driver : fault;
}

Outcome Session::join() {
  begin("ncclCommInitRank");
  const auto start = Clock::now();
  if (nccl_->comm_init_rank_config != nullptr && nccl_->version >= 21400) {
    auto config = nccl_->version >= 21700 ? NcclConfig{} : NcclConfig::of_2_14();
    const auto begun = nccl_->comm_init_rank_config(&comm_, options_.nranks, id_, options_.rank, &config);
    if (begun != ncclInProgress && begun != ncclSuccess) return nccl(begun);
    if (auto fault = wait_communicator()) return fault;
  } else {
    // Blocks; only a kill ends it.
    if (auto fault = nccl(nccl_->comm_init_rank(&comm_, options_.nranks, id_, options_.rank))) return fault;
  }
  result_.init_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return std::nullopt;
}

Outcome Session::all_reduce(CUdeviceptr from, CUdeviceptr to, std::size_t count, ncclRedOp_t operation,
                            double* seconds) {
  if (seconds != nullptr)
    if (auto fault = cuda(cuda_->event_record(from_, stream_))) return fault;
  const auto begun = nccl_->all_reduce(reinterpret_cast<const void*>(from), reinterpret_cast<void*>(to), count,
                                       ncclInt32, operation, comm_, reinterpret_cast<cudaStream_t>(stream_));
  if (begun != ncclSuccess && begun != ncclInProgress) return nccl(begun);
  // Since 2.22 the first one connects the ranks, and goes on in the background until then.
  if (begun == ncclInProgress)
    if (auto fault = wait_communicator()) return fault;
  if (seconds != nullptr)
    if (auto fault = cuda(cuda_->event_record(to_, stream_))) return fault;
  if (auto fault = wait_stream()) return fault;
  if (seconds == nullptr) return std::nullopt;
  float milliseconds = 0;
  if (auto fault = cuda(cuda_->event_elapsed_time(&milliseconds, from_, to_))) return fault;
  *seconds = static_cast<double>(milliseconds) / 1e3;
  return std::nullopt;
}

Outcome Session::agree(std::int32_t& value) {
  if (auto fault = cuda(cuda_->memcpy_htod(in_, &value, sizeof value))) return fault;
  if (auto fault = all_reduce(in_, out_, 1, ncclMin)) return fault;
  return cuda(cuda_->memcpy_dtoh(&value, out_, sizeof value));
}

Outcome Session::checked(Pattern kind, std::size_t count) {
  std::vector<std::int32_t> values(std::min(count, kChunk / sizeof(std::int32_t)));
  for (std::size_t at = 0; at < count; at += values.size()) {
    values.resize(std::min(values.size(), count - at));
    const auto bytes = values.size() * sizeof(std::int32_t);
    if (auto fault = cuda(cuda_->memcpy_dtoh(values.data(), out_ + at * sizeof(std::int32_t), bytes))) return fault;
    if (auto wrong = wrong_values(kind, options_.nranks, values, at, count); !wrong.empty())
      return Fault{RankOutcome::WrongValue, 0, std::move(wrong)};
  }
  return std::nullopt;
}

Outcome Session::small() {
  const auto count = static_cast<std::size_t>(options_.small_bytes) / sizeof(std::int32_t);
  constexpr std::array kKinds = {std::pair{Pattern::ByRank, "ncclAllReduce small"},
                                 std::pair{Pattern::ByOffset, "ncclAllReduce small, second pattern"}};
  for (const auto& [kind, name] : kKinds) {
    begin(name);
    const auto values = pattern(kind, options_.rank, count);
    if (auto fault = cuda(cuda_->memcpy_htod(in_, values.data(), count * sizeof(std::int32_t)))) return fault;
    if (auto fault = cuda(cuda_->memset_d32(out_, 0, count))) return fault;
    if (auto fault = all_reduce(in_, out_, count, ncclSum)) return fault;
    if (auto fault = checked(kind, count)) return fault;
  }
  begin("ncclAllReduce small, timed");
  double total = 0;
  for (std::size_t i = 0; i < kTimedSmall; ++i) {
    double seconds = 0;
    if (auto fault = all_reduce(in_, out_, count, ncclSum, &seconds)) return fault;
    total += seconds;
  }
  result_.small_us = total / static_cast<double>(kTimedSmall) * 1e6;
  return std::nullopt;
}

Outcome Session::large() {
  if (options_.large_bytes == 0 || options_.nranks == 1) return std::nullopt;
  begin("ncclAllReduce, agreeing on a size");
  auto kib = static_cast<std::int32_t>(large_bytes_ / 1024);
  if (auto fault = agree(kib)) return fault;
  const std::size_t bytes = static_cast<std::size_t>(kib) * 1024, count = bytes / sizeof(std::int32_t);
  if (count == 0) return std::nullopt;
  begin("ncclAllReduce large, first");
  if (auto fault = cuda(cuda_->memset_d32(in_, static_cast<unsigned>(options_.rank) + 1, count))) return fault;
  if (auto fault = cuda(cuda_->memset_d32(out_, 0, count))) return fault;
  double seconds = 0;
  if (auto fault = all_reduce(in_, out_, count, ncclSum, &seconds)) return fault;
  if (auto fault = checked(Pattern::ByRank, count)) return fault;
  // As many more as the clock allows, the same number on every rank.
  auto rounds = static_cast<std::int32_t>(
      std::clamp(kLargeSeconds / std::max(seconds, 1e-6), 1.0, double{kWarmUps - 1 + kIterations}));
  if (auto fault = agree(rounds)) return fault;
  if (auto fault = cuda(cuda_->memset_d32(in_, static_cast<unsigned>(options_.rank) + 1, count))) return fault;
  const auto warm_ups = rounds > 1 ? kWarmUps - 1 : 0;
  double total = 0;
  for (std::int32_t i = 0; i < rounds; ++i) {
    begin("ncclAllReduce large, " + std::to_string(i + 1) + " of " + std::to_string(rounds));
    if (auto fault = all_reduce(in_, out_, count, ncclSum, &seconds)) return fault;
    if (i >= warm_ups) total += seconds;
  }
  if (auto fault = checked(Pattern::ByRank, count)) return fault;
  const double n = options_.nranks;
  if (total > 0) result_.bus_gbytes = static_cast<double>(bytes) * (rounds - warm_ups) / total * 2 * (n - 1) / n / 1e9;
  return std::nullopt;
}

void Session::leave(bool well, int code) {
  if (comm_ == nullptr) return;
  step(well ? "ncclCommDestroy" : "ncclCommAbort");
  std::thread([code] {
    std::this_thread::sleep_for(kLeaving);
    _exit(code);
  }).detach();
  if (well && nccl_->comm_finalize != nullptr && nccl_->comm_finalize(comm_) == ncclInProgress) {
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress && nccl_->comm_get_async_error(comm_, &state) == ncclSuccess)
      std::this_thread::sleep_for(kFirstPause);
  }
  static_cast<void>(well ? nccl_->comm_destroy(comm_) : nccl_->comm_abort(comm_));
}

}  // namespace rollcall::child
