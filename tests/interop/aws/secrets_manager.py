"""Credentials out of AWS Secrets Manager: each way to name a secret, each failure, a secret that is rotated while calls are
under way."""

import json
import pathlib
import threading

from amazon import REGION, references
from calling import Service

HERE = str(pathlib.Path(__file__).parent)
N_CALLS, N_JOBS = 400, 8


def check(callgate, amazon, told):
    service = Service()
    secrets = amazon.client("secretsmanager")
    arn = secrets.create_secret(Name="team/pets", SecretString="canary-of-pets")["ARN"]
    secrets.create_secret(Name="pair", SecretString=json.dumps({"user": "u", "password": "canary-password", "no-ascii": "canary-pässword", "n": 12, "o": {}}))
    secrets.create_secret(Name="bytes", SecretBinary=b"\x00canary\xff")
    secrets.create_secret(Name="line", SecretString="canary-of-a-line\n")
    secrets.create_secret(Name="turned", SecretString="canary-1")
    first = amazon.rotate("turned", "canary-2")
    secrets.create_secret(Name="gone", SecretString="canary-gone")
    secrets.delete_secret(SecretId="gone")

    def configuration(keys, named):
        store = {"region": REGION, "endpoint": amazon.url, **references(keys)}
        toolsets = {
            f"t{n}": {"openapi": f"{HERE}/things.json", "server": service.url, "auth": {"bearer": {"token": reference}}}
            for n, reference in enumerate(named)
        }
        return {"secrets": {"aws": store}, "toolsets": toolsets}

    def called(keys, named):
        return callgate.calls(configuration(keys, named), [(f"t{n}-root", {}) for n in range(len(named))])

    found = {
        "aws:team/pets": "canary-of-pets",
        f"aws:{arn}": "canary-of-pets",
        "aws:pair#password": "canary-password",
        "aws:pair#n": "12",
        "aws:line": "canary-of-a-line",
        "aws:turned": "canary-2",
        "aws:turned?version_stage=AWSCURRENT": "canary-2",
        "aws:turned?version_stage=AWSPREVIOUS": "canary-1",
        f"aws:turned?version_id={first}": "canary-1",
    }
    for who, keys in (("a user", amazon.reader), ("a role with a session token", amazon.role)):
        service.seen.clear()
        statuses = [answer.get("status") for answer in called(keys, found)]
        shown = [token.encode("latin-1").decode() for token in service.seen]
        told(f"{who} reads {len(found)} secrets", shown == list(found.values()), f"{statuses} {shown}")

    missing = {
        "aws:none": "is missing",
        "aws:turned?version_stage=NONE": "is missing",
        "aws:gone": "is missing",
        "aws:pair#none": "is missing",
        "aws:team/pets#key": "cannot be used",
        "aws:pair#o": "cannot be used",
        "aws:pair#no-ascii": "cannot be used",
        "aws:bytes": "cannot be used",
    }

    def failed(what, keys, reference, message):
        """A model reads what it can do; an operator, which secret it is."""
        answer = called(keys, [reference])[0]
        error = answer.get("error", {})
        is_refused = error.get("code") == "auth_failed" and (error["reached"], error["next"]) == ("no", "give_up")
        said = callgate.ran(configuration(keys, [reference]), ["t0-root"]).stderr
        holds = is_refused and reference not in error["message"] and f"{message}: `{reference}`" in said
        told(f"{what}: {message}", holds, f"{answer} {said}")

    service.seen.clear()
    for reference, message in missing.items():
        failed(reference, amazon.reader, reference, message)
    forged = amazon.reader | {"secret_access_key": "canary-of-a-wrong-key"}
    unknown = amazon.reader | {"access_key_id": "AKIANOBODYKNOWSTHIS0"}
    for who, keys in (("a wrong key", forged), ("an unknown key", unknown), ("a user who may not", amazon.stranger)):
        failed(who, keys, "aws:pair#user", "may not be read")
    told("nothing is sent without its secret", not service.seen)
    rotated(callgate, amazon, service, configuration(amazon.reader, ["aws:turned"]), told)


def rotated(callgate, amazon, service, configuration, told):
    """The secret is rotated in the middle of a batch; from then on the service refuses the one before."""
    current = ["canary-2"]
    lock = threading.Lock()

    def is_valid(token):
        with lock:
            if len(service.seen) >= N_CALLS // 2 and current[0] == "canary-2":
                amazon.rotate("turned", "canary-3")
                current[0] = "canary-3"
        return token == current[0]

    service.seen.clear()
    service.refused, service.is_valid = 0, is_valid
    answers = callgate.calls(configuration, [("t0-root", {})] * N_CALLS, N_JOBS)
    n_answered = sum(answer.get("status") == 200 for answer in answers)
    holds = n_answered == N_CALLS and 1 <= service.refused <= N_JOBS and len(service.seen) == N_CALLS + service.refused
    told(
        f"a rotation amid {N_CALLS} calls: none is lost, {service.refused} are sent again with the new secret",
        holds,
        f"{n_answered} answered, {service.refused} refused, {len(service.seen)} seen",
    )
