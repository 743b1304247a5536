"""Compares the dialects with the libraries of their owners: their types take our declarations, what they read of a model's
answer is understood by us, and what we answer by them, through whole loops of calls against a scripted model.

Usage: check.py CALLGATE [MANIFEST]. Exits with 1 where something differs."""

import pathlib
import sys
import tempfile

import declared
import loops
import messages
from sidecar import Orders, Sidecar

sys.path.insert(1, str(pathlib.Path(__file__).parent.parent))

from calling import Checks

told = Checks()
callgate = str(pathlib.Path(sys.argv[1]).resolve())
declared.check(callgate, sys.argv[2] if len(sys.argv) > 2 else None, told)
with tempfile.TemporaryDirectory(prefix="callgate-dialects-") as name, Orders() as orders:
    with Sidecar(callgate, pathlib.Path(name), orders) as sidecar:
        messages.check(sidecar, told)
        loops.check(sidecar, orders, told)
sys.exit(1 if told.failures else 0)
