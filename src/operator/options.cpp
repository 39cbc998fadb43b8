#include "operator/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/result.h"

namespace rollcall::operator_ {
namespace {

using std::chrono::hours;

/// Flags as they are written, before they are checked against each other.
struct Raw {
  std::string enforcement = "deny";
  std::string certificates = "self";
  bool keep_ca_bundle = false;
  int ca_hours = 0, leaf_hours = 0, renew_hours = 0;
  double lease = 15, renew = 10, retry = 2;
};

void add_certificate_flags(CLI::App& app, Options& options, Raw& raw) {
  app.add_option(
         "--certificates", raw.certificates,
         "self = this program makes them; external = cert-manager or you, the Secrets are read and never written")
      ->check(CLI::IsMember({"self", "external"}))
      ->capture_default_str();
  app.add_flag("--keep-ca-bundle", raw.keep_ca_bundle,
               "with --certificates=external: write ca.crt of the desk's Secret into the webhook configuration all the "
               "same (one "
               "authority for both)");
  app.add_option("--webhook-service", options.webhook_service,
                 "name of the webhook's Service; none = there is no webhook")
      ->capture_default_str();
  app.add_option("--webhook-configuration", options.webhook_configurations,
                 "ValidatingWebhookConfiguration whose caBundle is kept true; repeatable")
      ->capture_default_str();
  app.add_option("--ca-validity-hours", raw.ca_hours, "how long an authority is good (8760)")
      ->check(CLI::Range(1, 24 * 365 * 20));
  app.add_option("--leaf-validity-hours", raw.leaf_hours, "how long a server's certificate is good (2160)")
      ->check(CLI::Range(1, 24 * 365 * 20));
  app.add_option("--renew-before-hours", raw.renew_hours,
                 "how long before its end a server's certificate is replaced (a third of its validity)")
      ->check(CLI::Range(1, 24 * 365 * 20));
}

void add_leader_flags(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("--leader-elect", options.leader_elect, "one of several operators acts; false = this one always does")
      ->capture_default_str();
  app.add_option("--lease-duration", raw.lease, "seconds after which a silent leader is replaced")
      ->capture_default_str();
  app.add_option("--renew-deadline", raw.renew, "seconds without renewal after which a leader ends itself")
      ->capture_default_str();
  app.add_option("--retry-period", raw.retry, "seconds between two tries")->capture_default_str();
}

/// Also keeps out what a flag without a value swallows: `--webhook-service= --workers=3` gives it the name
/// `--workers=3`.
Status check_service(const std::string& flag, const std::string& name) {
  const bool good = !name.empty() && name.size() <= 63 && name.front() >= 'a' && name.front() <= 'z' &&
                    name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (good) return Done{};
  return Error{flag + ": `" + name + "` is no name of a Service: up to 63 of a-z, 0-9 and -, a letter first"};
}

Status take(const Raw& raw, Options& options) {
  if (!options.remove_webhooks.empty()) return Done{};
  if (options.ns.empty()) return Error{"--namespace is needed: Rollcall's own namespace"};
  if (options.probe_image.empty())
    return Error{"--probe-image is needed: the image of the installer that is put into every pod"};
  if (const auto named = check_service("--desk-service", options.desk_service); !named) return named;
  if (options.webhook_service == "none") options.webhook_service.clear();
  if (const auto named = check_service("--webhook-service", options.webhook_service);
      !named && !options.webhook_service.empty())
    return named;
  options.rules_refuse = raw.enforcement == "deny";
  options.external_certificates = raw.certificates == "external";
  options.keep_ca_bundle = !options.external_certificates || raw.keep_ca_bundle;
  auto& life = options.lifetimes;
  if (raw.ca_hours > 0) life.authority = hours(raw.ca_hours);
  if (raw.leaf_hours > 0) life.leaf = hours(raw.leaf_hours);
  life.renew_before = raw.renew_hours > 0 ? hours(raw.renew_hours) : std::max(hours(1), life.leaf / 3);
  if (raw.renew_hours > 0 && life.renew_before >= life.leaf)
    return Error{"--renew-before-hours=" + std::to_string(life.renew_before.count()) +
                 " is not below --leaf-validity-hours=" + std::to_string(life.leaf.count()) +
                 ": a certificate would be replaced as soon as it is made"};
  if (life.leaf > life.authority)
    return Error{"--leaf-validity-hours=" + std::to_string(life.leaf.count()) + " is above --ca-validity-hours=" +
                 std::to_string(life.authority.count()) + ": no certificate outlives its authority"};
  const auto ms = [](double seconds) { return std::chrono::milliseconds(static_cast<long>(seconds * 1000)); };
  options.lease = {ms(raw.lease), ms(raw.renew), ms(raw.retry)};
  if (options.leader_elect) return check(options.lease);
  return Done{};
}

}  // namespace

std::variant<Options, int> options_from(int argc, const char* const* argv) {
  Options options;
  Raw raw;
  CLI::App app("Makes pods and RollCalls of TrainingJobs and acts on the verdicts of the desk.", "rollcall-operator");
  app.add_option("--namespace", options.ns, "Rollcall's own namespace; needed");
  app.add_option("--probe-image", options.probe_image, "image of the installer that is put into every pod; needed");
  app.add_option("--bundled-probe-image", options.bundled_probe_image,
                 "the same with NCCL, for jobs with rollCall.nccl: Bundled; without it they fail");
  app.add_option("--probe-image-pull-policy", options.probe_image_pull_policy, "its pull policy")
      ->check(CLI::IsMember({"Always", "IfNotPresent", "Never"}));
  app.add_option("--health-port", options.health_port, "plain HTTP: /healthz, /readyz")->capture_default_str();
  app.add_option("--metrics-port", options.metrics_port, "plain HTTP: /metrics; 0 = not served")->capture_default_str();
  app.add_option("--kubeconfig", options.kubeconfig, "to run outside the cluster")->check(CLI::ExistingFile);
  app.add_option("--desk-service", options.desk_service, "name of the desk's Service")->capture_default_str();
  app.add_option("--watch-namespace", options.watch_namespaces,
                 "act on TrainingJobs of this namespace alone, without RollcallPolicies; repeatable; none = all");
  app.add_option("--enforcement", raw.enforcement,
                 "deny: a job that the rules deny fails before a pod is made, also where the webhook was not asked; "
                 "warn, dryrun: it is called like any other")
      ->check(CLI::IsMember({"deny", "warn", "dryrun"}))
      ->capture_default_str();
  app.add_option("--workers", options.workers, "jobs looked at at one time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--client-qps", options.client_qps,
                 "requests a second to the API server on average; -1 = no limit of our own")
      ->capture_default_str();
  app.add_option("--client-burst", options.client_burst, "requests at once, with --client-qps")->capture_default_str();
  app.add_option("--remove-webhooks", options.remove_webhooks,
                 "remove the ValidatingWebhookConfiguration of this name and end: before an uninstall");
  add_certificate_flags(app, options, raw);
  add_leader_flags(app, options, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  if (const auto taken = take(raw, options); !taken) {
    std::fprintf(stderr, "rollcall-operator: %s\n", taken.error().message.c_str());
    return 2;
  }
  return options;
}

}  // namespace rollcall::operator_
