#include "launch/patch.h"
#include "launch/rules/world/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& size = launch.world_size;
    if (!size.known() || !role.nodes.known() || !role.processes_per_node.known()) continue;
    const int product = *role.nodes * *role.processes_per_node;
    if (*size == product) continue;
    judgement.add(world_size_is_not_the_product, size.path())
        .wrong("{} ranks are asserted, but {} nodes with {} processes each make {}.", *size, *role.nodes,
               *role.processes_per_node, product)
        .instead("Write {}, or change nnodes or nprocPerNode.", product)
        .patch(replace_patch(size.path(), product));
  }
}

}  // namespace

const Rule world_size_is_not_the_product{
    .id = "world/size-is-not-the-product",
    .severity = Severity::deny,
    .title = "worldSize is not nnodes x nprocPerNode",
    .why =
        "The world has nnodes x nprocPerNode ranks. Whoever wrote another number expects ranks that never come, or "
        "counts some twice, and the batch size and the data shards go with it.",
    .wrong = "worldSize: 16 with nnodes: 4 and nprocPerNode: 8",
    .right = "worldSize: 32 with nnodes: 4 and nprocPerNode: 8",
    .check = check,
};

}  // namespace rollcall::launch::rules
