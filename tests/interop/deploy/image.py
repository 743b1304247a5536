"""Runs the image: umoci, which is not ours, unpacks it, and the command is process 1 of a namespace whose root is read-only and has nothing
else, by the user of the image. It serves beyond loopback, is asked for its health by itself, and ends by SIGTERM only after the call
that runs. Needs root and umoci. Usage: image.py ARCHIVE."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from ports import free_port
from sidecar import post, run, wait_until_ready
from slow import SlowService

# Nothing of the image is written: the root is read-only, and there is no volume.
INSIDE = r"""
set -eu
root="$1" config="$2" user="$3"
shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind "$config" "$root/etc/callgate"
mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"
"""


MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def unpacked(archive, folder):
    """The roots of the images by their architectures, with their configurations."""
    layout = folder / "layout"
    with tarfile.open(archive) as opened:
        opened.extractall(layout, filter="data")
    index = json.loads(blob(layout, json.loads((layout / "index.json").read_text())["manifests"][0]))
    images = {}
    for manifest in index["manifests"]:
        architecture = manifest["platform"]["architecture"]
        # umoci takes a tag of a manifest.
        (layout / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest | {"annotations": {"org.opencontainers.image.ref.name": "it"}}]}))
        run("umoci", "unpack", "--image", f"{layout}:it", folder / architecture)
        configured = json.loads(blob(layout, json.loads(blob(layout, manifest))["config"]))
        assert configured["architecture"] == architecture, configured
        images[architecture] = folder / architecture / "rootfs", configured["config"]
    return images


def emulated(images):
    """The command of each other architecture says its version, with the loader and the libraries of its image alone."""
    for machine, architecture in MACHINES.items():
        if architecture not in images or machine == os.uname().machine:
            continue
        emulator = shutil.which(f"qemu-{machine}-static")
        if not emulator:
            print(f"image: {architecture} is not run: qemu-{machine}-static is absent (qemu-user-static)")
            continue
        root, _ = images[architecture]
        (root / "qemu").touch()
        script = 'mount --bind "$1" "$2/qemu" && exec chroot "$2" /qemu /usr/bin/callgate --version'
        said = run("unshare", "--mount", "sh", "-c", script, "sh", emulator, root)
        assert said.startswith("callgate "), said
        print(f"image: {architecture} by {pathlib.Path(emulator).name}: {said.strip()}")


def blob(layout, descriptor):
    data = (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
    assert len(data) == descriptor["size"]
    return data


class Container:
    """Process 1 of a namespace, as a runtime of containers starts it."""

    def __init__(self, root, configuration, config):
        for folder in ("proc", "etc/callgate"):
            (root / folder).mkdir(exist_ok=True)
        (root / "etc/resolv.conf").touch()
        # `chroot` starts in the root, so the folder of the image is named.
        words = [*configuration["Entrypoint"], *configuration["Cmd"], f"{configuration['WorkingDir']}/callgate.yaml"]
        command = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", INSIDE, "sh", root, config, configuration["User"], *words]
        environment = dict(variable.split("=", 1) for variable in configuration["Env"]) | {"TOKEN": "a-token-of-the-caller", "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True, env=environment)

    def child(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])

    def execute(self, *words):
        """A command beside process 1, such as a probe."""
        inside = ["nsenter", f"--target={self.child()}", "--mount", "--pid", f"--root=/proc/{self.child()}/root"]
        return subprocess.run([*inside, "/usr/bin/callgate", *words], capture_output=True, text=True, env={})


def main():
    archive = pathlib.Path(sys.argv[1]).resolve()
    service, port = SlowService(), free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        images = unpacked(archive, folder)
        emulated(images)
        root, configuration = images[MACHINES[os.uname().machine]]
        files = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
        config = folder / "config"
        config.mkdir()
        service.write_configuration(config, {"listen": f"0.0.0.0:{port}", "access": {"bearer": "env:TOKEN"}})
        container = Container(root, configuration, config)
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(url)
        for probe in ([], ["--ready"]):
            asked = container.execute("health", "/etc/callgate/callgate.yaml", *probe)
            assert asked.returncode == 0 and "status" in asked.stdout, asked
        assert pathlib.Path(f"/proc/{container.child()}/status").read_text().split("Uid:")[1].split()[0] == "65532"
        answers = []
        call = {"calls": [{"tool": "slow-wait", "args": {}}]}
        caller = threading.Thread(target=lambda: answers.append(post(f"{url}/v1/calls", call, Authorization="Bearer a-token-of-the-caller")))
        caller.start()
        service.called.wait(120)
        os.kill(container.child(), signal.SIGTERM)
        # The call is held, so that it drains until the probe has seen it.
        for _ in range(100):
            asked = container.execute("health", "/etc/callgate/callgate.yaml", "--ready")
            if asked.returncode == 1:
                break
            time.sleep(0.1)
        assert asked.returncode == 1, asked
        service.may_end.set()
        caller.join()
        assert answers[0]["results"][0]["status"] == 200, answers
        assert container.process.wait(timeout=60) == 0, container.process.stderr.read()
    print(f"image: {', '.join(images)}; {archive.stat().st_size / 1e6:.1f} MB, {len(files)} files, drains by SIGTERM: {' '.join(file for file in files if 'doc' not in file)}")


if __name__ == "__main__":
    main()
