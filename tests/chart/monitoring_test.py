"""Alerts, dashboard and docs/operations.md name metrics that the programs have, and each other."""
import json
import re
import unittest

import chart
from chart import render, the

ALL = {"metrics": {"serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}}, "prometheusRule": {"enabled": True},
                   "grafanaDashboard": {"enabled": True}}}
# Of Prometheus itself.
FOREIGN = {"up"}
SUFFIXES = ("_bucket", "_sum", "_count")


def metrics_in_sources():
    """Names in string literals that begin as ours do; the sources hand them to prometheus-cpp as they are."""
    found = set()
    for room in ("telemetry", "operator", "desk", "webhook"):
        for file in (chart.ROOT / "src" / room).rglob("*.cpp"):
            found |= set(re.findall(r'"((?:rollcall|controller_runtime|workqueue|rest_client|leader_election|certwatcher)_[a-z_]+)"',
                                    file.read_text(encoding="utf-8")))
    return found


def metrics_in(expression):
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)  # label values are no names
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]", "", bare)
    bare = re.sub(r"\b(?:by|on|without)\s*\([^)]*\)", "", bare)
    names = set(re.findall(r"[a-z_]*_[a-z_]+\b(?!\s*\()|\bup\b", bare))
    return names


def without_suffix(name, known):
    for suffix in SUFFIXES:
        if name not in known and name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


class Monitoring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.objects = render(ALL)
        cls.known = metrics_in_sources()
        cls.rules = the(cls.objects, "PrometheusRule", "rollcall")["spec"]["groups"][0]["rules"]
        cls.dashboard = json.loads(the(cls.objects, "ConfigMap", "rollcall-dashboard")["data"]["rollcall.json"])

    def assert_known(self, expression):
        names = metrics_in(expression)
        self.assertTrue(names, expression)
        for name in names:
            self.assertIn(without_suffix(name, self.known), self.known | FOREIGN, expression)

    def test_the_sources_were_read(self):
        self.assertGreater(len(self.known), 20)

    def test_names_are_taken_out_of_expressions(self):
        self.assertEqual(metrics_in('sum by (a_b) (rate(x_total{c="d_e"}[5m])) / on(f_g) up{h_i="j"} > 1'), {"x_total", "up"})

    def test_alerts_ask_for_metrics_that_exist(self):
        self.assertGreater(len(self.rules), 10)
        for rule in self.rules:
            with self.subTest(alert=rule["alert"]):
                self.assert_known(rule["expr"])
                self.assertNotRegex(rule["expr"], "NAMESPACE|HELD_GPU")
                self.assertIn(rule["labels"]["severity"], ("critical", "warning"))
                self.assertTrue(rule["annotations"]["summary"].endswith("."))

    def test_every_alert_has_its_place_in_the_runbook(self):
        headings = {line.lstrip("# ").strip() for line in chart.read("docs/operations.md").splitlines() if line.startswith("#")}
        for rule in self.rules:
            self.assertIn(rule["alert"], headings)
            self.assertTrue(rule["annotations"]["runbook_url"].endswith("#" + rule["alert"].lower()))

    def test_log_lines_of_the_runbook_are_written_by_a_program(self):
        sources = "".join(f.read_text(encoding="utf-8") for room in ("operator", "desk", "webhook") for f in (chart.ROOT / "src" / room).rglob("*.cpp"))
        lines = re.findall(r"log line\s+`([^`]+)`", chart.read("docs/operations.md"))
        self.assertGreater(len(lines), 2)
        for line in lines:
            self.assertIn(f'"{line}"', sources)

    def test_no_runbook_for_an_alert_that_is_gone(self):
        alerts = {rule["alert"] for rule in self.rules}
        for line in chart.read("docs/operations.md").splitlines():
            if re.match(r"#+ Rollcall[A-Z]\w+$", line):
                self.assertIn(line.lstrip("# "), alerts)

    def test_panels_ask_for_metrics_that_exist(self):
        panels = [p for p in self.dashboard["panels"] if p["type"] != "row"]
        self.assertGreater(len(panels), 15)
        for panel in panels:
            for target in panel["targets"]:
                with self.subTest(panel=panel["title"]):
                    self.assert_known(target["expr"])

    def test_panels_have_their_own_ids_and_do_not_overlap(self):
        panels = self.dashboard["panels"]
        self.assertEqual(len({p["id"] for p in panels}), len(panels))
        taken = set()
        for panel in panels:
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24)
            taken |= cells

    def test_the_page_lists_every_metric_and_no_other(self):
        rows = chart.markdown_table(chart.read("docs/operations.md"), "## Metrics")
        listed = {re.sub(r"\{.*", "", row[0]) for row in rows}
        self.assertEqual(listed, self.known)

    def test_service_monitor_reads_the_metrics_service(self):
        monitor = the(self.objects, "ServiceMonitor", "rollcall")
        service = the(self.objects, "Service", "rollcall-metrics")
        self.assertLessEqual(monitor["spec"]["selector"]["matchLabels"].items(), service["metadata"]["labels"].items())
        self.assertEqual(monitor["spec"]["endpoints"][0]["port"], service["spec"]["ports"][0]["name"])
        self.assertEqual(monitor["metadata"]["labels"]["release"], "prometheus")
        for other in [o for o in self.objects if o["kind"] == "Service" and o is not service]:
            self.assertFalse(monitor["spec"]["selector"]["matchLabels"].items() <= other["metadata"]["labels"].items())
        for deployment in chart.of_kind(self.objects, "Deployment"):
            template = deployment["spec"]["template"]
            self.assertLessEqual(service["spec"]["selector"].items(), template["metadata"]["labels"].items())
            self.assertIn(service["spec"]["ports"][0]["targetPort"], [p["name"] for p in template["spec"]["containers"][0]["ports"]])


if __name__ == "__main__":
    chart.main()
