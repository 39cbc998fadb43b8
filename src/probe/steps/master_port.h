#pragma once

#include <memory>
#include <string>

#include "probe/exchange/client.h"
#include "probe/exchange/server.h"
#include "roll_call/messages.h"

namespace rollcall::probe {

/// Node rank 0 on MASTER_PORT: binds as the trainer will, and answers the others' greetings until `server` is
/// destroyed.
struct MasterPort {
  roll_call::MasterPortState state;
  std::unique_ptr<ExchangeServer> server;  ///< null when not listening
};
MasterPort listen_master(int port, const std::string& nonce);

/// One connection to MASTER_PORT of node rank 0, closed by us first; blocks for 8 s at most.
roll_call::Edge reach_master(const std::string& address, int port, const std::string& nonce, int node_rank,
                             const Wake& cancel);

}  // namespace rollcall::probe
