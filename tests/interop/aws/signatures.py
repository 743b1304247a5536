"""Signs a table of requests with callgate and sends them to a service that signs each again with botocore."""

from recorder import UNSIGNED, Recorder, certificate

HERE = __file__.rsplit("/", 1)[0]
KEYS = {
    "AKIDPLAIN": ("plain/secret+key", None),
    "ASIATOKEN": ("another/secret+key", "a+session/token=="),
}

ROWS = [
    ("nothing", "root", {}),
    ("a path", "get", {"name": "a"}),
    ("what is never encoded", "get", {"name": "a-b_c.d~e", "q": "a-b_c.d~e"}),
    ("what a path may hold", "get", {"name": "a:b@c!d$e&f'g(h)i*j+k,l;m=n"}),
    ("a slash and a percent sign", "get", {"name": "a/b%2Fc%"}),
    ("a blank and a plus", "get", {"name": "a b+c", "q": "a b+c"}),
    ("a path beyond ASCII", "get", {"name": "grüße-日本-🦀"}),
    ("a query beyond ASCII", "get", {"name": "a", "q": "grüße-日本-🦀"}),
    ("reserved characters", "get", {"name": "a", "q": ":/?#[]@!$&'()*+,;=%\"<>\\^`{|}"}),
    ("reserved characters as they are", "get", {"name": "a", "raw": "a/b?c:d@e!f$g'h(i)j*k,l;m"}),
    ("an empty value", "get", {"name": "a", "q": ""}),
    ("an empty value that is allowed", "get", {"name": "a", "flag": ""}),
    ("repeated names out of order", "get", {"name": "a", "tag": ["b", "a", "B", "", "a b"]}),
    ("names with brackets", "get", {"name": "a", "filter": {"z": "1", "a b": "2", "ü": "3"}}),
    ("a name with a dollar sign", "get", {"name": "a", "top": 3, "q": "x"}),
    ("names that sort by their encoded form", "get", {"name": "a", "q": "z", "flag": "y", "tag": ["x"], "raw": "w"}),
    ("blanks in a signed header", "get", {"name": "a", "x_amz_meta_note": "two  blanks   within"}),
    ("a list in a signed header", "get", {"name": "a", "x_amz_tags": ["b", "a"]}),
    ("a header that is not signed", "get", {"name": "a", "x_plain": "a  b"}),
    ("a cookie", "get", {"name": "a", "session": "abc"}),
    ("no body", "delete", {"name": "a"}),
    ("a JSON body", "post", {"name": "a", "body": {"payload": {"text": "grüße\n\"🦀\"", "n": 1e3, "none": None}}}),
    ("an empty JSON body", "post", {"name": "a", "body": {}}),
    ("a body left out", "post", {"name": "a"}),
    ("a text", "put", {"name": "a", "body": "a\r\n grüße"}),
    ("a form", "patch", {"name": "a", "body": {"a b": "c+d&e=f", "ü": ""}}),
    ("double slashes in the path's template", "slashes", {}),
    ("a template beyond ASCII with a query", "fixed", {}),
]


def check(callgate, told):
    folder = callgate.folder
    private, public = certificate(folder)
    plain, secured = Recorder(KEYS), Recorder(KEYS, private)
    identities = {
        "keys": {"access_key_id": "literal:AKIDPLAIN", "secret_access_key": f"literal:{KEYS['AKIDPLAIN'][0]}"},
        "token": {
            "access_key_id": "literal:ASIATOKEN",
            "secret_access_key": f"literal:{KEYS['ASIATOKEN'][0]}",
            "session_token": f"literal:{KEYS['ASIATOKEN'][1]}",
        },
    }
    ways = {
        "gateway": (plain, {"service": "execute-api", **identities["keys"]}),
        "session": (plain, {"service": "execute-api", **identities["token"]}),
        "storage": (plain, {"service": "s3", **identities["token"]}),
        "unsigned": (secured, {"service": "vpc-lattice-svcs", "payload": "unsigned", **identities["keys"]}),
    }
    toolsets = {
        name: {
            "openapi": f"{HERE}/things.json",
            "server": recorder.url,
            "auth": {"aws_sigv4": {"region": "eu-west-1", **auth}},
            **({"tls": {"ca": [str(public)]}} if recorder is secured else {}),
        }
        for name, (recorder, auth) in ways.items()
    }
    n_signed = 0
    for way, (recorder, auth) in ways.items():
        # One after another, so that the requests arrive in the order of the rows.
        calls = [(f"{way}-{operation}", arguments) for _, operation, arguments in ROWS]
        recorder.seen.clear()
        answers = callgate.calls({"toolsets": toolsets}, calls)
        sent = iter(list(recorder.seen))
        for (what, _, arguments), answer in zip(ROWS, answers, strict=True):
            if answer.get("status") != 200:
                told(f"{way}: {what}", False, str(answer))
                continue
            request = next(sent)
            wrong = recorder.judge(request)
            if auth.get("payload") and request.header("x-amz-content-sha256") != UNSIGNED:
                wrong = "the body is signed"
            told(f"{way}: {what}", wrong is None, f"{request.method} {request.target}: {wrong}", quiet=True)
            n_signed += 1
    told(f"signatures: botocore signs {n_signed} requests as callgate did", n_signed == len(ways) * len(ROWS))
    tampered = plain.seen[1]
    tampered.target += "?admin=1"
    told("a request that was changed on its way is noticed", plain.judge(tampered) is not None)
