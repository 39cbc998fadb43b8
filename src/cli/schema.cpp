#include "cli/schema/schema.h"

#include <memory>
#include <ostream>
#include <string>

#include "cli/declare.h"
#include "cli/verb.h"

namespace rollcall::cli {
namespace {

constexpr Flag kFlags[] = {
    {"kind", "What the schema is of; config is .rollcall.yaml", Takes::choice, "KIND", kSchemas, false, true},
};

}  // namespace

std::span<const Flag> schema_flags() { return kFlags; }

Run declare_schema(CLI::App& command) {
  const auto kind = std::make_shared<std::string>();
  declare(command, kFlags[0], *kind);
  return [kind](Streams streams) {
    const auto schema = schema_of(*kind);
    if (!schema.ok()) {
      streams.err << "rollcall schema: " << schema.error().message << "\n";
      return kFailed;
    }
    streams.out << schema->dump(2) << "\n";
    return kOk;
  };
}

}  // namespace rollcall::cli
