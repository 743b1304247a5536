"""Searches files for texts that must not be there in the clear: as they are, in base64 (at each of the three offsets, with either
alphabet), in hexadecimal and with percent signs. `found(files, canaries)` takes any files: a database, its log, a dump of Redis.

Usage: canaries.py TEXT… -- FILE…. Exits with 1 where a file has one of the texts."""

import base64
import pathlib
import sys
import urllib.parse

# The part of a text that base64 shows at each offset is shorter than the text; less than this would be found by chance.
LEAST = 8


def found(files, canaries):
    """The file, the text and the encoding of each text that a file has."""
    spellings = [(canary, name, spelling) for canary in canaries for name, spelling in spelled(canary)]
    faults = []
    for file in files:
        content = pathlib.Path(file).read_bytes()
        lower = content.lower()
        for canary, name, spelling in spellings:
            if spelling.lower() in lower if name in ("hexadecimal", "percent") else spelling in content:
                faults.append((str(file), canary, name))
    return faults


def spelled(canary):
    """The encodings of a text that are searched for, by name."""
    raw = canary.encode()
    assert len(raw) >= LEAST + 4, f"too short to be searched for: {canary}"
    yield "as it is", raw
    yield "two bytes a character", canary.encode("utf-16-le")
    yield "hexadecimal", raw.hex().encode()
    yield "percent", "".join(f"%{byte:02x}" for byte in raw).encode()
    quoted = urllib.parse.quote(canary, safe="").encode()
    if quoted != raw:
        yield "percent", quoted
    for offset in range(3):
        # The characters that only the text decides: those before and after mix its bits with others'.
        encoded = base64.b64encode(b"\0" * offset + raw)
        first, last = (offset * 8 + 5) // 6, (offset + len(raw)) * 8 // 6
        whole = encoded[first:last]
        yield f"base64 at {offset}", whole
        if whole.translate(URL) != whole:
            yield f"base64 at {offset}", whole.translate(URL)


URL = bytes.maketrans(b"+/", b"-_")


def test_itself():
    """The search finds what it looks for, wherever it stands, and nothing else."""
    import tempfile

    canary = "canary/ü+ of a test?>~"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "file"
        wrappings = [
            canary.encode(), canary.encode("utf-16-le"), canary.encode().hex().encode(), canary.encode().hex().upper().encode(),
            urllib.parse.quote(canary, safe="").encode(), urllib.parse.quote(canary, safe="").lower().encode(),
        ]
        for before in range(4):
            text = b"x" * before + canary.encode() + b"tail"
            wrappings += [base64.b64encode(text), base64.urlsafe_b64encode(text)]
        for wrapped in wrappings:
            file.write_bytes(b"\x00\xff" + wrapped + b"\xff")
            assert found([file], [canary]), wrapped
        file.write_bytes(b"\x00\xffcanary of another test" * 9)
        assert not found([file], [canary])


if __name__ == "__main__":
    test_itself()
    if "--" not in sys.argv:
        raise SystemExit(__doc__)
    at = sys.argv.index("--")
    faults = found(sys.argv[at + 1:], sys.argv[1:at])
    for file, canary, name in faults:
        print(f"{file}: has `{canary}`, {name}")
    sys.exit(bool(faults))
