#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What ranks add up, and what must come out. Pure.
///
/// `ByRank`: every value is rank + 1, so a rank that is missing or counted twice changes all sums. `ByOffset`: values
/// differ from place to place too, so data that lands elsewhere shows. Sums stay within int32 up to 60,000 ranks.
namespace rollcall::child {

enum class Pattern { ByRank, ByOffset };

std::vector<std::int32_t> pattern(Pattern kind, int rank, std::size_t count);

/// Empty: `values`, which begin at `offset` of the buffer, are the sum over `nranks`. Else where it is wrong first, and
/// how many are: "value 5 of 1024 is 7, must be 10 (3 values are wrong)".
std::string wrong_values(Pattern kind, int nranks, const std::vector<std::int32_t>& values, std::size_t offset,
                         std::size_t total);

}  // namespace rollcall::child
