#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "launch/launch.h"

/// One reader a kind; see KindReader::read.
namespace rollcall::launch {

std::optional<Launch> read_pytorch_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_mpi_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_batch_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_job_set(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_leader_worker_set(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_volcano_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_stateful_set(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_bare_pod(const nlohmann::json& object, const Context& around);

}  // namespace rollcall::launch
