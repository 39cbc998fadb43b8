#include <array>

#include "roll_call/stages/stage.h"

namespace rollcall::roll_call::stages {
namespace {

Order wait(const Roll&, const Pod&) { return {}; }
std::optional<TimePoint> never(const Roll&) { return std::nullopt; }

constexpr std::array<Definition, kStages> kTable{{
    {Stage::Gathering, gathering, wait, never},
    {Stage::LocalFacts, local_facts, local_facts_order, local_facts_due},
    {Stage::Comparison, comparison, wait, never},
    {Stage::Gpu, gpu, gpu_order, gpu_due},
    {Stage::Nccl, nccl, nccl_order, nccl_due},
    {Stage::MasterPort, master_port, master_port_order, master_port_due},
    {Stage::Mesh, mesh, mesh_order, mesh_due},
    {Stage::NodeCollective, node_collective, collective_stage_order, collective_stage_due},
    {Stage::JobCollective, job_collective, collective_stage_order, collective_stage_due},
    {Stage::Localisation, localisation, collective_stage_order, collective_stage_due},
    {Stage::Transport, transport, wait, never},
    {Stage::Checks, checks, checks_order, checks_due},
    {Stage::AddressSeen, address_seen, address_seen_order, address_seen_due},
}};

}  // namespace

const Definition& definition(Stage stage) { return kTable[static_cast<std::size_t>(stage)]; }

}  // namespace rollcall::roll_call::stages
