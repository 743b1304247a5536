"""Renders the chart over a matrix of values by Helm's own code, without a cluster, and has each manifest judged by the schemas of
Kubernetes, where an unknown key is a fault. What the chart makes of a configuration is served by callgate, and what must not be
installed is refused. The container beside an agent (`sidecar.yaml`) is judged, too. Usage: chart.py CALLGATE CHART."""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import kubernetes_validate
import yaml
from helm_python import Chart, lint

ROOT = pathlib.Path(__file__).resolve().parents[3]
KUBERNETES = "1.31"
TOOLSETS = {"pets": {"openapi": "pets.json", "server": "https://pets.example/v1", "auth": "none"}}
PETS = json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "ok"}}}}}})
CONFIG = {"access": {"bearer": "directory:token"}, "toolsets": TOOLSETS}
REDIS = {"state": {"redis": {"url": "redis://redis:6379"}, "key": "directory:state-key"}}
PEERS = [{"podSelector": {"matchLabels": {"app": "agent"}}}]
# Each part of the values in its forms, for a product of them.
PARTS = [
    [{"replicas": 1}, {"replicas": 3, "config": CONFIG | REDIS}, {"persistence": {"enabled": True}, "config": CONFIG | {"state": {"file": "/var/lib/callgate/state.db"}}}],
    [{}, {"secrets": ["callgate", "pets"], "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}],
    [{}, {"networkPolicy": {"enabled": True}}, {"networkPolicy": {"enabled": True, "callers": PEERS, "operators": PEERS, "egress": [{"ports": [{"port": 443}]}]}}],
    [{}, {"podMonitor": {"enabled": True, "token": {"secret": "s", "key": "k"}}, "serviceAccount": {"name": "cloud"}, "nodeSelector": {"a": "b"}, "podAnnotations": {"a": "b"}, "tolerations": [{"operator": "Exists"}], "imagePullSecrets": [{"name": "r"}], "service": {"type": "LoadBalancer", "annotations": {"a": "b"}}, "persistence": {"storageClass": "fast"}}],
    [{}, {"stop": {"pause": 0}, "disruptionBudget": {"enabled": False}, "config": {"hosts": ["callgate.example.com"], "listen": {"address": "0.0.0.0:8410", "tls": {"certificate": "/run/secrets/tls.crt", "key": "directory:tls.key"}}}}],
]
REFUSED = [
    ({"replicas": 2}, "config.state.redis"),
    ({"config": CONFIG | {"state": {"file": "s.db"}}}, "persistence.enabled"),
    ({"config": {"toolsets": TOOLSETS, "access": None}}, "access"),
    ({"replicass": 2}, "replicass"),
    ({"podMonitor": {"enabled": True}}, "secret"),
    ({"files": {"callgate.yaml": ""}}, "callgate.yaml"),
]


def merged(*parts):
    whole = {}
    for part in parts:
        for name, value in part.items():
            whole[name] = merged(whole.get(name, {}), value) if isinstance(value, dict) and isinstance(whole.get(name, {}), dict) else value
    return whole


def manifests(chart, values):
    rendered = chart.render(values, name="tools", namespace="agents")
    return [manifest for path, text in sorted(rendered.items()) if path.endswith(".yaml") for manifest in yaml.safe_load_all(text) if manifest]


def judge(manifest):
    # A kind of the operator of Prometheus, which Kubernetes' schemas do not have.
    if manifest["kind"] != "PodMonitor":
        kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


def judges_strictly(manifest):
    try:
        judge(manifest | {"spec": manifest["spec"] | {"replicaz": 1}})
    except kubernetes_validate.ValidationError:
        return
    raise SystemExit("chart: the judge takes unknown keys")


def served(callgate, manifest, folder):
    """The configuration of a chart is one that callgate reads without a fault."""
    for name, text in manifest["data"].items():
        (folder / name).write_text(text)
    config = yaml.safe_load(manifest["data"]["callgate.yaml"])
    assert {"tools-callgate", "tools-callgate.agents.svc"} <= set(config["hosts"]), config
    ended = subprocess.run([callgate, "check", folder / "callgate.yaml"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def refused(chart):
    base = {"config": CONFIG, "files": {"pets.json": PETS}}
    for values, reason in REFUSED:
        try:
            values = merged(base, values)
            chart.validate_schema(values)
            chart.render(values, name="tools")
        except Exception as error:
            assert reason in str(error), (values, error)
        else:
            raise SystemExit(f"chart: rendered, though {reason}: {values}")


def main():
    callgate, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    chart = Chart.load(str(folder))
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert chart.metadata["version"] == chart.metadata["appVersion"] == version, chart.metadata
    for file in ("kubernetes/sidecar.yaml", "compose/compose.yaml"):
        assert f"callgate:{version}" in (ROOT / "packages/deploy" / file).read_text(), file
    n_manifests = 0
    kinds = set()
    for parts in itertools.product(*PARTS):
        values = merged({"config": CONFIG, "files": {"pets.json": PETS}}, *parts)
        chart.validate_schema(values)
        made = manifests(chart, values)
        for manifest in made:
            judge(manifest)
        judges_strictly(next(manifest for manifest in made if manifest["kind"] == "Deployment"))
        n_manifests += len(made)
        kinds |= {manifest["kind"] for manifest in made}
    with tempfile.TemporaryDirectory() as name:
        for values in ({"config": CONFIG}, {"config": CONFIG | REDIS, "replicas": 2}):
            made = manifests(chart, values | {"files": {"pets.json": PETS}})
            [config] = [manifest for manifest in made if manifest["kind"] == "ConfigMap"]
            served(callgate, config, pathlib.Path(name))
    report = lint(str(folder), values={"config": CONFIG}, strict=True)
    # The recommendation of an icon is the only remark.
    assert not report["errors"] and [message["path"] for message in report["messages"]] == ["Chart.yaml"], report
    refused(chart)
    for manifest in yaml.safe_load_all((folder.parent / "sidecar.yaml").read_text()):
        judge(manifest)
    print(f"chart: {n_manifests} manifests of {len(list(itertools.product(*PARTS)))} sets of values ({', '.join(sorted(kinds))}), {len(REFUSED)} refused")


if __name__ == "__main__":
    main()
