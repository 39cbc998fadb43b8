"""The webhook configuration, which decides what happens to the cluster while no webhook answers; and the CRDs."""
import unittest

import chart
from chart import of_kind, render, the


def configuration(values=None, **more):
    return the(render(values, **more), "ValidatingWebhookConfiguration", "rollcall")


class Configuration(unittest.TestCase):
    def test_asks_about_trainingjobs_alone_and_fails_closed(self):
        webhook, *_ = configuration()["webhooks"]
        self.assertEqual(webhook["rules"], [{"apiGroups": ["rollcall.dev"], "apiVersions": ["v1alpha1"], "resources": ["trainingjobs"],
                                             "operations": ["CREATE", "UPDATE"], "scope": "Namespaced"}])
        self.assertEqual({k: webhook[k] for k in ("failurePolicy", "timeoutSeconds", "sideEffects", "matchPolicy", "admissionReviewVersions")},
                         {"failurePolicy": "Fail", "timeoutSeconds": 5, "sideEffects": "None", "matchPolicy": "Equivalent",
                          "admissionReviewVersions": ["v1"]})

    def test_leaves_its_own_namespace_and_kube_system_out(self):
        webhook, *_ = configuration(namespace="elsewhere")["webhooks"]
        self.assertIn({"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["elsewhere", "kube-system"]},
                      webhook["namespaceSelector"]["matchExpressions"])
        self.assertEqual(webhook["clientConfig"]["service"]["namespace"], "elsewhere")

    def test_selectors_of_the_owner_are_added(self):
        webhook, *_ = configuration({"webhook": {
            "namespaceSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]},
            "objectSelector": {"matchLabels": {"d": "e"}},
            "matchConditions": [{"name": "mine", "expression": "true"}]}})["webhooks"]
        self.assertEqual(webhook["namespaceSelector"]["matchLabels"], {"a": "b"})
        self.assertEqual([e["key"] for e in webhook["namespaceSelector"]["matchExpressions"]], ["kubernetes.io/metadata.name", "c"])
        self.assertEqual(webhook["objectSelector"], {"matchLabels": {"d": "e"}})
        self.assertEqual([c["name"] for c in webhook["matchConditions"]], ["launch-changed", "not-being-deleted", "not-the-operator", "mine"])

    def test_other_kinds_never_keep_the_cluster_from_work(self):
        ours, jobs, pods = configuration()["webhooks"]
        self.assertEqual([w["name"] for w in (ours, jobs, pods)], ["trainingjobs.rollcall.dev", "jobs.rollcall.dev", "pods.rollcall.dev"])
        for values in ({}, {"webhook": {"failurePolicy": "Fail", "timeoutSeconds": 30}}):
            for webhook in configuration(values)["webhooks"][1:]:
                self.assertEqual((webhook["failurePolicy"], webhook["timeoutSeconds"]), ("Ignore", 2))
        for webhook in (jobs, pods):
            self.assertEqual({k: webhook[k] for k in ("clientConfig", "sideEffects", "matchPolicy", "admissionReviewVersions")},
                             {k: ours[k] for k in ("clientConfig", "sideEffects", "matchPolicy", "admissionReviewVersions")})
            self.assertEqual([c["name"] for c in webhook["matchConditions"]],
                             ["launch-changed", "not-being-deleted", "not-made-by-a-controller", "not-the-operator"])
            for rule in webhook["rules"]:
                self.assertFalse([r for r in rule["resources"] if "/" in r or "*" in r], "subresources are not read")

    def test_other_kinds_by_group_version_and_resource(self):
        _, jobs, pods = configuration()["webhooks"]
        asked = lambda webhook: [(*rule["apiGroups"], " ".join(rule["apiVersions"]), *rule["resources"], " ".join(rule["operations"]))
                                 for rule in webhook["rules"]]
        both = "CREATE UPDATE"
        self.assertEqual(asked(jobs), [
            ("kubeflow.org", "v1", "pytorchjobs", both), ("kubeflow.org", "v1 v2beta1", "mpijobs", both), ("kubeflow.org", "v1", "jaxjobs", both),
            ("trainer.kubeflow.org", "v1alpha1", "trainjobs", both), ("jobset.x-k8s.io", "v1alpha2", "jobsets", both),
            ("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", both), ("batch.volcano.sh", "v1alpha1", "jobs", both),
            ("batch", "v1", "jobs", both), ("ray.io", "v1", "rayjobs", both), ("ray.io", "v1", "rayclusters", both)])
        self.assertEqual(asked(pods), [("apps", "v1", "statefulsets", both), ("", "v1", "pods", "CREATE")])

    def test_statefulsets_and_pods_are_asked_about_in_labelled_namespaces_alone(self):
        ours, jobs, pods = configuration({"watch": {"namespaces": ["ml"]}, "webhook": {"namespaceSelector": {"matchLabels": {"a": "b"}}}})["webhooks"]
        label = {"key": "rollcall.dev/enforce", "operator": "In", "values": ["deny"]}
        self.assertEqual(jobs["namespaceSelector"], ours["namespaceSelector"])
        self.assertEqual(pods["namespaceSelector"], {"matchLabels": {"a": "b"}, "matchExpressions": [
            *ours["namespaceSelector"]["matchExpressions"], label]})

    def test_kinds_are_chosen(self):
        names = lambda kinds: [w["name"] for w in configuration({"webhook": {"others": {"kinds": kinds}}})["webhooks"]]
        self.assertEqual(names([]), ["trainingjobs.rollcall.dev"])
        self.assertEqual(names(["Pod"]), ["trainingjobs.rollcall.dev", "pods.rollcall.dev"])
        self.assertEqual(names(["Job", "JobSet"]), ["trainingjobs.rollcall.dev", "jobs.rollcall.dev"])
        (_, jobs) = configuration({"webhook": {"others": {"kinds": ["JobSet"]}}})["webhooks"]
        self.assertEqual([r["resources"] for r in jobs["rules"]], [["jobsets"]])
        for kinds, granted in ((["TrainJob"], True), (["Job"], False)):
            role = the(render({"webhook": {"others": {"kinds": kinds}}}), "ClusterRole", "rollcall-webhook")
            self.assertEqual(any("trainingruntimes" in rule["resources"] for rule in role["rules"]), granted)

    def test_no_ca_bundle_so_that_an_upgrade_leaves_the_operators(self):
        for mode in ({}, {"certs": {"mode": "certManager"}}, {"certs": {"mode": "provided"}}):
            webhook, *_ = configuration(mode)["webhooks"]
            self.assertNotIn("caBundle", webhook["clientConfig"])

    def test_cert_manager_is_told_where_to_inject_from(self):
        annotations = configuration({"certs": {"mode": "certManager"}, "webhook": {"annotations": {"x": "y"}}})["metadata"]["annotations"]
        self.assertEqual(annotations, {"cert-manager.io/inject-ca-from": "rollcall-system/rollcall-webhook", "x": "y"})

    def test_the_operators_own_name_is_the_one_it_runs_under(self):
        objects = render({"operator": {"serviceAccount": {"name": "other"}}})
        webhook, *_ = the(objects, "ValidatingWebhookConfiguration", "rollcall")["webhooks"]
        (condition,) = [c for c in webhook["matchConditions"] if c["name"] == "not-the-operator"]
        self.assertIn("'system:serviceaccount:rollcall-system:other'", condition["expression"])
        self.assertEqual(the(objects, "Deployment", "rollcall-operator")["spec"]["template"]["spec"]["serviceAccountName"], "other")


class Environment(unittest.TestCase):
    def test_is_that_of_the_bench(self):
        (container,) = the(render(), "Deployment", "rollcall-webhook")["spec"]["template"]["spec"]["containers"]
        (value,) = [e["value"] for e in container["env"] if e["name"] == "GLIBC_TUNABLES"]
        self.assertIn(f'kTunables = "{value}"', chart.read("bench/admission/main.cpp"))


class Crds(unittest.TestCase):
    def test_are_the_files_and_stay_on_uninstall(self):
        rendered = {o["metadata"]["name"]: o for o in of_kind(render(), "CustomResourceDefinition")}
        files = [chart.parse(f.read_text())[0] for f in sorted((chart.CHART / "files" / "crds").glob("*.yaml"))]
        self.assertGreaterEqual(len(files), 2)
        self.assertEqual(set(rendered), {f["metadata"]["name"] for f in files})
        for file in files:
            crd = rendered[file["metadata"]["name"]]
            self.assertEqual(crd["spec"], file["spec"])
            self.assertEqual(crd["metadata"]["annotations"], {"helm.sh/resource-policy": "keep"})

    def test_go_with_the_release_only_when_asked(self):
        for crd in of_kind(render({"crds": {"keep": False}}), "CustomResourceDefinition"):
            self.assertNotIn("annotations", crd["metadata"])

    def test_can_be_left_out(self):
        self.assertEqual(of_kind(render({"crds": {"install": False}}), "CustomResourceDefinition"), [])


if __name__ == "__main__":
    chart.main()
