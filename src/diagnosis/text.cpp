#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "diagnosis/cause.h"

namespace rollcall::diagnosis {
namespace {

/// Fragments in lower case that all must occur; a row with one fragment leaves the other empty.
struct Row {
  std::array<std::string_view, 2> fragments;
  Cause cause;
};

constexpr Cause kRdmaPath{
    "rdma/retries-exceeded", "the peer did not acknowledge what was sent over RDMA",
    "The path between the two nodes is broken for RDMA, or the peer died before: look at the peer's log first, then at "
    "cables, the RoCE GID index, PFC and the switch between them",
    "network"};
constexpr Cause kRdmaMemory{"rdma/memory-access", "the NIC could not reach the memory that was registered for it",
                            "GPUDirect RDMA is in doubt: look at nvidia-peermem or dma-buf on both nodes, at ACS, and "
                            "try NCCL_NET_GDR_LEVEL=LOC",
                            "node"};
constexpr Cause kVersions{"nccl/versions-differ", "the ranks run different NCCL versions or settings",
                          "Give every node the same image, by digest, and every rank the same NCCL settings", "job"};
constexpr Cause kSharedGpu{"nccl/duplicate-gpu", "two ranks use the same GPU",
                           "Look at CUDA_VISIBLE_DEVICES, LOCAL_RANK and the number of processes a node: each process "
                           "needs a GPU of its own",
                           "job"};
constexpr Cause kNoNet{"nccl/no-network", "the network that NCCL was told to use cannot be used here",
                       "Look at NCCL_NET and NCCL_NET_PLUGIN, and whether the RDMA devices and the plugin are in the "
                       "container: without the setting the job would fall back to TCP",
                       "job"};
constexpr Cause kHostMemory{
    "cuda/host-memory", "CUDA could not get host memory that GPU and CPU share",
    "The container blocks NUMA system calls or cuMem: allow get_mempolicy and mbind (CAP_SYS_NICE), or set "
    "NCCL_CUMEM_HOST_ENABLE=0",
    "job"};
constexpr Cause kShm{"nccl/shared-memory", "/dev/shm is too small for NCCL's segments",
                     "Mount an emptyDir of medium Memory at /dev/shm in the trainer's container", "job"};
constexpr Cause kNotBindable{"nccl/address-not-bindable",
                             "NCCL chose an address that cannot be bound, an IPv6 link-local one as a rule",
                             "Set NCCL_SOCKET_FAMILY=AF_INET, or NCCL_SOCKET_IFNAME to the interface of the pod's "
                             "address",
                             "job"};
constexpr Cause kNoRoute{"network/no-route", "the network knows no way to the peer",
                         "Look at routes and at the firewall between the two nodes (one that rejects answers like "
                         "this, too)",
                         "network"};
constexpr Cause kPeerDied{"network/peer-died", "the peer closed the connection: its process has ended",
                          "Look at the log of the rank that ended first; this one only noticed", "job"};
constexpr Cause kDropped{"network/dropped", "the connection was not answered",
                         "Something on the way drops it: NetworkPolicy, security group, firewall, or the peer is gone",
                         "network"};

/// From the specific to the general: the first row that matches wins. Wording seen in NCCL 2.14 to 2.32
/// (misc/socket.cc, bootstrap.cc, init.cc, transport/net_ib*), libibverbs' names of work completion statuses, strerror.
constexpr Row kTable[] = {
    {{"mismatched nccl version", ""}, kVersions},
    {{"message truncated", ""}, kVersions},
    {{"mismatch in info from procs", ""},
     {"nccl/world-size-differs", "the ranks were started with different world sizes",
      "Look at WORLD_SIZE, NNODES and the processes a node of every rank", "job"}},
    {{"has already checked in", ""},
     {"nccl/duplicate-rank", "two processes claim the same rank",
      "Look at RANK and NODE_RANK: a pod of a former run may still be alive", "job"}},
    {{"duplicate gpu detected", ""}, kSharedGpu},
    {{"multiple ranks are using the same gpu", ""}, kSharedGpu},
    {{"no socket interface found", ""},
     {"nccl/no-interface", "NCCL finds no network interface that its settings allow",
      "Compare NCCL_SOCKET_IFNAME and NCCL_SOCKET_FAMILY with the interfaces of the node", "job"}},
    {{"no usable listening interface", ""},
     {"nccl/comm-id", "the address in NCCL_COMM_ID is in none of the node's networks",
      "Remove NCCL_COMM_ID: the launcher hands NCCL its address", "job"}},
    {{"cannot assign requested address", ""}, kNotBindable},
    {{"call to bind failed", ""}, kNotBindable},
    {{"network ib not found", ""}, kNoNet},
    {{"failed to initialize any net plugin", ""}, kNoNet},
    {{"net/ib : no device found", ""},
     {"rdma/no-device", "NCCL sees no RDMA device in the container",
      "Look at the pod's RDMA resource, and at /dev/infiniband and libibverbs in the container", "job"}},
    {{"got completion", "retry_exc_err"}, kRdmaPath},
    {{"got completion", "error 12"}, kRdmaPath},
    {{"got completion", "status=12"}, kRdmaPath},
    {{"got completion", "loc_prot_err"}, kRdmaMemory},
    {{"got completion", "rem_access_err"}, kRdmaMemory},
    {{"got completion", "rem_op_err"}, kRdmaMemory},
    {{"got completion", "error 4"}, kRdmaMemory},
    {{"got completion", "error 10"}, kRdmaMemory},
    {{"got completion", "error 11"}, kRdmaMemory},
    {{"got completion", "status=4"}, kRdmaMemory},
    {{"got completion", "status=10"}, kRdmaMemory},
    {{"got completion", "status=11"}, kRdmaMemory},
    {{"local protection", ""}, kRdmaMemory},
    {{"shared memory", "/dev/shm/nccl-"}, kShm},
    {{"/dev/shm/nccl-", "no space left"}, kShm},
    {{"failed to cuda host alloc", ""}, kHostMemory},
    {{"cumemcreate", ""}, kHostMemory},
    {{"driver version is insufficient", ""},
     {"cuda/no-usable-driver", "there is no GPU here, or its driver is older than the library needs",
      "Look at the GPU stage: does CUDA see the GPUs, and which CUDA does the driver support?", "node"}},
    {{"connection refused", ""},
     {"network/refused", "nothing listens there, or a firewall rejects the connection",
      "Look whether the peer died before; if not, at the firewall and the NetworkPolicy between the two nodes",
      "network"}},
    {{"no route to host", ""}, kNoRoute},
    {{"network is unreachable", ""}, kNoRoute},
    {{"connection timed out", ""}, kDropped},
    {{"connection reset by peer", ""}, kPeerDied},
    {{"connection closed by remote peer", ""}, kPeerDied},
};

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// "error 1" is not found in "error 12".
bool occurs(std::string_view fragment, std::string_view text) {
  if (fragment.empty()) return true;
  for (auto at = text.find(fragment); at != std::string_view::npos; at = text.find(fragment, at + 1)) {
    const auto end = at + fragment.size();
    if (!digit(fragment.back()) || end == text.size() || !digit(text[end])) return true;
  }
  return false;
}

}  // namespace

const Cause* cause_of_text(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  for (const Row& row : kTable) {
    if (std::all_of(row.fragments.begin(), row.fragments.end(),
                    [&](std::string_view fragment) { return occurs(fragment, lowered); }))
      return &row.cause;
  }
  return nullptr;
}

}  // namespace rollcall::diagnosis
