#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "probe/exchange/wire.h"
#include "probe/net/wake.h"
#include "roll_call/messages.h"

namespace rollcall::probe {

struct ExchangeTarget {
  int to = 0;           ///< node rank
  std::string address;  ///< literal IP
  int port = 0;
};

struct ExchangeResult {
  roll_call::EdgeOutcome outcome = roll_call::EdgeOutcome::Ok;
  double milliseconds = 0;   ///< from connect to the end
  std::string detail;        ///< empty when Ok
  std::size_t bytes = 0;     ///< of the payload that went both ways
  int retransmits = 0;       ///< TCP segments that were sent again, the connection request among them
  double round_trip_ms = 0;  ///< least that the kernel measured; 0 = it does not say
};

struct ExchangeClientOptions {
  ExchangeKind kind = ExchangeKind::Mesh;
  std::string nonce;
  int node_rank = 0;              ///< our own
  std::size_t payload_bytes = 0;  ///< each way
  /// Holds the first SYN and its retransmission after 1 s; a link that needs more is no link for NCCL.
  std::chrono::milliseconds connect{3000};
  /// 128 KiB and one round trip; holds three retransmission time-outs. 4 MiB at 1 MB/s.
  std::chrono::milliseconds exchange{5000};
  std::chrono::milliseconds overall{10'000};
  int in_flight = 16;
};

/// Runs one exchange with each target, in order, at most `in_flight` at a time, in the calling thread; returns when all
/// have ended, when `overall` is over (the rest end as LocalError "not tried") or when `cancel` is notified (the rest
/// do not end). `ended(i, result)` is called once for each target that ended, in this thread.
void exchange_all(const std::vector<ExchangeTarget>& targets, const ExchangeClientOptions& options, const Wake& cancel,
                  const std::function<void(std::size_t, const ExchangeResult&)>& ended);

}  // namespace rollcall::probe
