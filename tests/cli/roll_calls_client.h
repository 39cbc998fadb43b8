#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kube/client.h"

namespace rollcall::cli {

/// Answers one list; anything else than RollCalls is a failure of the test: the verb may need no other right.
class RollCalls : public kube::Client {
 public:
  kube::Reply answer = kube::Json{{"items", kube::Json::array()}};
  std::string asked_namespace;

  kube::Reply list(const kube::Resource& resource, std::string_view ns,
                   const std::map<std::string, std::string>&) override {
    EXPECT_EQ(resource.plural, "rollcalls");
    asked_namespace = ns;
    return answer;
  }
  kube::Reply get(const kube::Resource&, std::string_view, std::string_view) override { return other(); }
  kube::Reply create(const kube::Resource&, std::string_view, const kube::Json&, const kube::WriteOptions&) override {
    return other();
  }
  kube::Reply replace(const kube::Resource&, std::string_view, std::string_view, const kube::Json&,
                      const kube::WriteOptions&) override {
    return other();
  }
  kube::Reply replace_status(const kube::Resource&, std::string_view, std::string_view, const kube::Json&) override {
    return other();
  }
  kube::Reply merge_patch(const kube::Resource&, std::string_view, std::string_view, const kube::Json&,
                          std::string_view) override {
    return other();
  }
  kube::Reply remove(const kube::Resource&, std::string_view, std::string_view, const kube::DeleteOptions&) override {
    return other();
  }
  kube::Reply raw_get(const std::string&) override { return other(); }
  Result<std::string> raw_text(const std::string&) override { return Error{"not asked for"}; }
  std::optional<kube::ApiError> watch(const kube::Resource&, std::string_view,
                                      const std::map<std::string, std::string>&,
                                      const std::function<void(kube::WatchEvent)>&,
                                      const std::function<bool()>&) override {
    ADD_FAILURE() << "a watch";
    return std::nullopt;
  }

 private:
  static kube::Reply other() {
    ADD_FAILURE() << "something else than a list of RollCalls";
    return kube::ApiError{403, "Forbidden", "no", 0};
  }
};

inline kube::Json roll_call(const std::string& job, int attempt, const std::string& created) {
  return {{"metadata",
           {{"name", "tj-" + job + "-" + std::to_string(attempt)},
            {"namespace", "team-a"},
            {"uid", "u"},
            {"creationTimestamp", created}}},
          {"spec",
           {{"job", {{"apiVersion", "rollcall.dev/v1alpha1"}, {"kind", "TrainingJob"}, {"name", job}, {"uid", "j"}}},
            {"attempt", attempt},
            {"roster", {{{"nodeRank", 0}, {"pod", job + "-0-1"}, {"uid", "p"}}}}}},
          {"status", {{"stage", "Gathering"}, {"message", "attempt " + std::to_string(attempt) + " of " + created}}}};
}

}  // namespace rollcall::cli
