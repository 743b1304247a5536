"""Writes what `callgate serve` without a configuration answers from: the fixtures of the pet service, as two files that are
part of the published crate. Run it after a change of `fixtures/pets`; a test of callgate-gateway compares the two."""

import json
from pathlib import Path

root = Path(__file__).resolve().parent.parent
pets = root / "fixtures/pets"
demo = root / "crates/gateway/src/source/demo"

recordings = [
    {"name": case.name} | {part: (case / f"{part}.http").read_bytes().decode() for part in ("request", "response")}
    for case in sorted((pets / "cases").iterdir())
    if (case / "request.http").exists() and (case / "response.http").exists()
]
(demo / "pets.yaml").write_bytes((pets / "spec.yaml").read_bytes())
(demo / "recordings.json").write_text(json.dumps(recordings, indent=1) + "\n", encoding="utf-8")
