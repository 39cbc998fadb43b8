"""docs/security.md: every claim names tests that exist."""
import re
import unittest

import chart

PAGE = "docs/security.md"


def tests_of_the_tree():
    names = set()
    for file in (chart.ROOT / "tests").rglob("*.cpp"):
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", file.read_text(encoding="utf-8"), re.M):
            names.add(f"{suite}.{name}")
    return names


class Security(unittest.TestCase):
    def test_tests_that_are_named_exist(self):
        named = re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", chart.read(PAGE))
        self.assertGreater(len(named), 50)
        known = tests_of_the_tree()
        self.assertEqual([name for name in named if name not in known], [])

    def test_tests_of_the_chart_that_are_named_exist(self):
        for name in set(re.findall(r"\bchart/(\w+)", chart.read(PAGE).replace("tests/chart/", ""))):
            self.assertTrue((chart.ROOT / "tests" / "chart" / f"{name}_test.py").exists(), name)

    def test_every_threat_has_its_column(self):
        page = chart.read(PAGE)
        for head in ("## Boundary 1", "## Boundary 2", "## Boundary 3"):
            rows = chart.markdown_table(page, head)
            self.assertGreater(len(rows), 5)
            for row in rows:
                self.assertIn(row[0], "STRIDE")
                self.assertEqual(len(row), 4, row)
                self.assertTrue(all(row), row)


if __name__ == "__main__":
    chart.main()
