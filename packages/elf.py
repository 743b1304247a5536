"""What a program of Linux needs to start: its loader, and the libraries that it and they name."""

import pathlib
import struct

LOAD, DYNAMIC, INTERPRETER = 1, 2, 3
NEEDED, NAMES = 1, 5


def libraries(program, machine):
    """The files of a program by the paths at which its loader looks for them; none for one that is linked statically."""
    loader, waiting = read(program)
    found = {} if loader is None else {loader.lstrip("/"): file_of(pathlib.PurePath(loader).name, machine)}
    while waiting:
        name = waiting.pop()
        if f"lib/{name}" in found or any(path.endswith(f"/{name}") for path in found):
            continue
        found[f"lib/{name}"] = file_of(name, machine)
        waiting.extend(read(found[f"lib/{name}"])[1])
    return found


def file_of(name, machine):
    """A library of this machine, or of a package of Debian for another one, such as libc6-arm64-cross."""
    folders = (f"/lib/{machine}-linux-gnu", f"/usr/lib/{machine}-linux-gnu", f"/usr/{machine}-linux-gnu/lib")
    for folder in folders:
        path = pathlib.Path(folder, name)
        if path.exists():
            return path.read_bytes()
    raise SystemExit(f"build: {name} for {machine} is in none of {', '.join(folders)}: install libc6 and libgcc-s1, or their packages for that machine")


def read(program):
    """The loader of a program, `None` without one, and the names of its libraries."""
    (start,) = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    segments = [struct.unpack_from("<IIQQQQ", program, start + size * at) for at in range(count)]
    loader, entries = None, []
    for kind, _, offset, _, _, length in segments:
        if kind == INTERPRETER:
            loader = program[offset : offset + length].rstrip(b"\0").decode()
        if kind == DYNAMIC:
            entries = [struct.unpack_from("<QQ", program, at) for at in range(offset, offset + length, 16)]
    addresses = [value for tag, value in entries if tag == NAMES]
    names = [offset + addresses[0] - address for kind, _, offset, address, _, length in segments if kind == LOAD and addresses and address <= addresses[0] < address + length]
    return loader, [text(program, names[0] + value) for tag, value in entries if tag == NEEDED]


def text(program, at):
    return program[at : program.index(b"\0", at)].decode()
