"""A package of Debian around a command: its manual pages and completions, the units of systemd, and what to look at first."""

import email.utils
import hashlib
import pathlib
import subprocess
import tempfile

from archives import compress, tar

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
DOCUMENTS = "usr/share/doc/callgate"
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/callgate",
    "fish": "usr/share/fish/vendor_completions.d/callgate.fish",
    "zsh": "usr/share/zsh/vendor-completions/_callgate",
}


def package(command, release, written):
    """The bytes of the package; `written` are the files that the command itself writes."""
    seconds = release.time
    files = {"usr/bin/callgate": (command.bytes, 0o755), **written, **units(), **documents(release)}
    parts = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": compress(tar(control(command, release, files), seconds)),
        "data.tar.gz": compress(tar(files, seconds, folders=True)),
    }
    return b"!<arch>\n" + b"".join(member(name, data, seconds) for name, data in parts.items())


def written_by(path):
    """The manual pages and completions that a command which runs on this machine writes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([path, "man", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        files = {f"usr/share/man/man1/{page.name}.gz": (compress(page.read_bytes(), 9), 0o644) for page in sorted(pathlib.Path(folder).iterdir())}
    for shell, file in COMPLETIONS.items():
        script = subprocess.run([path, "completions", shell], check=True, stdout=subprocess.PIPE).stdout
        files[file] = (script, 0o644)
    return files


def units():
    return {f"lib/systemd/system/{unit.name}": (unit.read_bytes(), 0o644) for unit in sorted((HERE / "deploy/systemd").iterdir())}


def documents(release):
    """The licences, the changes, and examples: a configuration, alert rules and a dashboard."""
    changes = f"callgate ({release.version}-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- {release.maintainer}  {email.utils.formatdate(release.time)}\n"
    files = {
        "copyright": (HERE / "debian/copyright").read_bytes(),
        "LICENSE-MIT": (ROOT / "LICENSE-MIT").read_bytes(),
        "LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_bytes(),
        "changelog.gz": compress((ROOT / "CHANGELOG.md").read_bytes(), 9),
        "changelog.Debian.gz": compress(changes.encode(), 9),
        "examples/full.yaml": (ROOT / "config/full.yaml").read_bytes(),
    }
    files |= {f"examples/{path.name}": path.read_bytes() for path in sorted((ROOT / "docs/operations").iterdir())}
    return {f"{DOCUMENTS}/{name}": (data, 0o644) for name, data in files.items()}


def control(command, release, files):
    size = sum(len(data) for data, _ in files.values()) // 1024
    depends = ""
    if command.glibc:
        major, minor = command.glibc
        depends = f"Depends: libc6 (>= {major}.{minor}), libgcc-s1\n"
    text = (HERE / "debian/control").read_text()
    homepage = f"Homepage: {release.repository}\n" if release.repository else ""
    text = text.format(version=release.version, maintainer=release.maintainer, homepage=homepage, architecture=ARCHITECTURES[command.machine], size=size, depends=depends)
    sums = "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, (data, _) in sorted(files.items()))
    scripts = {name: ((HERE / "debian" / name).read_bytes(), 0o755) for name in ("postinst", "prerm", "postrm")}
    return {"control": (text.encode(), 0o644), "md5sums": (sums.encode(), 0o644), **scripts}


def member(name, data, seconds):
    """A member of an archive of `ar`."""
    head = f"{name:<16}{seconds:<12}{0:<6}{0:<6}{0o100644:<8o}{len(data):<10}`\n".encode()
    return head + data + b"\n" * (len(data) % 2)
