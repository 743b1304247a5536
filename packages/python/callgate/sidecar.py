"""The command of this package, and a sidecar of one's own: a process that listens on a private socket, and ends with the program that
started it, however that ends."""

from __future__ import annotations

import collections
import os
import shutil
import subprocess
import sysconfig
import tempfile
import threading
import weakref
from pathlib import Path

from .errors import StartFailed

# The shell ends the sidecar when its standard input is closed, also where the program was killed. It lets go of the log, so
# that the log ends with the sidecar.
_WATCH = '"$@" & exec 2>&-; read -r _; kill $! 2>/dev/null; wait $!'
# As long as a large description takes on a slow machine.
_START_SECONDS = 120
_STOP_SECONDS = 30


def command_path() -> str:
    """The command that was installed with this package, or else the one that the program would find."""
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    # `pip install --target` puts it beside the package.
    folders = [str(Path(__file__).parents[1] / "bin"), *(sysconfig.get_path("scripts", scheme) for scheme in schemes)]
    for folder in folders:
        path = Path(folder) / "callgate"
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("callgate")
    if found is None:
        raise StartFailed("there is no command `callgate` beside this package, and none in PATH")
    return found


class Sidecar:
    """A running sidecar. `address` is its socket."""

    def __init__(self, config: str | os.PathLike[str] | None, command: str | None) -> None:
        folder = tempfile.mkdtemp(prefix="callgate-")
        self.address = f"unix:{folder}/calls.sock"
        arguments = [command or command_path(), "serve", *([os.fspath(config)] if config is not None else []), "--listen", self.address]
        shell = ["/bin/sh", "-c", _WATCH, "callgate", *arguments]
        try:
            process = subprocess.Popen(
                shell,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StartFailed(f"callgate could not be started: {error}") from error
        self._log: collections.deque[str] = collections.deque(maxlen=50)
        self._end = weakref.finalize(self, _end, process, folder, os.getpid())
        self._listens = threading.Event()
        threading.Thread(target=_read_log, args=(process, self._log, self._listens), daemon=True).start()
        in_time = self._listens.wait(_START_SECONDS)
        if not in_time or not any("listening on" in line for line in self._log):
            why = "".join(self._log).strip() or "it said nothing"
            self._end()
            raise StartFailed(f"callgate did not begin to serve: {why}")

    def end(self) -> None:
        """Ends the process; its running calls may end first."""
        self._end()


def _read_log(process: subprocess.Popen[str], log: collections.deque[str], listens: threading.Event) -> None:
    assert process.stderr is not None
    with process.stderr as lines:
        for line in lines:
            log.append(line)
            if "listening on" in line:
                listens.set()
    listens.set()


def _end(process: subprocess.Popen[str], folder: str, owner: int) -> None:
    if os.getpid() != owner:
        # A copy of the program, made by `fork`: the sidecar is its parent's.
        return
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        # The shell began a session, so the sidecar is of its group.
        os.killpg(process.pid, 9)
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)
