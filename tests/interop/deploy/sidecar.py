"""What the trials of deployment share: commands that must succeed, namespaces and requests."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request


def run(*command, **options):
    ended = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if ended.returncode:
        raise SystemExit(f"deploy: {' '.join(map(str, command))[:300]}: {ended.stdout[-3000:]}{ended.stderr[-3000:]}")
    return ended.stdout


def namespaces(*further):
    """The command that gives a process its own mounts, by root or by a user of its own."""
    return ["unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)), *further]


def unshared(script, *arguments):
    return run(*namespaces(), "sh", "-c", script, "sh", *arguments)


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as response:
        return response.read()


def wait_until_ready(url, seconds=120):
    end = time.monotonic() + seconds
    while True:
        try:
            return get(f"{url}/readyz")
        except (urllib.error.URLError, ConnectionError) as error:
            if time.monotonic() > end:
                raise SystemExit(f"deploy: {url} is not ready: {error}")
            time.sleep(0.1)


def post(url, body, **headers):
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.loads(response.read())
