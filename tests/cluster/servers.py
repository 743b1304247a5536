"""The servers of a cluster: Redis, a relay in front of it that stalls, sidecars, and a balancer in front of them."""

import asyncio
import os
import pathlib
import re
import signal
import sys
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "interop"))

from ports import free_port

KEY = "literal:0123456789abcdef0123456789abcdef"


class Process:
    """A program that is stopped, killed and started again."""

    def __init__(self, name, folder, command):
        self.name, self.command, self.log, self.child = name, [str(part) for part in command], folder / f"{name}.log", None

    async def start(self, is_ready):
        with self.log.open("ab") as log:
            self.child = await asyncio.create_subprocess_exec(*self.command, stdout=log, stderr=log, stdin=asyncio.subprocess.DEVNULL)
        for _ in range(2400):
            if self.child.returncode is not None:
                break
            if await is_ready():
                return self
            await asyncio.sleep(0.05)
        last = self.log.read_text(errors="replace").splitlines()[-5:]
        raise SystemExit(f"cluster: {self.name} does not start: " + "\n".join(last))

    def send(self, number):
        if self.child and self.child.returncode is None:
            self.child.send_signal(number)

    async def end(self, number=signal.SIGKILL):
        self.send(number)
        if self.child:
            await self.child.wait()


async def accepts(port):
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 1)
        writer.close()
        return True
    except OSError:
        return False


async def ask(port, command):
    """The reply to a command; nothing from a server that does not answer."""
    try:
        async with asyncio.timeout(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"{command}\r\n".encode())
            data = await reader.readline()
            if size := re.match(rb"\$(\d+)", data):
                data = await reader.readexactly(int(size[1]))
            writer.close()
            return data.decode()
    except (OSError, EOFError, TimeoutError):
        return ""


async def is_ready(port):
    def look():
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1).status == 200
        except (OSError, urllib.error.URLError):
            return False

    return await asyncio.to_thread(look)


class Redis(Process):
    """A server; a durable one writes each change to its disk before it answers."""

    def __init__(self, program, folder, durable=True, name="redis"):
        self.port, self.folder = free_port(), folder / name
        self.folder.mkdir(exist_ok=True)
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "save": "", "appendonly": "yes" if durable else "no"}
        options |= {"appendfsync": "always", "maxmemory-policy": "noeviction", "daemonize": "no"}
        command = [program, *(part for name, value in options.items() for part in (f"--{name}", value))]
        super().__init__(name, folder, command)

    async def up(self):
        async def answers():
            try:
                reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), 1)
                writer.write(b"PING\r\n")
                line = await asyncio.wait_for(reader.readline(), 1)
                writer.close()
                return line == b"+PONG\r\n"
            except (OSError, TimeoutError):
                return False

        return await self.start(answers)


class Relay:
    """Passes bytes on to a port; while it stalls, it keeps connections open and passes nothing."""

    def __init__(self, target):
        self.target, self.flows, self.writers = target, asyncio.Event(), set()
        self.flows.set()

    async def start(self):
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def connected(self, reader, writer):
        try:
            await self.flows.wait()
            further, target = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        self.writers |= {writer, target}
        await asyncio.gather(self.passed(reader, target), self.passed(further, writer))
        self.writers -= {writer, target}

    async def passed(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                await self.flows.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def cut(self):
        """Ends all connections at once, as a router that has forgotten them."""
        for writer in self.writers:
            writer.transport.abort()


class Sidecar(Process):
    def __init__(self, callgate, folder, number, config):
        self.port = free_port()
        command = [callgate, "serve", config, "--listen", f"127.0.0.1:{self.port}"]
        super().__init__(f"sidecar-{number}", folder, command)

    async def up(self):
        return await self.start(lambda: is_ready(self.port))


class Balancer(Process):
    """Gives each request to the next sidecar, and leaves out those that do not answer. It repeats no request."""

    def __init__(self, program, folder, sidecars):
        self.port = free_port()
        lines = ["global", "  maxconn 4096", "defaults", "  mode http", "  timeout connect 1s", "  timeout client 60s"]
        lines += ["  timeout server 60s", "  retries 0", f"frontend f\n  bind 127.0.0.1:{self.port}\n  default_backend b", "backend b"]
        lines += ["  balance roundrobin", "  option httpchk GET /readyz", "  default-server inter 200ms fall 1 rise 1"]
        lines += [f"  server s{at} 127.0.0.1:{sidecar.port} check" for at, sidecar in enumerate(sidecars)]
        file = folder / "haproxy.cfg"
        file.write_text("\n".join(lines) + "\n")
        super().__init__("haproxy", folder, [program, "-f", file, "-db"])

    async def up(self):
        return await self.start(lambda: accepts(self.port))


def program(*names):
    """The first of these programs that the machine has, by name or by path."""
    folders = [pathlib.Path(folder) for folder in os.environ["PATH"].split(":")] + [pathlib.Path("/usr/sbin")]
    for name in names:
        for path in [pathlib.Path(name)] if "/" in name else [folder / name for folder in folders]:
            if path.is_file():
                return path
    raise SystemExit(f"cluster: the program {names[0]} is absent: install the package that the workflow of CI names for it")
