"""An image without a distribution, as an archive of an OCI layout with every architecture: the command, the C library and the loader that
it is linked to, certificates to trust, and a user without rights. Needs no daemon and no root."""

import hashlib
import json
import pathlib
import subprocess
import sys
import time
import zipfile

from archives import Owned, compress, tar
from elf import libraries

USER = 65532
# The certificates of Mozilla, whatever this machine trusts.
CERTIFICATES = "certifi==2026.10.19.post1"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
DEBIAN = {"x86_64": "", "aarch64": "-arm64-cross"}
TYPE = "application/vnd.oci.image"


class Layout:
    """The blobs of images, by their digests."""

    def __init__(self):
        self.files = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}

    def add(self, kind, data, **further):
        """A descriptor of what is added: bytes, or JSON."""
        data = data if isinstance(data, bytes) else json.dumps(data, indent=1).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": f"{TYPE}.{kind}", "digest": f"sha256:{digest}", "size": len(data), **further}

    def archive(self, index, seconds):
        self.files["index.json"] = json.dumps({"schemaVersion": 2, "mediaType": f"{TYPE}.index.v1+json", "manifests": [index]}, indent=1).encode()
        return tar({path: (data, 0o644) for path, data in self.files.items()}, seconds, folders=True)


def archive(commands, release, target, licences):
    """The bytes of the archive. Its index names one image for each command."""
    layout, trusted = Layout(), certificates(target)
    manifests = []
    for command in commands:
        layers = [tar(files, release.time, folders=True) for files in (base(command, trusted, licences), {"usr/bin/callgate": (command.bytes, 0o755)})]
        described = layout.add("config.v1+json", configuration(command, release, layers))
        packed = [layout.add("layer.v1.tar+gzip", compress(layer)) for layer in layers]
        manifest = {"schemaVersion": 2, "mediaType": f"{TYPE}.manifest.v1+json", "config": described, "layers": packed}
        manifests.append(layout.add("manifest.v1+json", manifest, platform={"architecture": ARCHITECTURES[command.machine], "os": "linux"}))
    index = {"schemaVersion": 2, "mediaType": f"{TYPE}.index.v1+json", "manifests": manifests}
    names = {"org.opencontainers.image.ref.name": release.version, "io.containerd.image.name": f"callgate:{release.version}"}
    return layout.archive(layout.add("index.v1+json", index, annotations=names), release.time)


def configuration(command, release, layers):
    """Serves /etc/callgate/callgate.yaml, by whose `listen:` it is reached; relative paths of it begin there, too."""
    labels = {"title": "callgate", "description": "Executor of OpenAPI operations as tools of language models", "version": release.version, "licenses": "MIT OR Apache-2.0"}
    labels |= {"source": release.repository} if release.repository else {}
    labels |= {"revision": release.revision}
    return {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.time)),
        "architecture": ARCHITECTURES[command.machine],
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Entrypoint": ["/usr/bin/callgate"],
            "Cmd": ["serve"],
            "WorkingDir": "/etc/callgate",
            "Env": ["PATH=/usr/bin", "XDG_CACHE_HOME=/var/cache"],
            "ExposedPorts": {"8410/tcp": {}},
            "StopSignal": "SIGTERM",
            "Labels": {f"org.opencontainers.image.{name}": text for name, text in labels.items()},
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers]},
        "history": [{"created_by": "packages/build"} for _ in layers],
    }


def base(command, trusted, licences):
    """What the command needs of a system. /var/lib/callgate is the user's, for a volume with `state` and `audit`."""
    texts = {
        "etc/passwd": f"callgate:x:{USER}:{USER}:callgate:/var/lib/callgate:/nonexistent\n",
        "etc/group": f"callgate:x:{USER}:\n",
        "etc/nsswitch.conf": "hosts: files dns\n",
    }
    files = {path: (text.encode(), 0o644) for path, text in texts.items()}
    files["etc/ssl/certs/ca-certificates.crt"] = (trusted, 0o644)
    files["var/lib/callgate"] = (Owned(USER), 0o700)
    files["etc/callgate"] = (Owned(0), 0o755)
    files |= {f"usr/share/doc/callgate/{path.name}": (path.read_bytes(), 0o644) for path in licences}
    for path, data in libraries(command.bytes, command.machine).items():
        files[path] = (data, 0o755)
    for package in ("libc6", "libgcc-s1"):
        text = pathlib.Path(f"/usr/share/doc/{package}{DEBIAN[command.machine]}/copyright")
        if command.glibc and text.exists():
            files[f"usr/share/doc/{package}/copyright"] = (text.read_bytes(), 0o644)
    return files


def certificates(target):
    folder = target / "certificates" / CERTIFICATES
    if not list(folder.glob("*.whl")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--dest", folder, CERTIFICATES], check=True)
    [wheel] = folder.glob("*.whl")
    return zipfile.ZipFile(wheel).read("certifi/cacert.pem")
