#include "launch/rules/spec/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &spec_missing_field,     &spec_wrong_type,          &spec_out_of_range,   &spec_clash,
    &spec_no_such_container, &spec_trainer_not_decided, &spec_misspelt_field, &spec_misspelt_kind,
};

}  // namespace

std::span<const Rule* const> spec() { return kRules; }

}  // namespace rollcall::launch::rules
