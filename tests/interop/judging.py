"""Runs the judge's own programs inside this process: a description takes seconds to start Python for, and a fraction of
one to judge."""

import contextlib
import importlib
import io
import sys


def run(folder, program, *arguments):
    """Runs `program` of the judge's folder as its command line would, and answers what it prints."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module = importlib.import_module(program)
    before, printed = sys.argv, io.StringIO()
    sys.argv = [program, *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(printed):
            module.main()
    finally:
        sys.argv = before
    return printed.getvalue()


def described(folder, file):
    """A description as the judge reads it."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module("oas").Spec(str(file))
