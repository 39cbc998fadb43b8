#pragma once

#include <nccl.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "child/driver/library.h"

namespace rollcall::child {

/// ncclConfig_t as of NCCL 2.17, which later releases accept by its size and version; see driver/layout.cpp. A longer
/// one would have to know the release it speaks to. Since 48 bytes end in padding that 2.26 reads as trafficClass,
/// never that.
struct NcclConfig {
  std::size_t size = 40;
  unsigned int magic = NCCL_API_MAGIC;
  unsigned int version = 21700;
  int blocking = 0;
  int cga_cluster_size = NCCL_CONFIG_UNDEF_INT;
  int min_ctas = NCCL_CONFIG_UNDEF_INT;
  int max_ctas = NCCL_CONFIG_UNDEF_INT;
  const char* net_name = nullptr;  ///< an error in place of another transport; only when the user writes one

  /// For 2.14 to 2.16: their own 24 bytes.
  static NcclConfig of_2_14() {
    NcclConfig config;
    config.size = 24;
    config.version = 21400;
    return config;
  }
};

/// The job's libnccl (or librccl: the same functions), as far as the child calls it. Types are nccl.h's.
struct Nccl {
  Library library;

  ncclResult_t (*get_version)(int* version) = nullptr;
  const char* (*get_error_string)(ncclResult_t result) = nullptr;
  ncclResult_t (*get_unique_id)(ncclUniqueId* id) = nullptr;
  ncclResult_t (*comm_init_rank)(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank) = nullptr;
  ncclResult_t (*comm_destroy)(ncclComm_t comm) = nullptr;
  ncclResult_t (*comm_abort)(ncclComm_t comm) = nullptr;
  ncclResult_t (*comm_get_async_error)(ncclComm_t comm, ncclResult_t* result) = nullptr;
  ncclResult_t (*all_reduce)(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t operation,
                             ncclComm_t comm, cudaStream_t stream) = nullptr;
  ncclResult_t (*group_start)() = nullptr;
  ncclResult_t (*group_end)() = nullptr;

  const char* (*get_last_error)(ncclComm_t comm) = nullptr;  ///< null before 2.13; ignores its argument
  /// Null before 2.14: then comm_init_rank blocks, and only a kill ends it.
  ncclResult_t (*comm_init_rank_config)(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank,
                                        NcclConfig* config) = nullptr;
  ncclResult_t (*comm_finalize)(ncclComm_t comm) = nullptr;  ///< null before 2.14
  ncclResult_t (*send)(const void* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                       cudaStream_t stream) = nullptr;  ///< null before 2.7
  ncclResult_t (*recv)(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                       cudaStream_t stream) = nullptr;  ///< null before 2.7

  int version = 0;  ///< of ncclGetVersion: 22705

  /// `path`: a file, or a name the loader looks for. An Error: Library::open's codes, or "incomplete" when it lacks a
  /// function that every release since 2.4 has, or when ncclGetVersion fails.
  static Result<Nccl> load(const std::string& path);

  /// What the library says of `result`: "ncclInvalidUsage: invalid usage (…)", then its last error when it has one.
  std::string words_for(ncclResult_t result) const;
};

/// "ncclSystemError"; "ncclResult_t 12" of one that nccl.h does not know.
std::string nccl_result_name(int result);

/// 22705 → "2.27.5"; 2804 → "2.8.4" (releases up to 2.8 count in thousands).
std::string nccl_version_text(int version);

}  // namespace rollcall::child
