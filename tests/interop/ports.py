"""Ports for programs that are killed and started again in their place."""

import random
import socket

# Below those that systems give out (from 32,768 on Linux), so that nobody takes one while its program is away.
PORTS = range(22_000, 32_000)


def free_port():
    """A port of this machine that nothing listens on."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
