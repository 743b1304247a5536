"""A service that keeps what was made, and callers that write under keys through the proxy for as long as the day lasts. A caller repeats a key
until its call has ended, as the manual tells it; what nobody knows the end of is looked up at the service."""

import http.client
import json
import threading
import time

import proxies
import services

CALLERS = 4


class Service(services.Service):
    """Pets, as they were created. `breaks` has the names whose calls are made and never answered, `asides` those of no caller."""

    def __init__(self):
        self.made, self.breaks, self.asides, self.keys = [], set(), set(), set()
        super().__init__(Handler)


class Handler(services.Handler):
    def do_POST(self):
        pet = self.read_json()
        self.server.keys.add(self.headers.get("X-Api-Key"))
        self.server.made.append(pet["name"])
        time.sleep(0.02)
        if pet["name"] in self.server.breaks:
            self.close_connection = True
            return
        self.answer(pet | {"id": len(self.server.made)}, 201)


def ask(method, path, body=None, **headers):
    """One request through the proxy: its status and its JSON; nothing of a connection that broke."""
    try:
        status, data = proxies.request(proxies.connection(), method, path, body, **headers)
    except (OSError, http.client.HTTPException):
        return None, {}
    try:
        return status, json.loads(data)
    except ValueError:
        return status, {}


def create(name, key):
    """One attempt at a keyed write: its result, or an empty one where it is to be repeated."""
    call = {"calls": [{"tool": "pets-createPet", "args": {"name": name, "species": "dog"}}]}
    status, answer = ask("POST", "/v1/calls", call, **{"Idempotency-Key": key})
    [result] = answer.get("results", [{}])
    return result if status == 200 else {}


class Callers:
    def __init__(self, service):
        self.service, self.ended, self.lock = service, threading.Event(), threading.Lock()
        self.done, self.unknown, self.repeats, self.longest, self.odd = [], [], 0, 0.0, []
        self.threads = [threading.Thread(target=self.call, args=(number,), daemon=True) for number in range(CALLERS)]
        for thread in self.threads:
            thread.start()

    def call(self, number):
        at = 0
        while not self.ended.is_set():
            self.call_until_ended(f"pet-{number}-{at}")
            at += 1

    def call_until_ended(self, name):
        begun = time.monotonic()
        while True:
            result = create(name, f"key-{name}")
            error = result.get("error", {})
            if result.get("status") == 201:
                kept = self.done
            elif error.get("code") == "outcome_unknown" or error.get("reached") == "maybe" and error.get("next") != "try_later":
                kept = self.unknown
            elif error and error.get("next") != "try_later":
                kept = self.odd
            else:
                self.repeats += 1
                time.sleep(0.2)
                continue
            with self.lock:
                kept.append((name, result))
                self.longest = max(self.longest, time.monotonic() - begun)
            return

    def n_ended(self):
        return len(self.done) + len(self.unknown)

    def go_on(self, seconds=2):
        """Some more calls have ended: the way is open."""
        before, end = self.n_ended(), time.monotonic() + 180
        time.sleep(seconds)
        while self.n_ended() < before + 2 * CALLERS:
            assert time.monotonic() < end, f"first day: no call ends any more: {self.n_ended()}"
            time.sleep(0.1)

    def end(self):
        """Waits for all, and compares what they know with what the service made."""
        self.ended.set()
        for thread in self.threads:
            thread.join()
        made = self.service.made
        names = [name for name, _ in self.done]
        lost = [name for name in names if name not in made]
        # Who does not know looks, as the manual says; what is not there may be made again.
        absent = [name for name, _ in self.unknown if name not in made]
        twice = {name for name in made if made.count(name) > 1}
        strange = set(made) - set(names) - {name for name, _ in self.unknown} - self.service.breaks - self.service.asides
        assert not (lost or twice or strange or self.odd), (lost[:3], list(twice)[:3], list(strange)[:3], self.odd[:3])
        return f"{len(names)} keyed writes, {self.repeats} repeats, 0 lost, 0 twice; {len(self.unknown)} unknown to their callers ({len(absent)} of them not made); the longest took {self.longest:.1f} s"
