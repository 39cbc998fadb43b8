#include "probe/facts/child.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "api/names.h"
#include "probe/children/child.h"
#include "probe/children/process.h"
#include "probe/facts/image.h"
#include "probe/facts/node.h"
#include "probe/net/address.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// Three lines of the largest answer: more is not ours.
constexpr std::size_t kMaxOutput = 3 * roll_call::kMaxAnswerBytes;

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void print(const roll_call::LocalFacts& facts) {
  roll_call::Answer answer;
  answer.pod_uid = answer.boot_nonce = "facts";  // an answer has both; the parent takes the facts alone
  answer.facts = facts;
  std::puts(roll_call::to_json(answer).c_str());
  std::fflush(stdout);
}

/// The last whole line that is an answer with facts.
std::optional<roll_call::LocalFacts> last_facts(std::string_view output) {
  std::optional<roll_call::LocalFacts> facts;
  while (true) {
    const auto end = output.find('\n');
    if (end == std::string_view::npos) return facts;
    if (auto answer = roll_call::answer_from(output.substr(0, end)); answer && answer->facts)
      facts = std::move(answer->facts);
    output.remove_prefix(end + 1);
  }
}

}  // namespace

int print_facts() {
  const ImageView image{"", environment};
  roll_call::LocalFacts facts;
  facts.gpu_resource = environment(api::names::kEnvGpuResource).value_or("");
  const auto gpus = environment(api::names::kEnvGpus).value_or("0");
  std::from_chars(gpus.data(), gpus.data() + gpus.size(), facts.gpus_requested);  // checked by the parent's settings
  facts.conf_files = hash_conf_files(image);
  print(facts);
  facts.libraries = find_libraries(image);
  print(facts);
  read_gpu_facts(facts, "/dev", "/proc");
  print(facts);
  return 0;
}

ChildFacts read_facts_in_child(const std::string& self, const Environment& environment, std::chrono::milliseconds limit,
                               const Wake& cancel) {
  std::string output;
  ProgramListener listener;
  listener.out = [&](std::string_view piece) {
    if (output.size() < kMaxOutput) output += piece;
  };
  const auto end = run(Program{self, {"rollcall-probe", "facts"}, environment}, limit, cancel, listener);
  ChildFacts result;
  auto facts = last_facts(output);
  const bool told = facts.has_value();
  if (told) result.facts = std::move(*facts);
  switch (end.how) {
    case End::How::NotStarted:
      result.trouble = text("starting a child to read the image's files: ", errno_words(end.error));
      break;
    case End::How::Stuck:
      result.trouble =
          "reading the image's files or opening a GPU hangs in the kernel (a file system or driver call that cannot be "
          "ended); the node needs attention";
      break;
    case End::How::Deadline:
    case End::How::Cancelled:
      result.trouble = text("reading the image's files was not done within ", limit.count() / 1000,
                            " s; what was found until then is told");
      break;
    case End::How::Signalled:
      result.trouble = "the child that reads the image's files was ended by " + signal_name(end.code);
      break;
    case End::How::Exited:
      if (end.code != 0) {
        result.trouble = text("the child that reads the image's files ended with status ", end.code);
      } else if (!told) {
        result.trouble = "the child that reads the image's files printed nothing that can be read";
      }
      break;
  }
  return result;
}

}  // namespace rollcall::probe
