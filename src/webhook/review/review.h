#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace rollcall::webhook {

/// A review's largest body: two objects (old and new) at the API server's request limit of 3 MiB, and 1 MiB for the
/// rest.
inline constexpr std::size_t kMaxReviewBytes = 7u << 20;

enum class Operation { create, update, remove, connect };

/// What is read of a request of admission.k8s.io/v1. Of the objects only what rules can read: `apiVersion` and `kind`
/// (as request.kind has them), `spec` (of its pod templates what no rule looks into is empty, but there), and of
/// `metadata` name, generateName, namespace, labels and annotations; null = there is none.
struct Review {
  std::string uid;
  Operation operation = Operation::create;
  std::string group, version, kind;  ///< of request.kind, which the API server wrote; the object's own words decide
                                     ///< nothing
  std::string subresource;           ///< empty = the object itself
  std::string ns, name;              ///< name is empty for a create with generateName
  bool dry_run = false;
  nlohmann::json object, old_object;
  bool old_deleting = false;  ///< the old object has a deletionTimestamp: stored, so the API server wrote it. The new
                              ///< object's is not read: a client could have written it
  std::string owner = {};     ///< kind of the owner that is the (new) object's controller; empty = nobody made it but
                              ///< who asks
};

/// Codes of read_review's errors.
inline constexpr auto kNotAReview = "not-a-review";  ///< no JSON, another version, a field missing or twice: 400
inline constexpr auto kOverBudget = "over-budget";   ///< deeper or larger than rules are asked about: 413

/// Reads a review in one pass, without building what no rule reads. Depth and number of values that are kept are
/// bounded by launch/document/limits.h; a key that stands twice in what is kept is an error, because two readers could
/// see two objects. `body` is used up. Any thread; pure but for buffers that each thread keeps.
Result<Review> read_review(std::string body);

}  // namespace rollcall::webhook
