#include <nlohmann/json.hpp>
#include <string>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "webhook/decide.h"
#include "webhook/review/review.h"
#include "webhook/words.h"

// A review's body, from the bytes to the answer's: refused with a code and words, or answered under its own uid; a
// refusal has words, and nothing grows beyond what the API server takes.
namespace rollcall::fuzz {

void fuzz_reviews(std::string_view bytes) {
  const auto review = webhook::read_review(std::string(bytes));
  if (!review) {
    const std::string& code = review.error().code;
    must(code == webhook::kNotAReview || code == webhook::kOverBudget, "what cannot be read is refused by name");
    must(!review.error().message.empty(), "and with words");
    return;
  }
  const webhook::Answer answer = webhook::decide(*review, launch::Policy{}, webhook::Enforcement::deny).answer;
  must(answer.allowed || !answer.message.empty(), "a refusal has words");
  must(answer.message.size() <= webhook::kRefusalBytes + webhook::kLineBytes, "a refusal is of bounded size");
  must(answer.warnings.size() <= webhook::kWarnings + 1, "a few warnings and a count");
  const auto body = nlohmann::json::parse(webhook::answer_body(review->uid, answer));
  must(body.at("response").at("allowed") == answer.allowed, "the answer says what was decided");
  must(body.at("response").at("uid").is_string(), "the answer has the review's uid");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(reviews);
