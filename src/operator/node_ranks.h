#pragma once

#include <set>
#include <string>
#include <string_view>

namespace rollcall::operator_ {

/// "0,3-5": short also for thousands of node ranks that end together.
std::string node_ranks_text(const std::set<int>& ranks);

/// Reads what node_ranks_text() wrote; what is no node rank of a job is passed over.
std::set<int> node_ranks_from(std::string_view text);

}  // namespace rollcall::operator_
