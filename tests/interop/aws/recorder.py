"""A service that signs every request it is sent a second time, with botocore, and keeps what the two signatures say. Over
TLS as well, where a body may be left out of the signature."""

import datetime
import hashlib
import http.server
import ipaddress
import ssl
import threading
from urllib.parse import unquote, urlsplit

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

UNSIGNED = "UNSIGNED-PAYLOAD"


class Recorder:
    """Listens on loopback; `keys` has the secret and the session token of each access key id."""

    def __init__(self, keys, certificate=None):
        self.keys, self.seen = keys, []
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                # `self.path` is not what was sent: the library takes double slashes together.
                recorder.seen.append(Request(self.command, self.requestline.split(" ")[1], self.headers.items(), body))
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.scheme = "https"
        self.url = f"{self.scheme}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def judge(self, request):
        """What is wrong with a request's signature; nothing where botocore signs the same."""
        given = request.header("authorization")
        fields = dict(field.strip().split("=", 1) for field in given.removeprefix("AWS4-HMAC-SHA256 ").split(","))
        key_id, _, region, service, _ = fields["Credential"].split("/")
        secret, token = self.keys[key_id]
        if request.header("x-amz-security-token") != token:
            return "another session token"
        digest = hashlib.sha256(request.body).hexdigest()
        if request.header("x-amz-content-sha256") not in (None, digest, UNSIGNED):
            return "the digest of another body"
        signed = fields["SignedHeaders"].split(";")
        unsigned = [name for name, _ in request.headers if is_to_sign(name) and name.lower() not in signed]
        if unsigned:
            return f"not signed: {unsigned}"
        signer = (S3SigV4Auth if service == "s3" else SigV4Auth)(Credentials(key_id, secret, token), service, region)
        again = self.again(request, signed)
        canonical = signer.canonical_request(again)
        signature = signer.signature(signer.string_to_sign(again, canonical), again)
        return None if signature == fields["Signature"] else f"botocore signs:\n{canonical}"

    def again(self, request, signed):
        """The request as a service reads it: names and values of the query decoded."""
        parts = urlsplit(f"{self.scheme}://{request.header('host')}{request.target}")
        pairs = [pair.partition("=") for pair in parts.query.split("&") if pair]
        again = AWSRequest(
            method=request.method,
            url=f"{self.scheme}://{parts.netloc}{parts.path}",
            params=[(unquote(name), unquote(value)) for name, _, value in pairs],
            data=request.body,
        )
        for name, value in request.headers:
            if name.lower() in signed:
                again.headers.add_header(name, value)
        again.context["timestamp"] = request.header("x-amz-date")
        return again


class Request:
    """A request as it arrived."""

    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body

    def header(self, name):
        return next((value for known, value in self.headers if known.lower() == name), None)


def is_to_sign(name):
    """AWS asks for the host, the content type and all of its own headers."""
    return name.lower() in ("host", "content-type") or name.lower().startswith("x-amz-")


def certificate(folder):
    """Makes a certificate for 127.0.0.1; answers the file with its key, and the file without."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "recorder")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    public = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "recorder.pem").write_bytes(public)
    (folder / "recorder-with-key.pem").write_bytes(private + public)
    return folder / "recorder-with-key.pem", folder / "recorder.pem"
