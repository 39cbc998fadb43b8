#include "child/collective/collective.h"

#include <unistd.h>

#include <cstdio>

#include "child/collective/session.h"

namespace rollcall::child {
namespace {

Outcome run(Session& session) {
  using Step = Outcome (Session::*)();
  for (const Step step : {&Session::load_cuda, &Session::open_device, &Session::load_nccl, &Session::unique_id,
                          &Session::allocate, &Session::join, &Session::small, &Session::large})
    if (auto fault = (session.*step)()) return fault;
  return std::nullopt;
}

}  // namespace

int run_collective(std::span<const std::string_view> arguments) {
  const auto options = collective_options(arguments);
  if (!options) {
    std::fprintf(stderr, "rollcall-probe-child collective: %s\n", options.error().message.c_str());
    return 2;
  }
  Session session(*options);
  const auto fault = run(session);
  auto& result = session.result();
  if (fault) {
    result.outcome = fault->outcome;
    result.result = fault->result;
    result.error = fault->error;
  } else {
    result.outcome = roll_call::RankOutcome::Ok;
    // A warning that did not hurt is no error of an Ok rank.
    result.error.clear();
  }
  session.tell();
  const int code = fault ? 1 : 0;
  session.leave(!fault, code);
  // Without the libraries' own destructors, which wait for threads that may hang.
  _exit(code);
}

}  // namespace rollcall::child
