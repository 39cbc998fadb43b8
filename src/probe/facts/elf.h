#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace rollcall::probe {

/// What a shared object says of itself, read from its headers and notes alone; the file is never loaded.
struct ElfFacts {
  std::string build_id;      ///< hex; empty = none
  std::string nccl_version;  ///< from "NCCL version 2.27.5+cuda12.9" in the read-only data; empty = no such text
};

/// An Error when the file cannot be read or is no 64-bit little-endian ELF file. `find_nccl_version` reads up to 64 MiB
/// of .rodata: NCCL's own is under 1 MiB, the hundreds of MiB of GPU code are elsewhere.
Result<ElfFacts> read_elf(const std::string& path, bool find_nccl_version);

/// Whether the object's dynamic symbols define `name`, rather than ask for it or do not know it. Reads its two tables
/// alone, 256 MiB of each at most: libtorch_cuda.so, the largest library there is, has under 50. Errors as above.
Result<bool> defines_symbol(const std::string& path, const std::string& name);

}  // namespace rollcall::probe
