"""Credentials out of the keyring of this machine: the kernel's, where the kernel lends one; a desktop's, where there is a
daemon; and what is told where there is none or where it never answers. Usage: keyring.py CALLGATE (built with the feature
`keyring`)"""

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from calling import Callgate, Checks, Service

HERE = pathlib.Path(__file__).parent
ADD_KEY, KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(os.uname().machine, (None, None))
JOIN_SESSION, SESSION = 1, -3
# Seconds: of a read, unless a part says otherwise, and of a start.
TIMEOUT, PATIENCE = 30, 120
libc = ctypes.CDLL(None, use_errno=True)
told = Checks()


def configuration(service, backend, timeout=f"{TIMEOUT}s"):
    def toolset(token):
        auth = {"bearer": {"token": token}}
        return {"openapi": str(HERE / "aws/things.json"), "server": service.url, "auth": auth}

    return {
        "secrets": {"keyring": {"backend": backend}, "cache": {"timeout": timeout}},
        "toolsets": {
            "pets": toolset("keyring:pets/rex"),
            "none": toolset("keyring:pets/none"),
            "other": toolset("literal:other"),
        },
    }


def system(number, *arguments):
    """A system call's answer, or the name of its error."""
    answer = libc.syscall(number, *arguments)
    return answer if answer >= 0 else os.strerror(ctypes.get_errno())


def kernel(callgate, service):
    # A session of our own, which the command below inherits, so that nothing is left behind.
    joined = system(KEYCTL, JOIN_SESSION, None) if KEYCTL else "not known on this processor"
    if isinstance(joined, str):
        return print(f"the kernel's keyring is not compared: {joined}")
    for value in (b"canary-of-rex", b"canary-of-rex-2\n"):
        added = system(ADD_KEY, b"user", b"keyring:rex@pets", value, len(value), ctypes.c_int(SESSION))
        if isinstance(added, str):
            return print(f"the kernel's keyring is not compared: {added}")
        service.seen.clear()
        ran = callgate.ran(configuration(service, "kernel"), ["pets-root"])
        told("the kernel's keyring: an entry as it is now", service.seen == [value.decode().strip()], ran.stderr)
        is_noted = "line break at the end of a stored secret was removed: keyring:pets/rex" in ran.stderr
        told("the kernel's keyring: its line break is told", is_noted == value.endswith(b"\n"), ran.stderr)
    ran = callgate.ran(configuration(service, "kernel"), ["none-root"])
    why = "the keyring has no such entry: `keyring:pets/none`"
    told("the kernel's keyring: no entry", why in ran.stderr and ran.returncode == 1, ran.stderr)


def absent(callgate, service):
    began = time.monotonic()
    bus = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={callgate.folder}/nothing"}
    ran = callgate.ran(configuration(service, "platform"), ["pets-root"], bus)
    why = "the keyring of this machine cannot be reached or is locked: `keyring:pets/rex`"
    is_told = why in ran.stderr and "cannot be read now" in ran.stderr
    told("no daemon: told, with the reference", is_told and time.monotonic() - began < TIMEOUT, ran.stderr)


def stuck(callgate, service):
    """A bus that takes connections and never answers."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(callgate.folder / "bus"))
    listener.listen()
    bus = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={callgate.folder}/bus"}
    service.seen.clear()
    began = time.monotonic()
    calls = [("pets-root", {}), ("other-root", {}), ("none-root", {})]
    answers = callgate.calls(configuration(service, "platform", "1s"), calls, 3, bus)
    took = time.monotonic() - began
    codes = [answer.get("error", {}).get("next") for answer in answers]
    told("a daemon that never answers: others are called", codes == ["try_later", None, "try_later"], str(answers))
    told(f"a daemon that never answers: the command ends ({took:.1f} s)", took < 10)
    listener.close()


def has_name(environment):
    """Whether there is a daemon of secrets on the bus."""
    asked = ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]
    asked += ["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]
    return b"boolean true" in subprocess.run(asked, env=environment, capture_output=True, timeout=PATIENCE).stdout


def desktop(callgate, service):
    for tool in ("dbus-daemon", "gnome-keyring-daemon", "secret-tool"):
        if not shutil.which(tool):
            return print(f"the Secret Service is not compared: {tool} absent")
    address = f"unix:path={callgate.folder}/session"
    home = {"HOME": str(callgate.folder), "XDG_RUNTIME_DIR": str(callgate.folder), "DBUS_SESSION_BUS_ADDRESS": address}
    environment = os.environ | home
    bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", f"--address={address}"], env=environment)
    until = time.monotonic() + PATIENCE
    while not (callgate.folder / "session").exists() and time.monotonic() < until:
        time.sleep(0.05)
    daemon = subprocess.Popen(
        ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        daemon.stdin.write(b"password")
        daemon.stdin.close()
        # Before the daemon has its name, the bus would start another one.
        while not has_name(environment):
            if time.monotonic() > until:
                raise RuntimeError("the daemon has no name on the bus")
            time.sleep(0.1)
        stored = ["secret-tool", "store", "--label=rex", "service", "pets", "username", "rex"]
        while subprocess.run(stored, env=environment, input=b"canary-of-rex", capture_output=True, timeout=PATIENCE).returncode:
            if time.monotonic() > until:
                raise RuntimeError("the daemon stores nothing")
            time.sleep(0.1)
        service.seen.clear()
        ran = callgate.ran(configuration(service, "platform"), ["pets-root"], home)
        told("the Secret Service: an entry", service.seen == ["canary-of-rex"], ran.stderr)
        ran = callgate.ran(configuration(service, "platform"), ["none-root"], home)
        told("the Secret Service: no entry", "the keyring has no such entry" in ran.stderr, ran.stderr)
    finally:
        for process in (daemon, bus):
            process.send_signal(signal.SIGTERM)
            process.wait(60)


with tempfile.TemporaryDirectory(prefix="callgate-keyring-") as name:
    callgate, service = Callgate(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(name)), Service()
    for part in (kernel, absent, stuck, desktop):
        part(callgate, service)
    told("callgate wrote no secret", "canary" not in callgate.wrote)
sys.exit(1 if told.failures else 0)
