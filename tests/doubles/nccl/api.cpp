// The exported functions of libnccl.so.2, and of librccl.so.1, which has the same ones.
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "doubles/export.h"
#include "doubles/nccl/communicator.h"
#include "doubles/nccl/log.h"
#include "doubles/scenario/scenario.h"

using namespace rollcall::doubles;

ROLLCALL_DOUBLE_ANNOUNCES

namespace {

/// nccl.h's ncclConfig_t up to 2.17, which is all that the child may use.
struct Config {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
  int cga_cluster_size, min_ctas, max_ctas;
  const char* net_name;
};

/// cuInit's fault is what NCCL meets first without a driver.
Result usable(const Device& device) {
  if (device.index >= 0) return kSuccess;
  warn("init.cc:1900", "Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'");
  return kUnhandledCudaError;
}

Result init(Communicator** comm, int nranks, const UniqueId& id, int rank, const Config* config) {
  *comm = nullptr;
  const auto device = current_device();
  if (const auto result = usable(device); result != kSuccess) return result;
  if (nranks < 1 || rank < 0 || rank >= nranks) {
    warn("init.cc:1700", "Invalid rank requested : " + std::to_string(rank) + "/" + std::to_string(nranks));
    return kInvalidArgument;
  }
  bool blocking = true;
  std::string net;
  if (config != nullptr) {
    if (config->size < 24 || config->magic != 0xcafebeef) {
      warn("init.cc:1600", "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
      return kInvalidArgument;
    }
    blocking = config->blocking != 0;
    if (config->size >= 40 && config->version >= 21700 && config->net_name != nullptr) net = config->net_name;
  }
  if (const char* env = std::getenv("NCCL_COMM_BLOCKING"); env != nullptr) blocking = std::atoi(env) != 0;
  *comm = new Communicator(id, rank, nranks, device, net, blocking);
  return (*comm)->start();
}

}  // namespace

ROLLCALL_EXPORT Result ncclGetVersion(int* version) {
  enter("ncclGetVersion", {});
  *version = version_code();
  return kSuccess;
}

ROLLCALL_EXPORT Result ncclGetUniqueId(UniqueId* id) {
  enter("ncclGetUniqueId", {});
  if (Scenario::get().lists("error_in", "ncclGetUniqueId", {})) {
    if (const auto text = Scenario::get().text("error_text")) warn("init.cc:120", *text);
    return static_cast<Result>(Scenario::get().number("error", {}, kSystemError));
  }
  return make_unique_id(*id);
}

ROLLCALL_EXPORT const char* ncclGetErrorString(Result result) {
  switch (static_cast<int>(result)) {
    case kSuccess:
      return "no error";
    case kUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case kSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case kInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case kInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case kInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case kRemoteError:
      return "remote process exited or there was a network error";
    case kInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

ROLLCALL_EXPORT const char* ncclGetLastError(Communicator*) { return last_error(); }

ROLLCALL_EXPORT Result ncclCommInitRank(Communicator** comm, int nranks, UniqueId id, int rank) {
  return init(comm, nranks, id, rank, nullptr);
}

ROLLCALL_EXPORT Result ncclCommInitRankConfig(Communicator** comm, int nranks, UniqueId id, int rank,
                                              const Config* config) {
  return init(comm, nranks, id, rank, config);
}

ROLLCALL_EXPORT Result ncclCommGetAsyncError(Communicator* comm, Result* state) {
  *state = comm->state();
  return kSuccess;
}

ROLLCALL_EXPORT Result ncclCommCount(const Communicator* comm, int* count) {
  *count = comm->nranks();
  return kSuccess;
}

ROLLCALL_EXPORT Result ncclCommUserRank(const Communicator* comm, int* rank) {
  *rank = comm->rank();
  return kSuccess;
}

namespace {
Result end(Communicator* comm, const char* step) {
  enter(step, {.gpu = comm->device().index, .rank = comm->rank()});
  comm->abort();
  return kSuccess;
}
}  // namespace

ROLLCALL_EXPORT Result ncclCommFinalize(Communicator* comm) {
  enter("ncclCommFinalize", {.gpu = comm->device().index, .rank = comm->rank()});
  return comm->state() == kSuccess ? kSuccess : kInvalidUsage;
}
ROLLCALL_EXPORT Result ncclCommDestroy(Communicator* comm) { return end(comm, "ncclCommDestroy"); }
ROLLCALL_EXPORT Result ncclCommAbort(Communicator* comm) { return end(comm, "ncclCommAbort"); }

ROLLCALL_EXPORT Result ncclGroupStart() { return kSuccess; }
ROLLCALL_EXPORT Result ncclGroupEnd() { return kSuccess; }

ROLLCALL_EXPORT Result ncclAllReduce(const void* from, void* to, std::size_t count, int type, int op,
                                     Communicator* comm, void* stream) {
  if (type != 2 || (op != 0 && op != 2 && op != 3)) {
    warn("enqueue.cc:1", "the double reduces int32 by sum, min and max alone");
    return kInvalidArgument;
  }
  const auto reduction = op == 0 ? Reduction::Sum : op == 2 ? Reduction::Max : Reduction::Min;
  return comm->all_reduce(from, to, count, reduction, stream);
}
