// Each fault on three and on six nodes: how the roll call must end, whom it must blame, and that no sentence names
// anyone else. Real probes, the real state machine of the desk, faults in the kernel; no kubelets and no API server.
#include <gtest/gtest.h>

#include <algorithm>

#include "range/faults.h"

namespace rollcall::range {
namespace {

class FaultTable : public ::testing::TestWithParam<std::tuple<Fault, int>> {};

TEST_P(FaultTable, IsCalledByItsName) {
  if (const auto why = Network::unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto& [fault, nodes] = GetParam();
  if (fault.unavailable) {
    if (const auto why = fault.unavailable(); !why.empty()) GTEST_SKIP() << why;
  }
  EXPECT_EQ(play(fault, nodes), "");
}

std::string name_of(const ::testing::TestParamInfo<FaultTable::ParamType>& info) {
  return std::get<0>(info.param).name + "On" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Gpu, FaultTable,
                         ::testing::Combine(::testing::ValuesIn(gpu_faults()), ::testing::Values(3, 6)), name_of);
INSTANTIATE_TEST_SUITE_P(Network, FaultTable,
                         ::testing::Combine(::testing::ValuesIn(network_faults()), ::testing::Values(3, 6)), name_of);

}  // namespace
}  // namespace rollcall::range
