"""The files in `deploy/`: they name metrics, settings and ports that there are."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from askwire.core.protocols import StoreStatus
from askwire.core.settings.relay import PEERS, SHUTDOWN_TIMEOUT
from askwire.core.settings.table import TABLE, load
from askwire.proxy.config_file import PREFIX
from askwire.proxy.operations.exposition import Now, openmetrics
from askwire.proxy.operations.figures import Figures

DEPLOY = Path(__file__).parents[2] / "deploy"
_METRIC = re.compile(r"\baskwire_[a-z_]+\b")


@pytest.fixture(scope="module")
def metrics() -> set[str]:
    """Return the names that monitoring gets, of a process that has done everything once."""
    figures = Figures()
    figures.calls["x", "answered"] = figures.tokens["x", "prompt"] = figures.bytes_left["x"] = 1
    figures.cost["x"] = 1.0
    figures.stage_seconds["planner"].add(1.0)
    text = openmetrics(figures, Now((), StoreStatus())).decode()
    samples = set(re.findall(r"^(askwire_[a-z_]+)", text, re.MULTILINE))
    return samples | set(re.findall(r"^# TYPE (askwire_[a-z_]+)", text, re.MULTILINE))


def test_dashboard_and_alerts_use_metrics_that_there_are(metrics: set[str]) -> None:
    named = set(_METRIC.findall((DEPLOY / "alerts.yaml").read_text()))
    dashboard = json.loads((DEPLOY / "grafana" / "askwire.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            named |= set(_METRIC.findall(target["expr"]))
    assert len(named) > 10
    assert named <= metrics
    shown = {panel["id"] for panel in dashboard["panels"]}
    assert len(shown) == len(dashboard["panels"])


def test_alerts_ask_for_the_job_that_targets_have() -> None:
    alerts = (DEPLOY / "alerts.yaml").read_text()
    (job,) = set(re.findall(r'job="(\w+)"', alerts))
    assert f'up{{job="{job}"}} == 0' in alerts
    assert f'absent(up{{job="{job}"}})' in alerts, "a target that is not found is not down"
    monitor = (DEPLOY / "kubernetes" / "monitor.yaml").read_text()
    label = re.search(r"^  jobLabel: (\S+)$", monitor, re.MULTILINE)
    assert label is not None, "the job has the name of the Service then"
    assert f"pairs: {{{label[1]}: {job}}}" in (DEPLOY / "kubernetes" / "kustomization.yaml").read_text()
    assert f"job_name: {job}\n" in (DEPLOY.parent / "docs" / "operations.md").read_text()


def _variables(text: str) -> Iterator[str]:
    yield from re.findall(rf"^\s+{PREFIX}([A-Z_]+):", text, re.MULTILINE)


def test_the_compose_file_sets_what_can_be_set() -> None:
    named = {name.lower() for name in _variables((DEPLOY / "compose.yaml").read_text())}
    assert named
    assert named <= set(TABLE)
    balancer = (DEPLOY / "haproxy.cfg").read_text()
    assert set(re.findall(r"server (askwire\d) askwire\d:6432", balancer)) == {"askwire1", "askwire2"}


def test_the_askwires_of_the_compose_file_own_nothing_in_the_store() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    services = dict(re.findall(r"^  (\w+):.*\n((?:    .*\n|\n)+)", text, re.MULTILINE))
    logins = {
        name: found[1]
        for name, lines in services.items()
        if (found := re.search(r"ASKWIRE_STORE: postgresql://(\w+):", lines))
    }
    assert logins == {"askwire1": "askwire", "migrate": "postgres"}, "askwire2 has the settings of askwire1"
    assert "command: [store, migrate, --login, askwire]" in services["migrate"]
    assert "migrate: {condition: service_completed_successfully}" in text[: text.index("services:")]


def test_the_configuration_of_the_pods_can_be_used() -> None:
    text = (DEPLOY / "kubernetes" / "config.yaml").read_text().partition("askwire.toml: |\n")[2]
    content = tomllib.loads(text)
    settings = load({name: str(value) for name, value in content.items()})
    deployment = (DEPLOY / "kubernetes" / "deployment.yaml").read_text()
    grace = re.search(r"terminationGracePeriodSeconds: (\d+)", deployment)
    assert grace is not None
    assert int(grace[1]) * 1000 >= settings[SHUTDOWN_TIMEOUT] + 10_000, "preStop, and to end"
    host, _, port = settings[PEERS].partition(":")
    services = (DEPLOY / "kubernetes" / "service.yaml").read_text()
    assert f"name: {host}" in services
    assert f"port: {port}," in services


def test_every_file_of_the_kustomization_is_there() -> None:
    folder = DEPLOY / "kubernetes"
    listed = set(re.findall(r"^  - (\S+\.yaml)$", (folder / "kustomization.yaml").read_text(), re.MULTILINE))
    assert listed == {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
