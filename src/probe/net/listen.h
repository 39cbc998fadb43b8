#pragma once

#include "base/result.h"
#include "probe/net/fd.h"

namespace rollcall::probe {

struct Listener {
  Fd fd;
  int port = 0;
};

/// Listens on every address as torch's rendezvous does: the IPv6 dual-stack wildcard first, then the IPv4 one, always
/// with SO_REUSEADDR. Without it a former connection in TIME_WAIT looks like a busy port, and our own would block the
/// trainer for 60 s. `port` 0 lets the kernel choose. The socket is non-blocking. Error.code is errno's name
/// (EADDRINUSE, EACCES, …).
Result<Listener> listen_everywhere(int port, int backlog);

/// Closing sends a reset instead of leaving TIME_WAIT behind on this side.
void close_by_reset(Fd& fd);

}  // namespace rollcall::probe
