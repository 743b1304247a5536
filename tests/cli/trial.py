"""One scene: a home with nothing in it, a service on loopback, and a pseudo-terminal that commands run in."""

import codecs
import fcntl
import http.server
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import tempfile
import termios
import threading
import time

# No command of a scene takes longer.
PATIENCE = 300
# What Ctrl-C sends.
INTERRUPT = "\x03"
# Begins a line anew, so that what was there is gone.
CLEARED = "\r\x1b[2K"
# The page of a login, whole.
PAGE = re.compile(r"(http\S+/auth\?\S+)\s")
# The progress of a download.
PROGRESS = re.compile(r"[\d.]+ \w+ of ([\d.]+ \w+) \[[^]]*\] [\d.]+ \w+/s, \d+\w left")


class Trial:
    """Runs commands as a person types them, and keeps what the terminal shows."""

    def __init__(self, callgate, columns, colour):
        self.callgate, self.columns, self.colour = str(pathlib.Path(callgate).resolve()), columns, colour
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="journey-"))
        self.variables, self.servers, self.shown = {}, [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.home)

    def stop(self):
        """Ends the services."""
        while self.servers:
            server = self.servers.pop()
            server.shutdown()
            server.server_close()

    def show(self, *names):
        """Shows files as `cat` does."""
        for name in names:
            self.shown.append(f"$ cat {name}\n{self.scrubbed((self.home / name).read_text())}")

    def files(self):
        """Lists the files of the home, those that are hidden too."""
        names = sorted(path.name for path in self.home.iterdir() if path.is_file())
        self.shown.append("$ ls -A\n" + "".join(f"{name}\n" for name in names))

    def serve(self, answers):
        """A service that answers paths with (status, media type, bytes), or with what a function makes of a request, which may
        set `links` on it, and answers itself where it returns nothing; its URL."""

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers from the table."""

            server_version, sys_version = "Service", ""

            def do_GET(self):
                answer = answers.get(self.path.split("?")[0], (404, "application/json", b"{}"))
                self.links = ""
                answer = answer(self) if callable(answer) else answer
                if answer is None:
                    return
                status, media, body = answer
                self.send_response(status)
                if self.links:
                    self.send_header("Link", self.links)
                self.send_header("Content-Type", media)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                """Nothing: the terminal is the command's."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    def run(self, *line, code=0, answers=(), interrupt=None, page=None):
        """Runs `callgate LINE`; types each answer once its question is there, and Ctrl-C once a text is; opens the page that is shown."""
        self.shown.append(f"$ callgate {' '.join(line)}\n")
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, self.columns, 0, 0))
            os.chdir(self.home)
            os.execve(self.callgate, ["callgate", *line], self.environment())
        text = self.answered(pid, terminal, [(question, f"{said}\n") for question, said in answers] or [(interrupt, INTERRUPT)], page)
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        ended = os.waitstatus_to_exitcode(status)
        self.shown.append(self.scrubbed(text))
        if ended:
            self.shown.append(f"(exit {ended})\n")
        if ended != code:
            raise AssertionError(f"callgate {' '.join(line)}: expected exit {code}, got {ended}:\n{text[-2000:]}")
        return text

    def answered(self, pid, terminal, answers, page):
        """Everything that is shown until the command ends."""
        text, end = "", time.monotonic() + PATIENCE
        asked = 0
        opened = []
        # A piece may end amid a character.
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                piece = os.read(terminal, 1 << 16)
            except OSError:
                return text
            if not piece:
                return text
            text += decoder.decode(piece)
            if page and not opened and (shown := PAGE.search(text)):
                opened.append(threading.Thread(target=page, args=(shown[1],)))
                opened[0].start()
            if answers and answers[0][0] and answers[0][0] in text[asked:]:
                asked = len(text)
                os.write(terminal, answers.pop(0)[1].encode())
        os.kill(pid, signal.SIGKILL)
        raise AssertionError(f"the command did not end: {text[-2000:]}")

    def environment(self):
        """What the command finds of the machine: a home, and the variables of the scene."""
        shown = {"TERM": "xterm-256color"} if self.colour else {"TERM": "xterm-256color", "NO_COLOR": "1"}
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **shown, **self.variables}

    def scrubbed(self, text):
        """The text without what another run or machine has otherwise."""
        text = text.replace("\r\n", "\n").replace(str(self.home), "~")
        text = "\n".join(map(remaining, text.split("\n")))
        text = re.sub(r"\bin [\d.]+ m?s\b", "in N s", text)
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)
        text = re.sub(r"127\.0\.0\.1%3A\d+", "127.0.0.1%3APORT", text)
        text = re.sub(r"\b(code_challenge|state)=[\w-]+", r"\1=RANDOM", text)
        text = re.sub(r"\b[0-9a-f]{32}\.json\b", "NAME.json", text)
        text = re.sub(r" *\d+ ms", " N ms", text)
        text = re.sub(r"\bapproval_[0-9a-f]{32}\b", "approval_" + "0" * 32, text)
        text = re.sub(r"\b20\d\d-\d\d-\d\dT[\d:]{8}Z", "2026-11-26T10:00:00Z", text)
        for value in self.variables.values():
            assert value not in text, f"a secret is shown: {text}"
        return text.replace("\x1b", "␛")

    def transcript(self):
        """All that was typed and shown."""
        return "".join(self.scrubbed(part) if part.startswith("$ ") else part for part in self.shown)


def remaining(line):
    """What stays of a line that is drawn again and again, behind one drawing of a progress."""
    drawn = line.split(CLEARED)
    progress = next((found for found in map(PROGRESS.search, drawn[:-1]) if found), None)
    shown = f"(drawn and cleared: N MiB of {progress[1]} [###>---] N MiB/s, Ns left)\n" if progress else ""
    return shown + drawn[-1]
