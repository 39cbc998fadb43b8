"""The webhook configuration, which decides what happens to the cluster while no webhook answers; and the CRDs."""
import unittest

import chart
from chart import of_kind, render, the


def configuration(values=None, **more):
    return the(render(values, **more), "ValidatingWebhookConfiguration", "rollcall")


class Configuration(unittest.TestCase):
    def test_asks_about_trainingjobs_alone_and_fails_closed(self):
        (webhook,) = configuration()["webhooks"]
        self.assertEqual(webhook["rules"], [{"apiGroups": ["rollcall.dev"], "apiVersions": ["v1alpha1"], "resources": ["trainingjobs"],
                                             "operations": ["CREATE", "UPDATE"], "scope": "Namespaced"}])
        self.assertEqual({k: webhook[k] for k in ("failurePolicy", "timeoutSeconds", "sideEffects", "matchPolicy", "admissionReviewVersions")},
                         {"failurePolicy": "Fail", "timeoutSeconds": 5, "sideEffects": "None", "matchPolicy": "Equivalent",
                          "admissionReviewVersions": ["v1"]})

    def test_leaves_its_own_namespace_and_kube_system_out(self):
        (webhook,) = configuration(namespace="elsewhere")["webhooks"]
        self.assertIn({"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["elsewhere", "kube-system"]},
                      webhook["namespaceSelector"]["matchExpressions"])
        self.assertEqual(webhook["clientConfig"]["service"]["namespace"], "elsewhere")

    def test_selectors_of_the_owner_are_added(self):
        (webhook,) = configuration({"webhook": {
            "namespaceSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]},
            "objectSelector": {"matchLabels": {"d": "e"}},
            "matchConditions": [{"name": "mine", "expression": "true"}]}})["webhooks"]
        self.assertEqual(webhook["namespaceSelector"]["matchLabels"], {"a": "b"})
        self.assertEqual([e["key"] for e in webhook["namespaceSelector"]["matchExpressions"]], ["kubernetes.io/metadata.name", "c"])
        self.assertEqual(webhook["objectSelector"], {"matchLabels": {"d": "e"}})
        self.assertEqual([c["name"] for c in webhook["matchConditions"]], ["launch-changed", "not-being-deleted", "not-the-operator", "mine"])

    def test_no_ca_bundle_so_that_an_upgrade_leaves_the_operators(self):
        for mode in ({}, {"certs": {"mode": "certManager"}}, {"certs": {"mode": "provided"}}):
            (webhook,) = configuration(mode)["webhooks"]
            self.assertNotIn("caBundle", webhook["clientConfig"])

    def test_cert_manager_is_told_where_to_inject_from(self):
        annotations = configuration({"certs": {"mode": "certManager"}, "webhook": {"annotations": {"x": "y"}}})["metadata"]["annotations"]
        self.assertEqual(annotations, {"cert-manager.io/inject-ca-from": "rollcall-system/rollcall-webhook", "x": "y"})

    def test_the_operators_own_name_is_the_one_it_runs_under(self):
        objects = render({"operator": {"serviceAccount": {"name": "other"}}})
        (webhook,) = the(objects, "ValidatingWebhookConfiguration", "rollcall")["webhooks"]
        (condition,) = [c for c in webhook["matchConditions"] if c["name"] == "not-the-operator"]
        self.assertIn("'system:serviceaccount:rollcall-system:other'", condition["expression"])
        self.assertEqual(the(objects, "Deployment", "rollcall-operator")["spec"]["template"]["spec"]["serviceAccountName"], "other")


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
