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
    if program == "gen_args":
        guard(module)
    before, printed = sys.argv, io.StringIO()
    sys.argv = [program, *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(printed):
            module.main()
    finally:
        sys.argv = before
    return printed.getvalue()


def guard(module):
    """Keeps a reference that leads nowhere from ending the generator: such an operation has the cases to be refused that were
    made before it was met."""
    made = module.negatives

    def negatives(*arguments):
        try:
            yield from made(*arguments)
        except module.Cant:
            return

    if made.__name__ != "guarded":
        negatives.__name__ = "guarded"
        module.negatives = negatives


def described(folder, file):
    """A description as the judge reads it."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module("oas").Spec(str(file))
