"""What every rendering must have, over a matrix of values; and what single values do."""
import re
import unittest

import chart
from chart import NAMESPACE, of_kind, pod_templates, render, the

DIGEST = "sha256:" + "ab" * 32
CIDRS = ["10.0.0.1/32", "fd00::1/128"]

# One line a case: a name, and values a person could have written.
MATRIX = {
    "defaults": {},
    "one pod each": {"replicaCount": 1},
    "many pods": {"replicaCount": 5, "webhook": {"replicas": 3}},
    "by digest from a registry": {
        "image": {"registry": "registry.example:5000", "digest": DIGEST},
        "probeImage": {"registry": "registry.example:5000/mirror", "digest": DIGEST},
        "imagePullSecrets": [{"name": "pull"}],
    },
    "other names": {"nameOverride": "rc", "fullnameOverride": "ours"},
    "cert-manager": {"certs": {"mode": "certManager"}},
    "cert-manager with an issuer": {"certs": {"mode": "certManager", "issuerRef": {"kind": "ClusterIssuer", "name": "pki"}}},
    "provided certificates": {"certs": {"mode": "provided"}},
    "no election": {"leaderElection": {"enabled": False}, "replicaCount": 1, "webhook": {"replicas": 2}},
    "warn": {"enforcement": "warn"},
    "dryrun, open": {"enforcement": "dryrun", "webhook": {"failurePolicy": "Ignore"}},
    "no CRDs": {"crds": {"install": False}},
    "CRDs that go": {"crds": {"keep": False}},
    "no roles": {"rbac": {"create": False}},
    "all monitoring": {
        "metrics": {
            "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
            "prometheusRule": {"enabled": True},
            "grafanaDashboard": {"enabled": True},
        }
    },
    "no monitoring": {"metrics": {"service": False}},
    "network policies": {"networkPolicy": {"enabled": True, "apiServerCIDRs": CIDRS, "metricsFrom": [{"namespaceSelector": {}}]}},
    "placed": {
        "priorityClassName": "system-cluster-critical",
        "nodeSelector": {"role": "infra"},
        "tolerations": [{"key": "infra", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "webhook": {"tolerations": [{"key": "edge", "operator": "Exists"}]},
        "topologySpreadConstraints": [],
    },
    "extended": {
        "podLabels": {"team": "infra"},
        "podAnnotations": {"note": "x"},
        "extraEnv": [{"name": "A", "value": "b"}],
        "extraArgs": ["--help"],
        "extraVolumes": [{"name": "v", "emptyDir": {}}],
        "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}],
    },
    "dual stack": {"desk": {"service": {"ipFamilyPolicy": "PreferDualStack"}}, "webhook": {"service": {"ipFamilyPolicy": "PreferDualStack"}}},
    "client certificates": {"webhook": {"clientVerification": {"enabled": True, "caConfigMap": "api-server-ca", "names": ["kube-apiserver"]}}},
    "no hook": {"hooks": {"webhookCleanup": False}},
    "selectors": {
        "webhook": {
            "namespaceSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]},
            "objectSelector": {"matchLabels": {"d": "e"}},
            "matchConditions": [{"name": "mine", "expression": "true"}],
        }
    },
}


class EveryRendering(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.renderings = {name: render(values) for name, values in MATRIX.items()}

    def each(self):
        for name, objects in self.renderings.items():
            with self.subTest(values=name):
                yield objects

    def test_lint_finds_nothing(self):
        for name, values in MATRIX.items():
            with self.subTest(values=name):
                said = chart.helm("lint", str(chart.CHART), "--strict", values=values)
                self.assertIn("0 chart(s) failed", said)
                self.assertNotIn("[WARNING]", said)

    def test_no_object_is_there_twice(self):
        for objects in self.each():
            names = [(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]) for o in objects]
            self.assertEqual(len(names), len(set(names)))

    def test_namespaced_objects_name_their_namespace(self):
        cluster = {"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "ValidatingWebhookConfiguration"}
        for objects in self.each():
            for o in objects:
                self.assertEqual(o["metadata"].get("namespace"), None if o["kind"] in cluster else NAMESPACE, o["metadata"]["name"])

    def test_every_pod_passes_pod_security_restricted(self):
        for objects in self.each():
            self.assertGreaterEqual(len(pod_templates(objects)), 3)
            for name, template in pod_templates(objects).items():
                spec = template["spec"]
                for field in ("hostNetwork", "hostPID", "hostIPC"):
                    self.assertNotIn(field, spec, name)
                self.assertTrue(spec["securityContext"]["runAsNonRoot"], name)
                self.assertEqual(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault", name)
                self.assertLessEqual({next(iter(set(v) - {"name"})) for v in spec.get("volumes", [])}, {"secret", "configMap", "emptyDir"})
                for container in spec["containers"]:
                    security = container["securityContext"]
                    self.assertFalse(security["allowPrivilegeEscalation"], name)
                    self.assertTrue(security["readOnlyRootFilesystem"], name)
                    self.assertEqual(security["capabilities"], {"drop": ["ALL"]}, name)
                    self.assertIn("memory", container["resources"]["limits"], name)
                    self.assertFalse([p for p in container.get("ports", []) if "hostPort" in p])

    def test_selectors_select_their_own_pods_alone(self):
        for objects in self.each():
            templates = pod_templates(objects)
            for deployment in of_kind(objects, "Deployment"):
                selector = deployment["spec"]["selector"]["matchLabels"].items()
                chosen = [n for n, t in templates.items() if selector <= t["metadata"]["labels"].items()]
                self.assertEqual(chosen, [deployment["metadata"]["name"]])

    def test_service_accounts_that_are_used_are_made_and_bound_to_nothing_foreign(self):
        for objects in self.each():
            made = {o["metadata"]["name"] for o in of_kind(objects, "ServiceAccount")}
            self.assertEqual({t["spec"]["serviceAccountName"] for t in pod_templates(objects).values()}, made)
            for binding in of_kind(objects, "ClusterRoleBinding") + of_kind(objects, "RoleBinding"):
                for subject in binding["subjects"]:
                    self.assertEqual((subject["kind"], subject["namespace"]), ("ServiceAccount", NAMESPACE))
                    self.assertIn(subject["name"], made)

    def test_probes_and_ports_exist(self):
        for objects in self.each():
            for deployment in of_kind(objects, "Deployment"):
                container = deployment["spec"]["template"]["spec"]["containers"][0]
                ports = {p["name"]: p["containerPort"] for p in container["ports"]}
                self.assertEqual(container["readinessProbe"]["httpGet"], {"path": "/readyz", "port": "health"})
                self.assertEqual(container["livenessProbe"]["httpGet"], {"path": "/healthz", "port": "health"})
                self.assertIn(f"--health-port={ports['health']}", container["args"])
                self.assertIn(f"--metrics-port={ports['metrics']}", container["args"])
                if "https" in ports:
                    self.assertIn(f"--port={ports['https']}", container["args"])


class SingleValues(unittest.TestCase):
    def container(self, objects, name):
        return the(objects, "Deployment", f"rollcall-{name}")["spec"]["template"]["spec"]["containers"][0]

    def test_replicas(self):
        counts = lambda v: {o["metadata"]["name"]: o["spec"]["replicas"] for o in of_kind(render(v), "Deployment")}
        self.assertEqual(set(counts({}).values()), {2})
        self.assertEqual(counts({"replicaCount": 1, "webhook": {"replicas": 3}}),
                         {"rollcall-operator": 1, "rollcall-desk": 1, "rollcall-webhook": 3})
        self.assertEqual(counts({"desk": {"replicas": 0}})["rollcall-desk"], 0)

    def test_a_budget_only_where_there_is_more_than_one_pod(self):
        budgets = of_kind(render({"webhook": {"replicas": 3}, "replicaCount": 1}), "PodDisruptionBudget")
        self.assertEqual([b["metadata"]["name"] for b in budgets], ["rollcall-webhook"])
        self.assertEqual(budgets[0]["spec"]["unhealthyPodEvictionPolicy"], "AlwaysAllow")
        self.assertEqual(len(of_kind(render(), "PodDisruptionBudget")), 3)
        self.assertEqual(of_kind(render({"podDisruptionBudget": {"enabled": False}}), "PodDisruptionBudget"), [])

    def test_spread_over_nodes_by_the_components_own_labels(self):
        deployment = the(render(), "Deployment", "rollcall-desk")
        (spread,) = deployment["spec"]["template"]["spec"]["topologySpreadConstraints"]
        self.assertEqual(spread["topologyKey"], "kubernetes.io/hostname")
        self.assertEqual(spread["labelSelector"], deployment["spec"]["selector"])

    def test_a_components_value_goes_before_that_of_all(self):
        objects = render(MATRIX["placed"])
        keys = {n: t["spec"].get("tolerations", [{}])[0].get("key") for n, t in pod_templates(objects).items()}
        self.assertEqual((keys["rollcall-webhook"], keys["rollcall-desk"]), ("edge", "infra"))

    def test_images(self):
        objects = render(MATRIX["by digest from a registry"])
        self.assertEqual(self.container(objects, "desk")["image"], f"registry.example:5000/rollcall/rollcall@{DIGEST}")
        self.assertIn(f"--probe-image=registry.example:5000/mirror/rollcall/probe@{DIGEST}", self.container(objects, "operator")["args"])
        self.assertIn("--bundled-probe-image=rollcall/probe-nccl:0.1.0", self.container(render(), "operator")["args"])
        without = self.container(render({"bundledProbeImage": {"repository": ""}}), "operator")["args"]
        self.assertFalse([a for a in without if a.startswith("--bundled-probe-image")])
        self.assertEqual(self.container(render(), "desk")["image"], "rollcall/rollcall:0.1.0")
        self.assertEqual(self.container(render({"image": {"tag": "dev"}}), "desk")["image"], "rollcall/rollcall:dev")

    def test_desk_service_has_no_selector_and_an_address(self):
        service = the(render(), "Service", "rollcall-desk")
        self.assertNotIn("selector", service["spec"])
        self.assertNotIn("clusterIP", service["spec"])
        self.assertEqual(service["spec"]["ports"][0]["port"], 443)
        self.assertEqual(the(render(MATRIX["dual stack"]), "Service", "rollcall-desk")["spec"]["ipFamilyPolicy"], "PreferDualStack")

    def test_names_are_told_to_the_programs(self):
        objects = render(MATRIX["other names"])
        args = the(objects, "Deployment", "ours-operator")["spec"]["template"]["spec"]["containers"][0]["args"]
        for flag in ("--desk-service=ours-desk", "--webhook-service=ours-webhook", "--webhook-configuration=rollcall"):
            self.assertIn(flag, args)
        the(objects, "Service", "ours-desk")
        the(objects, "Service", "ours-webhook")

    def test_webhook_and_operator_agree_on_what_is_refused(self):
        for enforcement in ("deny", "warn", "dryrun"):
            objects = render({"enforcement": enforcement})
            for name in ("operator", "webhook"):
                self.assertIn(f"--enforcement={enforcement}", self.container(objects, name)["args"])

    def test_leader_election_times(self):
        for name in ("operator", "desk"):
            args = self.container(render({"leaderElection": {"leaseDurationSeconds": 30}}), name)["args"]
            for flag in ("--lease-duration=30", "--renew-deadline=10", "--retry-period=2"):
                self.assertIn(flag, args)

    def test_without_election_there_is_one_at_a_time(self):
        objects = render(MATRIX["no election"])
        for name in ("operator", "desk"):
            self.assertIn("--leader-elect=false", self.container(objects, name)["args"])
            self.assertEqual(the(objects, "Deployment", f"rollcall-{name}")["spec"]["strategy"], {"type": "Recreate"})
        self.assertNotIn("selector", the(objects, "Service", "rollcall-desk")["spec"])  # slices of a selector outlive it
        self.assertEqual(the(objects, "Deployment", "rollcall-webhook")["spec"]["strategy"]["type"], "RollingUpdate")
        with self.assertRaisesRegex(chart.Refused, "desk would have 2 pods, which would all act"):
            render({"leaderElection": {"enabled": False}, "operator": {"replicas": 1}})

    def test_certificates_of_the_operator(self):
        args = self.container(render({"certs": {"leafValidityHours": 48, "renewBeforeHours": 8}}), "operator")["args"]
        for flag in ("--certificates=self", "--ca-validity-hours=8760", "--leaf-validity-hours=48", "--renew-before-hours=8"):
            self.assertIn(flag, args)
        args = self.container(render({"certs": {"mode": "provided"}}), "operator")["args"]
        self.assertLessEqual({"--certificates=external", "--keep-ca-bundle"}, set(args))

    def test_flags_are_those_the_programs_have(self):
        """Against the sources: a flag that a program does not know ends it at its start."""
        sources = {"operator": "src/operator", "desk": "src/desk", "webhook": "src/webhook"}
        for name, folder in sources.items():
            known = set()
            for file in (chart.ROOT / folder).rglob("*.cpp"):
                known |= set(re.findall(r'add_(?:option|flag)\(\s*"(--[a-z-]+)', file.read_text(encoding="utf-8")))
            for values in ({}, MATRIX["provided certificates"], MATRIX["no election"], MATRIX["client certificates"]):
                used = {arg.split("=")[0] for arg in self.container(render(values), name)["args"]}
                self.assertLessEqual(used, known, name)

    def test_the_webhook_can_ask_for_client_certificates(self):
        template = the(render(MATRIX["client certificates"]), "Deployment", "rollcall-webhook")["spec"]["template"]
        (container,) = template["spec"]["containers"]
        self.assertLessEqual({"--client-ca-file=/client-ca/ca.crt", "--client-name=kube-apiserver"}, set(container["args"]))
        self.assertIn("api-server-ca", [v.get("configMap", {}).get("name") for v in template["spec"]["volumes"]])
        self.assertIn("/client-ca", [m["mountPath"] for m in container["volumeMounts"]])
        with self.assertRaisesRegex(chart.Refused, "caConfigMap is empty"):
            render({"webhook": {"clientVerification": {"enabled": True}}})

    def test_extensions_reach_every_program(self):
        for template in [o["spec"]["template"] for o in of_kind(render(MATRIX["extended"]), "Deployment")]:
            (container,) = template["spec"]["containers"]
            self.assertEqual(container["args"][-1], "--help")
            self.assertIn({"name": "A", "value": "b"}, container["env"])
            self.assertIn({"name": "v", "mountPath": "/v"}, container["volumeMounts"])
            self.assertIn({"name": "v", "emptyDir": {}}, template["spec"]["volumes"])
            self.assertEqual((template["metadata"]["labels"]["team"], template["metadata"]["annotations"]["note"]), ("infra", "x"))

    def test_network_policies_let_in_what_is_needed_and_nothing_else(self):
        objects = render(MATRIX["network policies"])
        ports = lambda name: sorted(str(p["port"]) for rule in the(objects, "NetworkPolicy", name)["spec"]["ingress"] for p in rule["ports"])
        self.assertEqual(ports("rollcall-operator"), ["health", "metrics"])
        self.assertEqual(ports("rollcall-desk"), ["8443", "health", "metrics"])
        self.assertEqual(ports("rollcall-webhook"), ["9443", "health", "metrics"])
        for policy in of_kind(objects, "NetworkPolicy"):
            (egress,) = policy["spec"]["egress"]
            self.assertEqual([to["ipBlock"]["cidr"] for to in egress["to"]], CIDRS)
        alone = the(render({"networkPolicy": {"enabled": True, "apiServerCIDRs": CIDRS}}), "NetworkPolicy", "rollcall-desk")
        self.assertNotIn("metrics", [p["port"] for rule in alone["spec"]["ingress"] for p in rule["ports"]])

    def test_network_policies_without_an_api_server_are_refused_with_the_way_to_find_it(self):
        with self.assertRaisesRegex(chart.Refused, "kubectl get endpointslices"):
            render({"networkPolicy": {"enabled": True}})

    def test_host_network_is_the_webhooks_alone(self):
        objects = render({"webhook": {"hostNetwork": True}})
        hosts = [n for n, t in pod_templates(objects).items() if t["spec"].get("hostNetwork")]
        self.assertEqual(hosts, ["rollcall-webhook"])

    def test_certificates_by_cert_manager(self):
        objects = render(MATRIX["cert-manager"])
        self.assertIn("--certificates=external", self.container(objects, "operator")["args"])
        certificates = {c["spec"]["secretName"]: c["spec"] for c in of_kind(objects, "Certificate")}
        self.assertEqual(set(certificates), {"rollcall-ca", "rollcall-desk-tls", "rollcall-webhook-tls"})
        self.assertIn("rollcall-desk.rollcall-system.svc", certificates["rollcall-desk-tls"]["dnsNames"])
        with_issuer = of_kind(render(MATRIX["cert-manager with an issuer"]), "Certificate")
        self.assertEqual({c["spec"]["issuerRef"]["name"] for c in with_issuer}, {"pki"})

    def test_the_uninstall_hook_may_delete_one_configuration_and_nothing_else(self):
        objects = render()
        role = the(objects, "ClusterRole", "rollcall-uninstall")
        self.assertEqual(role["rules"], [{"apiGroups": ["admissionregistration.k8s.io"], "resources": ["validatingwebhookconfigurations"],
                                          "resourceNames": ["rollcall"], "verbs": ["delete"]}])
        job = the(objects, "Job", "rollcall-uninstall")
        self.assertEqual(job["metadata"]["annotations"]["helm.sh/hook"], "pre-delete")
        self.assertEqual(job["spec"]["template"]["spec"]["containers"][0]["args"], ["--remove-webhooks=rollcall"])


if __name__ == "__main__":
    chart.main()
