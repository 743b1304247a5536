"""Ports for programs that are started later, or that are killed and started again in their place. As a program, prints so many ports,
each on a line: ports.py NUMBER."""

import random
import socket
import sys

# Below those that systems give out (from 32,768 on Linux): no connection of this machine takes one before its program is there, or
# while it is away.
PORTS = range(25_000, 32_000)
GIVEN = set()


def free_port():
    """A port of this machine that nothing listens on, and that was not given before."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        if port in GIVEN:
            continue
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        GIVEN.add(port)
        return port


if __name__ == "__main__":
    for _ in range(int(sys.argv[1])):
        print(free_port())
