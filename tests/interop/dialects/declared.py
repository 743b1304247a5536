"""Declarations of the fixtures and of a sample of the corpus, as each dialect writes them, judged by the owner's types."""

import concurrent.futures
import json
import pathlib
import subprocess

from judges import DECLARATIONS

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Enough tools of many descriptions, and no description for minutes.
MOST_TOOLS, MOST_OF_ONE, MOST_BYTES = 440, 60, 400_000
# Fewer prove nothing of the corpus.
LEAST_TOOLS = 400


def check(callgate, manifest, told):
    files = sorted(file for file in ROOT.glob("fixtures/*/toolset.yaml"))
    files = [next(file.parent.glob("spec.*")) for file in files]
    counted = {dialect: 0 for dialect in DECLARATIONS}
    for file in files:
        judged(callgate, file, told, counted)
    least, shown = (LEAST_TOOLS if manifest else len(files)), 0
    if manifest:
        for file in sample(manifest):
            shown += judged(callgate, file, told, counted)
            if min(counted.values()) >= MOST_TOOLS:
                break
        told(f"{shown} descriptions of the corpus are shown in every dialect", shown > 0)
    for dialect, number in counted.items():
        told(f"{dialect}: its owner's types take {number} declarations (at least {least})", number >= least)


def sample(manifest):
    """Descriptions of middling size, one a provider first."""
    entries = [entry for entry in json.loads(pathlib.Path(manifest).read_text()) if entry["bytes"] < MOST_BYTES]
    entries = [entry for entry in entries if entry["operations"] and not entry["multifile"]]
    seen, first, rest = set(), [], []
    for entry in entries:
        (rest if entry["provider"] in seen else first).append(entry)
        seen.add(entry["provider"])
    folder = pathlib.Path(manifest).parent
    return [folder / entry["path"] for entry in first + rest]


def judged(callgate, file, told, counted):
    """Whether the description is shown at all: one without a server of its own is not."""
    def shown(dialect):
        name, _, form = dialect.partition(" ")
        command = [callgate, "tools", file, "--dialect", name, *(["--form", form] if form else [])]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as workers:
        all_shown = list(workers.map(shown, DECLARATIONS))
    failed = [ran for ran in all_shown if ran.returncode]
    if failed and (len(failed) < len(all_shown) or ROOT in pathlib.Path(file).parents):
        told(f"every dialect shows {file}", False, failed[0].stderr[:400])
    for (dialect, takes), ran in zip(DECLARATIONS.items(), all_shown):
        if ran.returncode:
            continue
        for declaration in json.loads(ran.stdout)[:MOST_OF_ONE]:
            try:
                takes(declaration)
            except Exception as error:
                told(f"{dialect} takes {file}", False, f"{str(error)[:400]}: {json.dumps(declaration)[:400]}")
                break
            counted[dialect] += 1
    return not failed
