#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "launch/launch.h"

/// One reader a kind; see KindReader::read.
namespace rollcall::launch {

std::optional<Launch> read_pytorch_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_mpi_job(const nlohmann::json& object, const Context& around);
/// kubeflow.org/v1.
std::optional<Launch> read_mpi_job_v1(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_jax_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_ray_cluster(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_ray_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_batch_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_job_set(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_leader_worker_set(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_volcano_job(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_stateful_set(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_bare_pod(const nlohmann::json& object, const Context& around);
std::optional<Launch> read_train_job(const nlohmann::json& object, const Context& around);
/// A runtime by itself: its templates, for what is wrong however a TrainJob is made of them.
std::optional<Launch> read_training_runtime(const nlohmann::json& object, const Context& around);

}  // namespace rollcall::launch
