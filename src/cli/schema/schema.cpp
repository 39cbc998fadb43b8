#include "cli/schema/schema.h"

#include <string>
#include <utility>

#include "cli/schema/crds.h"
#include "launch/document/document.h"

namespace rollcall::cli {
namespace {

using Json = nlohmann::json;

Json converted(const Json& open_api);

Json converted_properties(const Json& properties) {
  Json out = Json::object();
  for (const auto& [name, property] : properties.items()) out[name] = converted(property);
  return out;
}

/// OpenAPI as a CRD has it to JSON Schema. Kubernetes' extensions have no meaning to an editor; what they allow is said
/// in the schema's own words.
Json converted(const Json& open_api) {
  Json out = Json::object();
  for (const char* kept : {"type", "description", "default", "enum", "required", "minimum", "maximum", "minLength",
                           "maxLength", "pattern", "minItems", "maxItems", "maxProperties"}) {
    if (open_api.contains(kept)) out[kept] = open_api[kept];
  }
  if (open_api.value("x-kubernetes-int-or-string", false)) out["type"] = {"integer", "string"};
  if (open_api.value("x-kubernetes-list-type", "") == "set") out["uniqueItems"] = true;
  if (open_api.contains("items")) out["items"] = converted(open_api["items"]);
  if (open_api.contains("properties")) {
    out["properties"] = converted_properties(open_api["properties"]);
    if (!open_api.value("x-kubernetes-preserve-unknown-fields", false)) out["additionalProperties"] = false;
  }
  if (open_api.contains("additionalProperties"))
    out["additionalProperties"] = converted(open_api["additionalProperties"]);
  return out;
}

struct Crd {
  std::string kind;
  std::string api_version;
  Json schema;  ///< openAPIV3Schema
};

Result<Crd> crd_of(std::string_view plural) {
  Result<Crd> crd = Error{"no definition of " + std::string(plural) + " is built in"};
  const Status read = launch::read_documents(crd_text(plural), [&](const launch::Document& document) {
    const Json& spec = document.value.at("spec");
    const Json& version = spec.at("versions").at(0);
    crd = Crd{spec.at("names").at("kind"),
              spec.at("group").get<std::string>() + "/" + version.at("name").get<std::string>(),
              version.at("schema").at("openAPIV3Schema")};
  });
  if (!read.ok()) return read.error();
  return crd;
}

Json of_object(const Crd& crd) {
  Json out = converted(crd.schema);
  out["properties"]["apiVersion"] = {{"const", crd.api_version}};
  out["properties"]["kind"] = {{"const", crd.kind}};
  out["properties"]["metadata"] = {{"type", "object"}, {"required", {"name"}}};
  out["properties"].erase("status");  // the operator's to write
  out["required"] = {"apiVersion", "kind", "metadata", "spec"};
  out["title"] = crd.kind;
  return out;
}

Json of_config(const Crd& crd) {
  Json out = converted(crd.schema.at("properties").at("spec"));
  out["properties"].erase("namespaceSelector");  // a file of one repository is for all that is linted with it
  out["title"] = ".rollcall.yaml";
  out["description"] = "What rollcall lint does otherwise than by default: the spec of a RollcallPolicy.";
  return out;
}

}  // namespace

Result<Json> schema_of(std::string_view name) {
  const auto crd = crd_of(name == "trainingjob" ? "trainingjobs" : "rollcallpolicies");
  if (!crd.ok()) return crd.error();
  Json out = name == "config" ? of_config(*crd) : of_object(*crd);
  out["$schema"] = "http://json-schema.org/draft-07/schema#";
  return out;
}

}  // namespace rollcall::cli
