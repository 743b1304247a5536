"""The first day by the files and commands of the manual's chapter "Deploy" (`printed.py`), in a network and over folders of its own: install,
configure, two sidecars behind HAProxy, an alert at its first event, a failover of Redis, an upgrade, a backup and its restore. Callers
write under keys the whole time. Usage: walk.py FOLDER, which has the packages `former.deb` and `callgate.deb`, or the commands by these names."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import callers
import printed
import proxies
from stores import AUTHORITY, CLIENT, PASSWORD, Stores, wait_for

SECRETS = {
    "callers-token": proxies.SECRETS["CALLGATE_TOKEN"],
    "redis-password": PASSWORD,
    "state-key": proxies.SECRETS["STATE_KEY"],
    "pets-key": "a-key-of-the-pets",
}
CREDENTIALS = pathlib.Path("/run/credentials/callgate.service")
RULES = pathlib.Path("/usr/share/doc/callgate/examples")


def run(line, folder=None, **variables):
    ended = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, timeout=120, env=CLIENT | variables)
    assert ended.returncode == 0, f"first day: `{line}`: {ended.stdout[-2000:]}{ended.stderr[-2000:]}"
    return ended.stdout


def check(line, folder=None):
    """The description has warnings on purpose (exit 1), and no error."""
    ended = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ended.returncode in (0, 1) and "error[" not in ended.stderr, f"first day: `{line}`: {ended.stderr[-3000:]}"


def step(text):
    print(f"first day, {time.monotonic() - BEGUN:4.0f} s: {text}", flush=True)


def own_folders(folder):
    """What the day changes of this machine is gone after it, and the addresses of the chapter are here."""
    over = folder / "over"
    over.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", over], check=True)
    for name in ("usr", "etc", "var"):
        upper, work = over / f"{name}-upper", over / f"{name}-work"
        upper.mkdir()
        work.mkdir()
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/{name},upperdir={upper},workdir={work}", f"/{name}"], check=True)
    proxies.prepare(folder)
    for address in ("10.0.0.10", "10.0.0.11"):
        subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)


def install(folder, name):
    """The package as the chapter installs it; of a quick walk, the command and the examples."""
    package = folder / f"{name}.deb"
    if package.exists():
        # A machine without documentation has no alert rules either.
        run(f"dpkg --path-include='{RULES}/*' --force-downgrade --install {package}")
        return
    shutil.copy(folder / name, "/usr/bin/callgate.new")
    os.replace("/usr/bin/callgate.new", "/usr/bin/callgate")
    shutil.copytree(printed.ROOT / "docs/operations", RULES, dirs_exist_ok=True)


class Machine:
    """One with a sidecar, which is configured by what `callgate init` writes and prints."""

    def __init__(self, address, folder, url):
        self.address, self.home, self.folder, self.process = address, folder / address, f"/etc/callgate/{address}", None
        self.home.mkdir()
        shutil.copy(printed.ROOT / "fixtures/pets/spec.yaml", self.home / "pets.yaml")
        (self.home / "config").mkdir()
        shutil.copy(AUTHORITY, self.home / "config/ca.pem")
        for name, text in SECRETS.items():
            (self.home / name).write_text(text)
        config = printed.file("callgate.yaml").replace("10.0.0.1:84", f"{address}:84")
        (self.home / "callgate.yaml").write_text(config.replace("fixtures/pets/spec.yaml", f"pets.yaml\n    server: {url}"))
        self.install()

    def install(self):
        """The commands of the chapter up to the start, and those that they print; systemd's part is done by hand."""
        for line in printed.commands("Two sidecars"):
            if line.startswith("callgate check"):
                check(line, self.home)
            if line.startswith("callgate init"):
                for command in run(line, self.home).splitlines():
                    if not command.startswith("systemctl"):
                        run(command.replace("/etc/callgate", self.folder), self.home)
        unit = pathlib.Path("/etc/systemd/system")
        drop_in = (unit / "callgate.service.d/secrets.conf").read_text()
        CREDENTIALS.mkdir(parents=True, exist_ok=True)
        for name, file in re.findall(r"^LoadCredential=([^:]+):/etc/callgate/(.+)$", drop_in, re.MULTILINE):
            shutil.copy(f"{self.folder}/{file}", CREDENTIALS / name)
        [start] = re.findall(r"^ExecStart=(.+)$", (unit / "callgate.service").read_text(), re.MULTILINE)
        self.line = start.replace("/etc/callgate", self.folder).split()

    def start(self):
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(self.line, stderr=log, cwd=self.home)
        self.wait_until_ready()

    def wait_until_ready(self):
        [line] = [line for line in printed.commands("Two sidecars") if line.startswith("callgate health")]
        line = line.replace("/etc/callgate", self.folder)
        wait_for(f"{self.address} is ready", lambda: subprocess.run(line, shell=True, capture_output=True).returncode == 0)

    def stop(self):
        self.process.terminate()
        assert self.process.wait(timeout=45) == 0, f"first day: {self.address} does not stop"

    def metrics(self):
        request = urllib.request.Request(f"http://{self.address}:8411/metrics", headers={"Authorization": proxies.HEADERS["Authorization"]})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read().decode()

    def metric(self, series):
        found = re.search(rf"^{re.escape(series)} (\S+)$", self.metrics(), re.MULTILINE)
        return found and float(found[1])


class Prometheus:
    """By the file of the chapter, with a second in place of its intervals."""

    def __init__(self, folder):
        place = pathlib.Path("/etc/prometheus")
        place.mkdir(exist_ok=True)
        (place / "callers-token").write_text(SECRETS["callers-token"])
        file = place / "prometheus.yml"
        file.write_text(printed.file(str(file)).replace("15s", "1s"))
        with (folder / "prometheus.log").open("w") as log:
            line = ["prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder}/tsdb", "--web.listen-address=127.0.0.1:9090"]
            self.process = subprocess.Popen(line, stdout=log, stderr=log)
        try:
            wait_for("Prometheus sees both sidecars", lambda: self.number("sum(up)") == 2)
        except AssertionError:
            print((folder / "prometheus.log").read_text()[-2000:], self.ask("targets"))
            raise

    def ask(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:9090/api/v1/{path}", timeout=20) as answer:
                return json.load(answer)["data"]
        except OSError:
            return {}

    def number(self, expression):
        found = self.ask(f"query?query={expression}").get("result")
        return float(found[0]["value"][1]) if found else None

    def firing(self):
        return [alert["labels"] for alert in self.ask("alerts").get("alerts", []) if alert["state"] == "firing"]


def configured(folder, service):
    """A profile of the description calls the service; then both machines get their files."""
    shutil.copy(printed.ROOT / "fixtures/pets/spec.yaml", folder / "pets.yaml")
    home = {"XDG_CONFIG_HOME": str(folder / "profiles"), "PETS_KEY": SECRETS["pets-key"]}
    run(f"callgate init pets pets.yaml --server {service.url} --credential key=env:PETS_KEY", folder, **home)
    run("callgate call pets createPet name=first species=cat", folder, **home)
    assert service.made.pop() == "first" and service.keys == {SECRETS["pets-key"]}, service.keys
    machines = [Machine(address, folder, service.url) for address in proxies.SIDECARS]
    step("installed, a profile calls the service, the files of two machines are in place")
    return machines


def deployed(machines):
    for machine in machines:
        machine.start()
    proxy = proxies.Haproxy()
    wait_for("HAProxy answers", lambda: callers.ask("GET", "/readyz")[0] == 200)
    [line] = [line for line in printed.commands("Two sidecars") if line.startswith("callgate doctor")]
    line = line.replace("/etc/callgate", machines[0].folder)
    # A busy machine may not answer in time.
    wait_for("doctor finds no fault", lambda: subprocess.run(line, shell=True, capture_output=True).returncode == 0)
    step("two sidecars behind HAProxy, with Redis and three sentinels; doctor finds no fault")
    return proxy


def alerted(prometheus, service):
    """The first event of all raises the alert: no series of it was there before."""
    assert not prometheus.firing(), prometheus.firing()
    service.breaks.add("broken-off")
    result = callers.create("broken-off", "key-broken-off")
    assert result["error"]["reached"] == "maybe", result
    begun, expected = time.monotonic(), {"alertname": "CallgateCallsMayHaveBeenExecuted", "toolset": "pets"}
    wait_for("the alert fires", lambda: any(expected.items() <= labels.items() for labels in prometheus.firing()))
    step(f"the first call that was broken off raised its alert after {time.monotonic() - begun:.1f} s")


def failed_over(stores, going):
    dead, took = stores.fail_over()
    begun = time.monotonic()
    going.go_on(0)
    open_again = took + time.monotonic() - begun
    dead.start()
    stores.wait_for_replicas(2)
    going.go_on()
    step(f"the primary was killed: another after {took:.1f} s, writes go on after {open_again:.1f} s; the dead server is a replica")


def upgraded(folder, machines, going):
    """Another command and another configuration, one machine after the other."""
    former = {machine.metric("callgate_configuration_digest") for machine in machines}
    install(folder, "callgate")
    for machine in machines:
        config = pathlib.Path(machine.folder, "callgate.yaml")
        config.write_text(config.read_text() + "    tools: { exclude: [deletePet] }\n")
        for line in printed.commands("An upgrade"):
            if line.startswith("systemctl restart"):
                machine.stop()
                machine.start()
            elif not line.startswith("dpkg"):
                (check if line.startswith("callgate check") else run)(line.replace("/etc/callgate", machine.folder))
        # HAProxy has seen that it is back.
        going.go_on(3)
    digests = {machine.metric("callgate_configuration_digest") for machine in machines}
    assert len(digests) == 1 and not digests & former, (former, digests)
    different = 'callgate_replicas{configuration="different"}'
    wait_for("no sidecar serves another configuration", lambda: all(machine.metric(different) == 0 for machine in machines))
    step("both sidecars restarted with another command and another configuration, which they both serve")


def restored(folder, machines, stores, going):
    """All that was kept is there again: a session, and the key of a call that was made before."""
    assert callers.ask("PUT", "/v1/sessions/day", {"parameters": {"shop": 7}})[0] in (200, 201)
    going.service.asides.add("kept")
    before = callers.create("kept", "key-kept")
    assert before.get("status") == 201, before
    copying, *restoring = printed.commands("A backup and its restore")
    copying = copying.replace("redis-ca.pem", str(AUTHORITY)).replace("10.0.0.11", stores.replica().address)
    run(copying, folder)
    assert (folder / "state.rdb").read_bytes().startswith(b"REDIS"), "a copy while all run"
    for machine in machines:
        machine.stop()
    run(copying, folder)
    stores.restore(folder / "state.rdb", restoring)
    for machine in machines:
        machine.start()
    going.go_on()
    again = callers.create("kept", "key-kept")
    assert again.get("response") == before["response"], (before, again)
    assert callers.ask("GET", "/v1/sessions/day")[1].get("parameters") == {"shop": 7}
    numbers = [machine.metric("callgate_sessions") for machine in machines]
    assert numbers == [1, 1], f"sessions that the metrics count: {numbers}"
    step("the copy is restored: a session, its number in the metrics, and the result of a key that was used before")


def main():
    folder = pathlib.Path(sys.argv[1])
    own_folders(folder)
    install(folder, "former")
    service = callers.Service()
    stores = Stores()
    machines = configured(folder, service)
    proxy = deployed(machines)
    prometheus = Prometheus(folder)
    going = callers.Callers(service)
    try:
        going.go_on()
        alerted(prometheus, service)
        failed_over(stores, going)
        upgraded(folder, machines, going)
        restored(folder, machines, stores, going)
    finally:
        going.ended.set()
    text = going.end()
    for machine in machines:
        machine.stop()
    stores.stop()
    for process in (prometheus.process, proxy.process):
        process.terminate()
    step(text)


BEGUN = time.monotonic()

if __name__ == "__main__":
    main()
