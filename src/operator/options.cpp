#include "operator/options.h"

#include <CLI/CLI.hpp>

namespace rollcall::operator_ {

std::variant<Options, int> options_from(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Makes pods and RollCalls of TrainingJobs and acts on the verdicts of the desk.", "rollcall-operator");
  app.add_option("--namespace", options.ns, "Rollcall's own namespace")->required();
  app.add_option("--probe-image", options.probe_image, "image of the installer that is put into every pod")->required();
  app.add_option("--probe-image-pull-policy", options.probe_image_pull_policy, "its pull policy")
      ->check(CLI::IsMember({"Always", "IfNotPresent", "Never"}));
  app.add_option("--health-port", options.health_port, "plain HTTP: /healthz, /readyz, /metrics")
      ->capture_default_str();
  app.add_option("--kubeconfig", options.kubeconfig, "to run outside the cluster")->check(CLI::ExistingFile);
  app.add_option("--desk-service", options.desk_service, "name of the desk's Service")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return options;
}

}  // namespace rollcall::operator_
