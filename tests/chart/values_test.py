"""Values: the schema refuses what does nothing, and every value does something."""
import json
import unittest

import chart
from chart import Refused, render

# One line a case: what a hurried person writes, and what of it the message must name.
NONSENSE = [
    ({"replicas": 3}, "replicas"),
    ({"webhook": {"timeout": 5}}, "timeout"),
    ({"webhook": {"timeoutSeconds": 31}}, "timeoutSeconds"),
    ({"webhook": {"failurePolicy": "fail"}}, "failurePolicy"),
    ({"webhook": {"mutating": {}}}, "mutating"),
    ({"webhook": {"others": {"kinds": ["Deployment"]}}}, "kinds"),
    ({"webhook": {"others": {"kinds": ["Pod", "Pod"]}}}, "kinds"),
    ({"webhook": {"others": {"failurePolicy": "Fail"}}}, "failurePolicy"),
    ({"enforcement": "off"}, "enforcement"),
    ({"certs": {"mode": "certmanager"}}, "mode"),
    ({"certs": {"caBundle": "LS0tLS1CRUdJTg=="}}, "caBundle"),
    ({"certs": {"caValidity": "8760h"}}, "caValidity"),
    ({"image": "rollcall:1"}, "image"),
    ({"image": {"tag": 1.0}}, "tag"),
    ({"image": {"repository": "registry:5000/x:1"}}, "repository"),
    ({"image": {"digest": "abc"}}, "digest"),
    ({"imagePullSecrets": ["name"]}, "imagePullSecrets"),
    ({"replicaCount": "2"}, "replicaCount"),
    ({"desk": {"port": 443}}, "port"),
    ({"leaderElection": {"leaseDuration": "15s"}}, "leaseDuration"),
    ({"metrics": {"serviceMonitor": {"interval": 30}}}, "interval"),
    ({"networkPolicy": {"apiServerCIDRs": ["10.0.0.1"]}}, "apiServerCIDRs"),
    ({"topologySpreadConstraints": [{"maxSkew": 1}]}, "topologySpreadConstraints"),
    ({"extraArgs": ["port=1"]}, "extraArgs"),
    ({"config": {}}, "config"),
]


def leaves(values, path=()):
    """Paths of all values; a map that is empty or free is one value."""
    if isinstance(values, dict) and values:
        for key, value in values.items():
            yield from leaves(value, path + (key,))
    else:
        yield path


# A value that changes the default of a path, where the type alone does not say one.
OTHER = {
    "registry": "r.example", "repository": "other/name", "tag": "t", "digest": "sha256:" + "0" * 64,
    "pullPolicy": "Always", "imagePullSecrets": [{"name": "s"}], "enforcement": "warn", "certs.mode": "certManager",
    "webhook.failurePolicy": "Ignore", "others.kinds": ["Job"], "strategy.type": "Recreate", "serviceAccount.name": "other", "ipFamilyPolicy": "PreferDualStack",
    "ipFamilies": ["IPv6"], "interval": "5s", "runbookUrl": "https://x.example", "fullnameOverride": "other", "nameOverride": "other",
    "watch.namespaces": ["ml"],
    "tolerations": [{"operator": "Exists"}], "matchConditions": [{"name": "a", "expression": "true"}], "extraArgs": ["--x"],
    "extraEnv": [{"name": "X"}], "extraVolumes": [{"name": "x"}], "extraVolumeMounts": [{"name": "x", "mountPath": "/x"}],
    "topologySpreadConstraints": [], "priorityClassName": "high", "unhealthyPodEvictionPolicy": "IfHealthyBudget",
    "namespaceSelector": {"matchLabels": {"x": "y"}}, "objectSelector": {"matchLabels": {"x": "y"}},
    "seccompProfile.type": "Localhost", "drop": ["NET_RAW"], "apiServerPorts": [1], "metricsFrom": [{"podSelector": {}}],
    "replicas": 7, "affinity": {"nodeAffinity": {}}, "cpu": "1", "memory": "1Gi",
    "grafana_dashboard": "0",
}
# What has to be on for a value to be seen.
WITH = {
    "certs.issuerRef": ({"certs": {"mode": "certManager"}}, {"kind": "ClusterIssuer", "name": "x"}),
    "webhook.clientVerification.enabled": ({"webhook": {"clientVerification": {"caConfigMap": "x"}}}, True),
    "webhook.clientVerification.names": ({"webhook": {"clientVerification": {"enabled": True, "caConfigMap": "x"}}}, ["n"]),
    "webhook.clientVerification.caConfigMap": ({"webhook": {"clientVerification": {"enabled": True, "caConfigMap": "x"}}}, "y"),
    "leaderElection.enabled": ({"replicaCount": 1}, False),
    "metrics.serviceMonitor": ({"metrics": {"serviceMonitor": {"enabled": True}}}, None),
    "metrics.prometheusRule": ({"metrics": {"prometheusRule": {"enabled": True}}}, None),
    "metrics.grafanaDashboard": ({"metrics": {"grafanaDashboard": {"enabled": True}}}, None),
    "networkPolicy": ({"networkPolicy": {"enabled": True, "apiServerCIDRs": ["10.0.0.1/32"]}}, None),
}


def merged(a, b):
    return {k: merged(a[k], b[k]) if k in a and k in b and isinstance(a[k], dict) and isinstance(b[k], dict) else b.get(k, a.get(k))
            for k in {**a, **b}}


def other(path, default):
    dotted = ".".join(path)
    for end in sorted(OTHER, key=len, reverse=True):
        if dotted == end or dotted.endswith("." + end):
            return OTHER[end]
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 1
    if isinstance(default, dict):
        return {"x": "y"}
    if dotted.endswith("apiServerCIDRs"):
        return ["10.9.9.9/32"]
    raise AssertionError(f"say in OTHER what another value of {dotted} is")


class Values(unittest.TestCase):
    def test_nonsense_is_refused_and_named(self):
        for values, word in NONSENSE:
            with self.subTest(values=values):
                with self.assertRaisesRegex(Refused, word):
                    render(values)

    def test_the_schema_closes_every_object_of_ours(self):
        schema = json.loads((chart.CHART / "values.schema.json").read_text())
        self.assertEqual(schema["$schema"], "http://json-schema.org/draft-07/schema#")

        def closed(node, path):
            if isinstance(node, dict):
                if "properties" in node and path[-1:] != ("items",):
                    self.assertIs(node.get("additionalProperties"), False, path)
                for key, value in node.items():
                    closed(value, path + (key,))
            elif isinstance(node, list):
                for value in node:
                    closed(value, path)

        closed(schema, ())

    def test_every_value_does_something(self):
        values = chart.defaults()
        plain = {}
        for path in leaves(values):
            dotted = ".".join(path)
            base, fixed = next((w for p, w in WITH.items() if dotted == p or dotted.startswith(p + ".")), ({}, None))
            default = values
            for key in path:
                default = default[key]
            tree = fixed if fixed is not None else other(path, default)
            if dotted in ("networkPolicy.enabled", "metrics.serviceMonitor.enabled", "metrics.prometheusRule.enabled", "metrics.grafanaDashboard.enabled"):
                tree = False
            for key in reversed(path):
                tree = {key: tree}
            if path[0] != "crds":
                base = merged(base, {"crds": {"install": False}})  # they are most of the text
            with self.subTest(value=dotted):
                key = json.dumps(base)
                plain.setdefault(key, render(base))
                self.assertTrue(render(merged(base, tree)) != plain[key], "changing it changes nothing")


if __name__ == "__main__":
    chart.main()
