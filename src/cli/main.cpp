#include <csignal>
#include <iostream>

#include "cli/verb.h"

int main(int argc, char** argv) {
  // `rollcall lint … | head` ends quietly: a write to a closed pipe ends the process as it does other filters.
  std::signal(SIGPIPE, SIG_DFL);
  std::ios::sync_with_stdio(false);
  return rollcall::cli::run(argc, argv, {std::cin, std::cout, std::cerr});
}
