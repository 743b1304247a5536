"""Installs the package of Debian in a root over this machine's, and looks at what it brought: lintian finds no error, pages, completions,
and a unit whose exposure is small and whose socket stays while the service is started again. Needs root, or user namespaces with overlays.
Usage: debian.py PACKAGE."""

import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from ports import free_port
from sidecar import get, run, unshared
from slow import SlowService

# The scale ends at 10: a unit without a word about it has 9.6.
MOST_EXPOSURE = 1.5
STARTS = 3
# The requests that are served before each stop.
SERVED = 10
INSIDE = r"""
set -eu
mount -t tmpfs over "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --bind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc" 2>/dev/null || mount --rbind /proc "$1/root/proc"
cp "$2" "$1/root/callgate.deb"
chroot "$1/root" dpkg --install /callgate.deb > /dev/null
chroot "$1/root" sh -euc '
    mkdir -p /etc/callgate && echo "toolsets: {pets: {openapi: pets.yaml, server: http://127.0.0.1:1}}" > /etc/callgate/callgate.yaml
    /usr/bin/callgate --version
    systemd-analyze verify --man=no callgate.service callgate.socket 2>&1 | grep callgate || true
    man --warnings --local-file /usr/share/man/man1/callgate-serve.1.gz 2>&1 | grep -c "callgate-serve" >&2 || true
    bash -c ". /usr/share/bash-completion/completions/callgate && complete -p callgate"
    dpkg --remove callgate > /dev/null
    test ! -e /usr/bin/callgate
'
"""


def installed(package):
    with tempfile.TemporaryDirectory() as folder:
        lines = unshared(INSIDE, folder, package).splitlines()
    assert re.fullmatch(r"callgate \d.*", lines[0]), lines
    assert any("complete" in line for line in lines), lines
    assert not any(line.startswith("callgate.s") for line in lines), lines


def judged(package):
    if not shutil.which("lintian"):
        return "no lintian"
    found = subprocess.run(["lintian", "--fail-on", "error", package], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    return f"lintian: {len(found.stdout.splitlines())} warnings"


def exposure(unit):
    said = run("systemd-analyze", "security", "--offline=true", unit)
    number = float(re.search(r"exposure level for callgate.service: ([\d.]+)", said)[1])
    assert number <= MOST_EXPOSURE, said
    return number


def no_call_is_refused(root):
    """The socket is the service manager's: calls while the service is started again wait, and no connection is refused. One request that is
    arriving when the service stops is told so (503). The command is started as the unit does it, and ends by SIGTERM within the
    time that the unit allows."""
    port, problems, served = free_port(), [], []
    folder = pathlib.Path(root)
    SlowService().write_configuration(folder, {})
    [start] = re.findall(r"^ExecStart=/(\S+) (\S+) ", (folder / "lib/systemd/system/callgate.service").read_text(), re.MULTILINE)
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    ended = threading.Event()

    def calling():
        while not ended.is_set():
            try:
                served.append(get(f"http://127.0.0.1:{port}/v1/tools"))
            except OSError as error:
                problems.append(error)

    caller = threading.Thread(target=calling)
    caller.start()
    for _ in range(STARTS):
        # A process of a unit has the socket as descriptor 3, and LISTEN_PID is its own.
        script = 'exec 3<&"$1"; shift; export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"'
        command = ["sh", "-c", script, "sh", str(listener.fileno()), str(folder / start[0]), start[1], str(folder / "callgate.yaml")]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], stderr=subprocess.DEVNULL)
        # It is stopped while it serves.
        before, until = len(served), time.monotonic() + 60
        while len(served) < before + SERVED and time.monotonic() < until:
            time.sleep(0.05)
        process.terminate()
        assert process.wait(timeout=45) is not None
    ended.set()
    listener.close()
    caller.join()
    refused = [error for error in problems if getattr(error, "code", None) != 503]
    # The last caller of all waits for a service that does not come.
    assert len(served) > 10 and len(refused) <= 1 and len(problems) <= STARTS + 1, (len(served), len(problems), refused[:3])
    return len(served)


def main():
    package = pathlib.Path(sys.argv[1]).resolve()
    found = judged(package)
    installed(package)
    with tempfile.TemporaryDirectory() as root:
        run("dpkg", "-x", package, root)
        number = exposure(pathlib.Path(root, "lib/systemd/system/callgate.service"))
        served = no_call_is_refused(root)
    print(f"debian: installed and removed, {found}, exposure {number}, {served} requests over {STARTS} starts of one socket")


if __name__ == "__main__":
    main()
