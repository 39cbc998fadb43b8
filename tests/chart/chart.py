"""Renders the chart with Helm; what comes out is read as YAML. Shared by the tests of this folder."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "rollcall"
NAMESPACE = "rollcall-system"
SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def helm_program():
    """Helm as dev/deps --tools makes it, else the machine's own if it is of version 4; None when there is none."""
    cache = pathlib.Path(os.environ.get("ROLLCALL_CACHE") or pathlib.Path.home() / ".cache" / "rollcall")
    for program in (cache / "bin" / "helm", shutil.which("helm")):
        if program and os.access(program, os.X_OK):
            version = subprocess.run([program, "version", "--short"], capture_output=True, text=True, check=False).stdout
            if version.startswith("v4"):
                return str(program)
    return None


HELM = helm_program()


class Refused(Exception):
    """Helm would not render; the words are its own."""


def helm(*arguments, values=None):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values or {}, file)
        file.flush()
        done = subprocess.run([HELM, *arguments, "--values", file.name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(done.stderr)
    return done.stdout


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """A key that stands twice is an error: YAML's readers keep one of the two in silence."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        twice = {str(key) for key in keys if keys.count(key) > 1}
        if twice:
            raise ValueError(f"written twice: {', '.join(sorted(twice))} {node.start_mark}")
        return super().construct_mapping(node, deep)


def parse(text):
    return [document for document in yaml.load_all(text, Loader) if document]


def defaults():
    return parse((CHART / "values.yaml").read_text(encoding="utf-8"))[0]


def render(values=None, namespace=NAMESPACE, release="rollcall"):
    """All objects of the chart, hooks too."""
    return parse(helm("template", release, str(CHART), "--namespace", namespace, "--kube-version", "1.34.0", values=values))


def of_kind(objects, kind, name=None):
    return [o for o in objects if o["kind"] == kind and name in (None, o["metadata"]["name"])]


def the(objects, kind, name):
    found = of_kind(objects, kind, name)
    assert len(found) == 1, f"{len(found)} of kind {kind} are called {name}"
    return found[0]


def pod_templates(objects):
    return {o["metadata"]["name"]: o["spec"]["template"] for o in objects if o["kind"] in ("Deployment", "Job")}


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def markdown_table(text, head):
    """Rows of the first table after the line `head`, as lists of cells without back-quotes."""
    rows = []
    for line in text[text.index(head):].splitlines():
        if line.startswith("|"):
            rows.append([re.sub(r"`", "", cell).strip() for cell in line.strip().strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def main():
    if HELM is None:
        print("skipped: there is no Helm 4; make it with: dev/deps --tools")
        sys.exit(SKIPPED)
    unittest.main(verbosity=1)
