#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "roll_call/messages.h"

// What a probe posts and what a desk answers. What was read can be written, and reading that gives the same again: else
// a new leader, which rebuilds a roll from repeated answers, would see another roll.
namespace rollcall::fuzz {

void fuzz_desk_messages(std::string_view bytes) {
  if (const auto answer = roll_call::answer_from(bytes)) {
    const auto written = roll_call::to_json(*answer);
    const auto again = roll_call::answer_from(written);
    must(again.ok(), "an answer that was read can be written and read");
    must(roll_call::to_json(*again) == written, "an answer does not change on its way");
  } else {
    must(!answer.error().message.empty(), "an answer is refused with words");
  }
  if (const auto instruction = roll_call::instruction_from(bytes)) {
    const auto written = roll_call::to_json(*instruction);
    const auto again = roll_call::instruction_from(written);
    must(again.ok(), "an instruction that was read can be written and read");
    must(roll_call::to_json(*again) == written, "an instruction does not change on its way");
    must(roll_call::same_order(*instruction, *again), "an order is the same after its way");
  }
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(desk_messages);
