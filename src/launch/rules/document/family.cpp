#include "launch/rules/document/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &document_duplicate_key,
};

}  // namespace

std::span<const Rule* const> document() { return kRules; }

}  // namespace rollcall::launch::rules
