#pragma once

#include <chrono>
#include <string>

#include "probe/children/process.h"
#include "probe/net/wake.h"
#include "roll_call/messages.h"

/// Files of the image may lie on a network or FUSE file system that never answers, and opening a device can hang in its
/// driver; a thread in such a call cannot be ended. So they are read by a child process, which can be left behind.
namespace rollcall::probe {

/// The child's side: reads what may hang and prints it to stdout, one Answer with facts a line, each fuller than the
/// one before.
int print_facts();

struct ChildFacts {
  roll_call::LocalFacts facts;  ///< as much as the child came to
  std::string trouble;          ///< why it is not all; empty when it is
};

/// Runs `SELF facts` in `environment` and waits at most `limit` for it; ends it early when `cancel` is notified.
ChildFacts read_facts_in_child(const std::string& self, const Environment& environment, std::chrono::milliseconds limit,
                               const Wake& cancel);

}  // namespace rollcall::probe
