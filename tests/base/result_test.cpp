#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace rollcall {
namespace {

TEST(Result, HoldsAValueOrAnErrorNeverBoth) {
  const Result<int> value = 7;
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  const Result<int> error = Error{"no such file", "ENOENT"};
  EXPECT_FALSE(error);
  EXPECT_EQ(error.error().code, "ENOENT");
  EXPECT_THROW(static_cast<void>(error.value()), std::bad_variant_access);
}

TEST(Result, AValueOfTypeErrorIsStillAnErrorOnlyByIndex) {
  const Result<std::string> value = std::string("text");
  EXPECT_EQ(value->size(), 4U);
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> value = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(value).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Error, ContextStandsInFrontAndTheCodeStays) {
  const Error error = Error{"no such file", "ENOENT"}.in("reading kubeconfig");
  EXPECT_EQ(error.message, "reading kubeconfig: no such file");
  EXPECT_EQ(error.code, "ENOENT");
}

}  // namespace
}  // namespace rollcall
