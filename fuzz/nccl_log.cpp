#include "child/nccl_log/nccl_log.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

// NCCL's log, which plugins and the network's other end write into. In pieces it says the same as in one.
namespace rollcall::fuzz {
namespace {

bool alike(const child::NcclLog& a, const child::NcclLog& b) {
  return a.network() == b.network() && a.provider() == b.provider() && a.devices() == b.devices() &&
         a.transport() == b.transport() && a.gdr() == b.gdr() && a.error() == b.error();
}

}  // namespace

void fuzz_nccl_log(std::string_view bytes) {
  child::NcclLog whole;
  whole.read(bytes);
  child::NcclLog pieces;
  constexpr std::size_t kPiece = 7;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) pieces.read(bytes.substr(at, kPiece));
  must(alike(whole, pieces), "a log in pieces says what the whole says");
  must(whole.warned() || whole.error().empty(), "an error was warned of");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(nccl_log);
