"""Three servers of Redis, each with a sentinel, by the files of the chapter, as if each had a machine of its own."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import printed

PASSWORD = "a-password-of-redis"
ADDRESSES = ("10.0.0.9", "10.0.0.10", "10.0.0.11")
AUTHORITY, CERTIFICATE = pathlib.Path("/etc/redis/redis-ca.pem"), pathlib.Path("/etc/redis/redis.pem")
CLIENT = os.environ | {"REDISCLI_AUTH": PASSWORD}


def wait_for(what, is_true, seconds=180, state=str):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, f"first day: expected within {seconds} s: {what}; {state()}"
        time.sleep(0.1)


def certificates():
    """An authority, and the certificate of the servers by their addresses."""
    CERTIFICATE.parent.mkdir(exist_ok=True)
    names = ",".join(f"IP:{address}" for address in ADDRESSES)
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3"]
    authority = ["-subj", "/CN=authority of the servers", "-keyout", "/etc/redis/ca.key", "-out", AUTHORITY]
    subprocess.run([*key, *authority], check=True, capture_output=True)
    signed = ["-CA", AUTHORITY, "-CAkey", "/etc/redis/ca.key", "-subj", "/CN=redis", "-addext", f"subjectAltName={names}", "-addext", "basicConstraints=CA:FALSE"]
    subprocess.run([*key, *signed, "-keyout", "/etc/redis/redis.key", "-out", "/etc/redis/redis.crt"], check=True, capture_output=True)
    CERTIFICATE.write_text(pathlib.Path("/etc/redis/redis.crt").read_text() + pathlib.Path("/etc/redis/redis.key").read_text())


class Server:
    """A server and its sentinel; files have the machine's address in their paths."""

    def __init__(self, address):
        self.address, self.process, self.sentinel = address, None, None
        self.folder, self.data = pathlib.Path("/etc/redis", address), pathlib.Path("/var/lib/redis", address)
        for folder in (self.folder, self.data):
            folder.mkdir(parents=True)
        shutil.chown(self.data, "redis", "redis")
        for name in ("redis.conf", "sentinel.conf"):
            (self.folder / name).write_text(self.own(printed.file(f"/etc/redis/{name}")))

    def own(self, text):
        """A file for this machine; the first one replicates nothing. Addresses of one machine need a word about which of them connects."""
        lines = text.replace("REDIS-PASSWORD", PASSWORD).splitlines()
        if self.address == ADDRESSES[0]:
            lines = [line for line in lines if not line.startswith("replicaof")]
        mine = {f"bind {ADDRESSES[0]}": f"bind {self.address}\nbind-source-addr {self.address}", "dir /var/lib/redis": f"dir {self.data}"}
        return "\n".join(mine.get(line, line) for line in lines) + "\n"

    def start(self):
        self.process = subprocess.Popen(["redis-server", self.folder / "redis.conf"], stdout=subprocess.DEVNULL)
        wait_for(f"{self.address} answers", lambda: "PONG" in self.ask("ping"))

    def watch(self):
        self.sentinel = subprocess.Popen(["redis-server", self.folder / "sentinel.conf", "--sentinel"], stdout=subprocess.DEVNULL)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ask(self, *command, port=6379):
        line = ["redis-cli", "--tls", "--cacert", AUTHORITY, "-h", self.address, "-p", str(port), *command]
        return subprocess.run(line, capture_output=True, text=True, env=CLIENT, timeout=60).stdout


class Stores:
    """All three."""

    def __init__(self):
        certificates()
        self.servers = [Server(address) for address in ADDRESSES]
        for server in self.servers:
            server.start()
        self.wait_for_replicas(2)
        for server in self.servers:
            server.watch()
        wait_for("each sentinel knows all", lambda: all(self.is_watched(server) for server in self.servers))

    def is_watched(self, server):
        return "slaves=2,sentinels=3" in server.ask("info", "sentinel", port=26379)

    def named(self):
        """The server that most sentinels name; none while they do not answer, or do not agree."""
        said = [server.ask("sentinel", "get-master-addr-by-name", "state", port=26379).split("\n")[0] for server in self.servers]
        return next((server for server in self.servers if said.count(server.address) > len(said) / 2), None)

    def replica(self):
        return next(server for server in self.servers if "role:slave" in server.ask("info", "replication"))

    def is_settled(self):
        """A primary is named, acts as one, and is watched with its replicas and nothing else."""
        named = self.named()
        return named is not None and "role:master" in named.ask("info", "replication") and self.is_watched(named)

    def wait_for_replicas(self, number):
        def in_step():
            said = [server.ask("info", "replication") for server in self.servers]
            return any(text.count("state=online") >= number for text in said if "role:master" in text)

        wait_for(f"{number} replicas are in step", in_step)

    def fail_over(self):
        """Kills the primary; the seconds until another is named."""
        dead, begun = self.named(), time.monotonic()
        dead.kill()
        wait_for("another primary is named", lambda: self.named() not in (dead, None))
        took = time.monotonic() - begun
        return dead, took

    def restore(self, copy, commands):
        """The commands of the chapter, for the server that was named last; then the others."""
        primary = self.named()
        self.stop()
        for line in commands:
            line = line.replace("/var/lib/redis", str(primary.data)).replace("/etc/redis", str(primary.folder))
            line = line.replace("state.rdb", str(copy)).replace("10.0.0.10", primary.address).replace("redis-ca.pem", str(AUTHORITY))
            self.run_until_done(line)
        primary.start()
        for server in self.servers:
            if server is not primary:
                server.start()
        self.wait_for_replicas(2)
        for server in self.servers:
            server.watch()
        def state():
            said = [f"{server.ask('sentinel', 'replicas', 'state', port=26379)} {server.ask('info', 'replication')}" for server in self.servers]
            return f"the primary was {primary.address}: {said}"

        # Sentinels that begin on a busy machine may take the primary for down: what they name then has the same data.
        wait_for("the sentinels name a primary", self.is_settled, state=state)

    @staticmethod
    def run_until_done(line):
        """A server that begins, or that writes its log, refuses at first: `redis-cli` ends with 0 and says so."""

        def is_done():
            ended = subprocess.run(line, shell=True, capture_output=True, text=True, env=CLIENT, timeout=60)
            return ended.returncode == 0 and not any(word in ended.stdout + ended.stderr for word in ("ERR", "LOADING", "refused"))

        wait_for(line, is_done)

    def stop(self):
        """The sentinels first: they would promote another server for one that is stopped."""
        for process in [server.sentinel for server in self.servers] + [server.process for server in self.servers]:
            process.terminate()
            process.wait(timeout=120)

