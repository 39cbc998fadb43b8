"""Makes the JSON schema of batch/v1 Job that kubeconform checks against, from Kubernetes' own OpenAPI document (part of
the module the local cluster is built from): the definitions that a Job reaches, integer-or-string as such, and no
property besides those listed, as kubeconform's published "strict" schemas. usage: schema.py SWAGGER.json OUT.json
"""
import json
import sys

ROOT = "io.k8s.api.batch.v1.Job"


def converted(node):
    if isinstance(node, list):
        return [converted(one) for one in node]
    if not isinstance(node, dict):
        return node
    if node.get("format") == "int-or-string":
        return {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    out = {key: converted(value) for key, value in node.items() if not key.startswith("x-kubernetes-") and key != "description"}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object" and "additionalProperties" not in node:
        out["additionalProperties"] = False
    return out


def reached(definitions, name, into):
    if name in into:
        return
    into[name] = converted(definitions[name])
    text = json.dumps(into[name])
    for other in definitions:
        if f'"#/definitions/{other}"' in text:
            reached(definitions, other, into)


def main():
    definitions = json.load(open(sys.argv[1]))["definitions"]
    kept = {}
    reached(definitions, ROOT, kept)
    json.dump({"$ref": f"#/definitions/{ROOT}", "definitions": kept}, open(sys.argv[2], "w"))


if __name__ == "__main__":
    main()
