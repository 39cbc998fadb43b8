#include "child/collective/pattern.h"

namespace rollcall::child {
namespace {

constexpr std::size_t kPeriod = 251;  // a prime, so that no buffer or chunk size of NCCL's is a multiple

std::int32_t place(std::size_t index) { return static_cast<std::int32_t>(index % kPeriod) + 1; }

std::int32_t sum(Pattern kind, int nranks, std::size_t index) {
  const std::int64_t n = nranks;
  const std::int64_t ranks = n * (n - 1) / 2;  // 0 + 1 + … + n-1
  return static_cast<std::int32_t>(kind == Pattern::ByRank ? ranks + n : ranks + n * place(index));
}

}  // namespace

std::vector<std::int32_t> pattern(Pattern kind, int rank, std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = rank + (kind == Pattern::ByRank ? 1 : place(i));
  return values;
}

std::string wrong_values(Pattern kind, int nranks, const std::vector<std::int32_t>& values, std::size_t offset,
                         std::size_t total) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != sum(kind, nranks, offset + i) && wrong++ == 0) first = i;
  if (wrong == 0) return {};
  return "value " + std::to_string(offset + first) + " of " + std::to_string(total) + " is " +
         std::to_string(values[first]) + ", must be " + std::to_string(sum(kind, nranks, offset + first)) + " (" +
         std::to_string(wrong) + (wrong == 1 ? " value is" : " values are") + " wrong)";
}

}  // namespace rollcall::child
