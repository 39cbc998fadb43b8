#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "kube/reflector.h"
#include "serve/server.h"
#include "telemetry/registry.h"

/// The two plain-HTTP ports of every program. They carry nothing secret and take nothing in; kubelets and Prometheus
/// ask them.
namespace rollcall::telemetry {

/// Why not, in words; nullopt = yes. Called on the server's thread: must not block. May be empty: always yes.
using Check = std::function<std::optional<std::string>()>;

/// For `ready`: which of the named lists is not read yet, and why; nullopt = all are.
std::optional<std::string> unread(std::initializer_list<std::pair<const char*, const kube::Reflector*>> lists);

/// GET /readyz (`ready`) and /healthz (`alive`): 200, or 503 with the words. `port` 0 = any free one. What the checks
/// look at has to live until the server is stopped.
Result<std::unique_ptr<serve::Server>> serve_health(std::uint16_t port, Check ready, Check alive = {});

/// GET /metrics. `registry` must outlive the server.
Result<std::unique_ptr<serve::Server>> serve_metrics(std::uint16_t port, const Registry& registry);

}  // namespace rollcall::telemetry
