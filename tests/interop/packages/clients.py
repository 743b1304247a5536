"""The Python client of the installed wheel: over TCP and a unix socket, by threads and by tasks, and with a sidecar that is killed.
Usage: clients.py [--long]"""

import asyncio
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from callgate import AsyncClient, Client, ConnectionFailed, Problem, StartFailed, command_path
from service import Service

N_THREADS, N_TASKS = 50, 1000
N_EACH = 1000 if "--long" in sys.argv else 20


def every_method(client):
    assert client.call("shop-getOrder", {"id": 7}).response == {"id": 7, "state": "shipped"}
    fault = client.call("shop-getOrder", {"id": "x"}).error
    assert (fault.code, fault.reached, fault.next) == ("invalid_arguments", "no", "correct_arguments"), fault
    assert [result.id for result in client.calls([{"id": "a", "tool": "shop-getOrder", "args": {"id": 1}}, {"id": "b", "tool": "none"}])] == ["a", "b"]
    assert len(client.tools()) == 12 and client.tools("openai", toolset="app")[0]["function"]["name"] == "app-open_page"
    assert client.search("show an order")[0]["name"] == "shop-getOrder"
    assert client.tool("shop-deleteOrder")["approval"] is True and client.tool("shop-getOrder")["approval"] is False
    client.put_session("s-1", {"parameters": {"owner": "kim"}})
    assert client.call("shop-getOwner", session={"id": "s-1"}).response == {"owner": "kim"}
    client.delete_session("s-1")
    handle = client.put_file(b"letters", "text/plain")
    assert client.file(handle) == b"letters"
    assert client.call("shop-putFile", {"body": {"handle": handle}}).response["size"] == 7
    waiting = client.call("shop-deleteOrder", {"id": 3}).pending
    assert waiting.kind == "approval" and [each["id"] for each in client.approvals()] == [waiting.id]
    assert client.approve(waiting.id).response == {"id": 3, "state": "changed"}
    waiting = client.call("shop-deleteOrder", {"id": 4}).pending
    assert client.reject(waiting.id).error.code == "rejected"
    message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "shop-getOrder", "arguments": '{"id": 7}'}}]}
    assert "shipped" in client.answer("openai", message)[0]["content"]
    assert client.call("shop-createOrder", {"item": "tea"}, dry_run=True).request["method"] == "POST"
    try:
        client.tool("none")
        raise AssertionError("a tool that is not there was shown")
    except Problem as problem:
        assert (problem.kind, problem.status) == ("absent", 404)


def by_threads(client):
    wrong = []

    def work(first):
        for number in range(first, first + N_EACH):
            result = client.call("shop-getOrder", {"id": number % 1000 + 1})
            if result.response != {"id": number % 1000 + 1, "state": "shipped"}:
                wrong.append(result)

    threads = [threading.Thread(target=work, args=(n * N_EACH,)) for n in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:3]


async def by_tasks(client):
    results = await asyncio.gather(*(client.call("shop-getOrder", {"id": n + 1}) for n in range(N_TASKS)))
    assert [result.response["id"] for result in results] == list(range(1, N_TASKS + 1))


async def a_task_that_is_cancelled_ends_its_call(service, client):
    service.waits.clear()
    task = asyncio.create_task(client.call("shop-wait"))
    assert await asyncio.to_thread(service.waits.wait, 120)
    task.cancel()
    assert await asyncio.to_thread(service.left.wait, 120), "the call went on at the service"


def sidecar_process(client):
    """The process of the sidecar, below its shell."""
    address = client._settings.sidecar.address
    listed = subprocess.run(["ps", "-eo", "pid,comm,args"], capture_output=True, text=True, check=True).stdout
    return next(int(line.split()[0]) for line in listed.splitlines() if address in line and line.split()[1] == "callgate")


def killed_in_the_midst(service, config):
    """The error of a call that ran says `maybe`, the one after it `no`, and no call was sent twice, but by a key and a new sidecar."""
    for key in (None, "k-1"):
        client = Client(config=config)
        service.made.clear()
        service.waits.clear()
        failures = []

        def call():
            try:
                client.call("shop-wait", key=key)
            except ConnectionFailed as failure:
                failures.append(failure)

        thread = threading.Thread(target=call)
        thread.start()
        assert service.waits.wait(120)
        os.kill(sidecar_process(client), signal.SIGKILL)
        thread.join(120)
        assert [failure.reached for failure in failures] == ["maybe"], failures
        assert service.made == [("POST", "/slow")], service.made
        # A process that is dying still accepts connections.
        until(lambda: reached(client) == "no", "a sidecar that was killed accepts connections")
        client.close()


def reached(client):
    try:
        return client.call("shop-getOrder", {"id": 7}).raw
    except ConnectionFailed as failure:
        return failure.reached


def once_under_a_key(client, service):
    service.made.clear()
    for _ in range(3):
        client.call("shop-createOrder", {"item": "tea"}, key="order-1")
    assert len(service.made) == 1, service.made


def a_copy_of_the_program_leaves_the_sidecar(client):
    """A process made by `fork` makes calls by connections of its own, and its end ends nothing."""
    assert client.call("shop-getOrder", {"id": 7}).ok
    copy = os.fork()
    if copy == 0:
        try:
            is_answered = client.call("shop-getOrder", {"id": 8}).response["id"] == 8
            client._settings.sidecar.end()
            os._exit(0 if is_answered else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(copy, 0)[1] == 0
    assert client.call("shop-getOrder", {"id": 7}).response["id"] == 7


def ends_with_its_program(config):
    """A program that is killed leaves no sidecar."""
    program = f"import os, signal, callgate; c = callgate.Client(config={str(config)!r}); print(c._settings.sidecar.address, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    address = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip()
    listed = lambda: subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    until(lambda: address not in listed(), "the sidecar of a program that was killed still runs")


def what_would_end_a_line_is_refused():
    """No value of a header, key, token or path adds a header or a request: nothing is sent, and the error does not show the value."""
    from callgate.connection import Address, AsyncPool, Pool
    from callgate.operations import Operation

    smuggled = "a\r\nX: canary\r\n\r\nGET /healthz HTTP/1.1\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        for wrong in (smuggled, "a\nb", "a\r b", "a\0", "a\u2028b"):
            for what in ({"token": wrong}, {}):
                with Client(url, **what) as client:
                    refused("header", lambda: client.put_file(b"x", "text/plain" if what else wrong))
                    refused("key", lambda: client.answer("openai", {}, key="k" if what else wrong))
                asynchronous = AsyncClient(url, **what)
                refused("header", lambda: asyncio.run(asynchronous.put_file(b"x", "text/plain" if what else wrong)))
                refused("key", lambda: asyncio.run(asynchronous.answer("openai", {}, key="k" if what else wrong)))
        for operation in (
            Operation("GET /a HTTP/1.1\r\nX:", "/b", bytes),
            Operation("GET", "/a b", bytes),
            Operation("GET", "/a\r\nX: b", bytes),
            Operation("GET", "/a", bytes, headers={"X: a\r\nY": "b"}),
        ):
            refused("part", lambda: Pool(Address.read(url), {}, 5).send(operation))
            refused("part", lambda: asyncio.run(AsyncPool(Address.read(url), {}, 5).send(operation)))
        server.settimeout(0.2)
        try:
            raise AssertionError(f"a refused request came: {server.accept()}")
        except TimeoutError:
            pass


def refused(what, act):
    try:
        act()
    except ValueError as error:
        assert str(error).startswith("expected ") and "canary" not in str(error), error
    else:
        raise AssertionError(f"a {what} with the end of a line was sent")


def until(holds, otherwise):
    for _ in range(1200):
        if holds():
            return
        threading.Event().wait(0.1)
    raise AssertionError(otherwise)


def main():
    service = Service()
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home)
        asking, free = service.configuration(folder), service.configuration(folder, "never")
        with Client(config=asking) as client:
            every_method(client)
        with Client(config=free) as client:
            by_threads(client)
            a_copy_of_the_program_leaves_the_sidecar(client)
            once_under_a_key(client, service)
        what_would_end_a_line_is_refused()
        over_tcp(asking)
        killed_in_the_midst(service, free)
        ends_with_its_program(free)
        try:
            Client(config=folder / "none.yaml")
            raise AssertionError("a file that is not there was served")
        except StartFailed as failure:
            assert "cannot read the file" in str(failure), failure

        async def tasks():
            async with AsyncClient(config=free) as client:
                await by_tasks(client)
                await a_task_that_is_cancelled_ends_its_call(service, client)

        asyncio.run(tasks())
    print(f"clients: {N_THREADS * N_EACH} calls by {N_THREADS} threads and {N_TASKS} tasks")


def over_tcp(config):
    command = [command_path(), "serve", str(config), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        line = next(line for line in process.stderr if "listening on" in line)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        url = line.split()[-1]
        with Client(url) as client:
            every_method(client)

        async def task():
            async with AsyncClient(url) as client:
                assert (await client.call("shop-getOrder", {"id": 7})).ok and len(await client.tools()) == 12

        asyncio.run(task())
        process.terminate()
        process.wait(120)


if __name__ == "__main__":
    main()
