#include "child/driver/nccl.h"

#include <array>

namespace rollcall::child {

Result<Nccl> Nccl::load(const std::string& path) {
  auto library = Library::open(path);
  if (!library) return library.error();
  Nccl nccl{.library = std::move(*library)};
  const Library& from = nccl.library;
  std::string missing;
  const auto need = [&](auto& function, const char* name) {
    from.find(function, name);
    if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  need(nccl.get_version, "ncclGetVersion");
  need(nccl.get_error_string, "ncclGetErrorString");
  need(nccl.get_unique_id, "ncclGetUniqueId");
  need(nccl.comm_init_rank, "ncclCommInitRank");
  need(nccl.comm_destroy, "ncclCommDestroy");
  need(nccl.comm_abort, "ncclCommAbort");
  need(nccl.comm_get_async_error, "ncclCommGetAsyncError");
  need(nccl.all_reduce, "ncclAllReduce");
  need(nccl.group_start, "ncclGroupStart");
  need(nccl.group_end, "ncclGroupEnd");
  if (!missing.empty()) return Error{from.path() + " is no NCCL of 2.4 or later: it lacks " + missing, "incomplete"};
  from.find(nccl.get_last_error, "ncclGetLastError");
  from.find(nccl.comm_init_rank_config, "ncclCommInitRankConfig");
  from.find(nccl.comm_finalize, "ncclCommFinalize");
  from.find(nccl.send, "ncclSend");
  from.find(nccl.recv, "ncclRecv");
  const ncclResult_t result = nccl.get_version(&nccl.version);
  if (result != ncclSuccess)
    return Error{"ncclGetVersion of " + from.path() + ": " + nccl.words_for(result), "incomplete"};
  return nccl;
}

std::string Nccl::words_for(ncclResult_t result) const {
  std::string words = nccl_result_name(result);
  if (const char* text = get_error_string(result); text != nullptr) words += std::string(": ") + text;
  if (get_last_error == nullptr) return words;
  const char* last = get_last_error(nullptr);
  if (last != nullptr && last[0] != '\0') words += std::string("; ") + last;
  return words;
}

std::string nccl_result_name(int result) {
  static constexpr std::array<const char*, 9> kNames{"ncclSuccess",       "ncclUnhandledCudaError", "ncclSystemError",
                                                     "ncclInternalError", "ncclInvalidArgument",    "ncclInvalidUsage",
                                                     "ncclRemoteError",   "ncclInProgress",         "ncclTimeout"};
  if (result >= 0 && static_cast<std::size_t>(result) < kNames.size())
    return kNames.at(static_cast<std::size_t>(result));
  return "ncclResult_t " + std::to_string(result);
}

std::string nccl_version_text(int version) {
  const int major_unit = version >= 10000 ? 10000 : 1000;
  return std::to_string(version / major_unit) + "." + std::to_string(version % major_unit / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace rollcall::child
