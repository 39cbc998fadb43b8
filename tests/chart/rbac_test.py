"""Rights: chart and docs/rbac.md say the same, and nobody has what nobody should have."""
import unittest

import chart
from chart import of_kind, render, the

PAGE = "docs/rbac.md"


def words(rule, key):
    return " ".join(sorted(rule.get(key, [])))


def granted(role):
    """One line a rule: group, resources, verbs, names."""
    lines = []
    for rule in role["rules"]:
        if "nonResourceURLs" in rule:
            lines.append(("URL", words(rule, "nonResourceURLs"), words(rule, "verbs"), ""))
        else:
            (group,) = rule["apiGroups"]
            lines.append((group or "core", words(rule, "resources"), words(rule, "verbs"), words(rule, "resourceNames")))
    return sorted(lines)


def written(head):
    in_order = lambda text: " ".join(sorted(text.split()))
    return sorted((r[0], in_order(r[1]), in_order(r[2]), in_order(r[3])) for r in chart.markdown_table(chart.read(PAGE), head))


class Rbac(unittest.TestCase):
    def setUp(self):
        self.objects = render()

    def test_the_page_says_what_the_chart_grants(self):
        for kind, name, head in [
            ("ClusterRole", "rollcall-operator", "In the cluster (ClusterRole `rollcall-operator`)"),
            ("Role", "rollcall-operator", "In its own namespace (Role `rollcall-operator`)"),
            ("ClusterRole", "rollcall-desk", "In the cluster (ClusterRole `rollcall-desk`)"),
            ("Role", "rollcall-desk", "In its own namespace (Role `rollcall-desk`)"),
            ("ClusterRole", "rollcall-webhook", "In the cluster (ClusterRole `rollcall-webhook`)"),
            ("ClusterRole", "rollcall-uninstall", "The hook `rollcall-uninstall`"),
        ]:
            with self.subTest(role=name, kind=kind):
                self.assertEqual(granted(the(self.objects, kind, name)), written(head))

    def test_the_page_says_what_people_get(self):
        rows = chart.markdown_table(chart.read(PAGE), "## People")
        in_order = lambda text: " ".join(sorted(text.split()))
        for name in ("rollcall-view", "rollcall-edit", "rollcall-policies"):
            page = [(r[1], in_order(r[2]), in_order(r[3]), "") for r in rows if r[0] == name]
            self.assertEqual(granted(the(self.objects, "ClusterRole", name)), page)

    def test_no_role_is_left_out_of_the_page(self):
        names = {(o["kind"], o["metadata"]["name"]) for kind in ("ClusterRole", "Role") for o in of_kind(self.objects, kind)}
        clusterwide = ("operator", "desk", "webhook", "uninstall", "view", "edit", "policies")
        self.assertEqual(names, {("ClusterRole", f"rollcall-{n}") for n in clusterwide} | {("Role", "rollcall-operator"), ("Role", "rollcall-desk")})

    def test_nobody_has_what_nobody_should_have(self):
        for role in of_kind(self.objects, "ClusterRole"):
            for rule in role["rules"]:
                resources, verbs = set(rule.get("resources", [])), set(rule["verbs"])
                self.assertFalse(resources & {"secrets", "configmaps", "pods/exec", "pods/attach", "pods/portforward", "pods/log",
                                              "serviceaccounts/token", "nodes/proxy"}, role["metadata"]["name"])
                self.assertFalse(verbs & {"*", "escalate", "bind", "impersonate"})
                self.assertNotIn("*", resources | set(rule.get("apiGroups", [])))

    def test_secrets_are_named_but_for_making_them(self):
        for role in of_kind(self.objects, "Role"):
            for rule in role["rules"]:
                if "secrets" in rule["resources"] and rule["verbs"] != ["create"]:
                    self.assertTrue(rule["resourceNames"])
                    self.assertFalse(set(rule["verbs"]) & {"list", "watch", "delete"})

    def test_only_the_operator_touches_secrets(self):
        having = {r["metadata"]["name"] for r in of_kind(self.objects, "Role") for rule in r["rules"] if "secrets" in rule["resources"]}
        self.assertEqual(having, {"rollcall-operator"})

    def test_with_certificates_of_others_the_operator_reads_one_secret_and_writes_none(self):
        for mode in ({"mode": "certManager"}, {"mode": "provided"}):
            role = the(render({"certs": mode}), "Role", "rollcall-operator")
            self.assertEqual([r for r in granted(role) if r[1] == "secrets"], [("core", "secrets", "get", "rollcall-desk-tls")])

    def test_kept_to_namespaces_the_operator_has_its_rights_there_and_not_in_the_cluster(self):
        objects = render({"watch": {"namespaces": ["ml", "research"]}})
        self.assertEqual([r[1] for r in granted(the(objects, "ClusterRole", "rollcall-operator"))], ["validatingwebhookconfigurations"])
        everywhere = granted(the(self.objects, "ClusterRole", "rollcall-operator"))
        clusterwide = {"validatingwebhookconfigurations", "rollcallpolicies", "namespaces"}
        for namespace in ("ml", "research"):
            (role,) = [r for r in of_kind(objects, "Role") if r["metadata"]["namespace"] == namespace]
            self.assertEqual(granted(role), [r for r in everywhere if r[1] not in clusterwide])
            (binding,) = [r for r in of_kind(objects, "RoleBinding") if r["metadata"]["namespace"] == namespace]
            self.assertEqual(binding["roleRef"]["name"], role["metadata"]["name"])
            self.assertEqual([s["name"] for s in binding["subjects"]], ["rollcall-operator"])
        webhook, *_ = the(objects, "ValidatingWebhookConfiguration", "rollcall")["webhooks"]
        self.assertIn({"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["ml", "research"]},
                      webhook["namespaceSelector"]["matchExpressions"])
        args = the(objects, "Deployment", "rollcall-operator")["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertLessEqual({"--watch-namespace=ml", "--watch-namespace=research"}, set(args))

    def test_aggregation(self):
        label = "rbac.authorization.k8s.io/aggregate-to-"
        labels = lambda objects: {o["metadata"]["name"]: [k.removeprefix(label) for k in o["metadata"]["labels"] if k.startswith(label)]
                                  for o in of_kind(objects, "ClusterRole")}
        self.assertEqual({n: l for n, l in labels(self.objects).items() if l}, {"rollcall-view": ["view"], "rollcall-edit": ["edit"]})
        self.assertEqual([l for l in labels(render({"rbac": {"aggregateToDefaultRoles": False}})).values() if l], [])

    def test_no_roles_at_all_when_they_are_made_by_others(self):
        objects = render({"rbac": {"create": False}, "hooks": {"webhookCleanup": False}})
        for kind in ("ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"):
            self.assertEqual(of_kind(objects, kind), [])


if __name__ == "__main__":
    chart.main()
