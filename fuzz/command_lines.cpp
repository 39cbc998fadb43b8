#include <nlohmann/json.hpp>
#include <string>

#include "finding/finding.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "launch/check.h"

// A trainer's command: the first byte chooses the form (script of `bash -c`, or exec form with a word a line). Whatever
// it is, the rules end, say the same twice, and every finding has its rule, words and place.
namespace rollcall::fuzz {
namespace {

using nlohmann::json;

json words_of(std::string_view text) {
  json words = json::array();
  while (!text.empty() && words.size() < 64) {
    const auto end = text.find('\n');
    words.push_back(std::string(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

json job_with(json command, json args) {
  return {{"apiVersion", "rollcall.dev/v1alpha1"},
          {"kind", "TrainingJob"},
          {"metadata", {{"name", "fuzz"}}},
          {"spec",
           {{"nnodes", 2},
            {"template",
             {{"spec",
               {{"containers",
                 {{{"name", "trainer"},
                   {"image", "trainer:1"},
                   {"env", {{{"name", "N"}, {"value", "8"}}}},
                   {"command", std::move(command)},
                   {"args", std::move(args)},
                   {"resources", {{"limits", {{"nvidia.com/gpu", 8}}}}}}}}}}}}}}};
}

}  // namespace

void fuzz_command_lines(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool script = bytes.front() % 2 == 0;
  bytes.remove_prefix(1);
  const json job =
      script ? job_with({"bash", "-c", std::string(bytes)}, json::array()) : job_with({"torchrun"}, words_of(bytes));
  const Findings findings = launch::check_object(job);
  for (const Finding& finding : findings) {
    must(!finding.rule.empty() && !finding.message.empty(), "a finding has a rule and words");
    must(!sentence(finding).empty(), "a finding can be said");
  }
  must(to_json(findings) == to_json(launch::check_object(job)), "the same job is judged the same twice");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(command_lines);
