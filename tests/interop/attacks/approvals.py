"""A caller that approves its own calls under four eyes, and strangers that forge decisions: the call must not be sent by any of
them, and must be by the decision of somebody else.
"""

import concurrent.futures
import http.client
import json

from victim import Victim

AGENT, LEAD, STRANGER = (f"a-token-of-the-{name}-0123456789" for name in ("agent", "lead", "stranger"))
ACCESS = {
    "four_eyes": True,
    "principals": {
        # The agent may approve calls of others, so that only the rule of four eyes is between it and its own.
        "agent": {"bearer": f"literal:{AGENT}", "approves": ["pets"]},
        "lead": {"bearer": f"literal:{LEAD}", "approves": ["pets"], "toolsets": []},
        "stranger": {"bearer": f"literal:{STRANGER}"},
    },
}
TOOL = {"tool": "pets-getPet", "args": {"petId": 7}}
# What only the service says.
ANSWER = "Rex"

# Bodies of decisions, `ID` for the approval.
BODIES = [
    '{"decision":"approve"}',
    '{"decision":"run"}',
    '{"decision":"APPROVE"}',
    '{"decision":["approve"]}',
    '{"decision":{"approve":true}}',
    '{"decision":"approve","by":"principal:lead"}',
    '{"decision":"approve","decidedBy":"principal:lead","caller":"principal:lead"}',
    '{"decision":"run","decision":"approve"}',
    '{"state":"approved","decision":"run"}',
    '[{"decision":"approve"}]',
    '{"decision":"approve"}{"decision":"approve"}',
]
HEADERS = [
    {},
    {"X-Forwarded-User": "lead", "X-Remote-User": "principal:lead", "Remote-User": "lead"},
    {"X-Forwarded-Client-Cert": "URI=lead", "X-SSL-Client-CN": "lead"},
    {"Cookie": "principal=lead; session=lead"},
    {"Idempotency-Key": "k"},
    {"Origin": "http://lead.example"},
    {"Forwarded": "for=127.0.0.1;by=lead", "X-Callgate-Principal": "principal:lead"},
]
# Members of a call by which a caller might say that it is approved.
CLAIMS = [
    {"approval": "ID"},
    {"approval": "ID", "decision": "approve"},
    {"approved": True, "decidedBy": "principal:lead"},
    {"decision": {"approval": "ID", "decision": "approve", "by": "principal:lead"}},
    {"idempotencyKey": "ID"},
]


def sent(address, token, path, body, headers=None, method="POST"):
    """The status and the text of an answer."""
    client = http.client.HTTPConnection(*address, timeout=60)
    try:
        known = {"Content-Type": "application/json", **(headers or {})}
        known |= {"Authorization": f"Bearer {token}"} if token else {}
        client.request(method, path, body.encode(), known)
        answer = client.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        client.close()


def called(address, more=None):
    """What the agent's call is answered with."""
    return sent(address, AGENT, "/v1/calls", json.dumps({"calls": [{**TOOL, **(more or {})}]}))[1]


def waiting(address):
    """The approval that the agent's call waits for; one that was rejected on the way ends first."""
    for _ in range(3):
        result = json.loads(called(address))["results"][0]
        if "pending" in result:
            return result["pending"]["id"]
    raise SystemExit(f"the call does not wait: {result}")


def tries(address):
    """Each forged decision or call: its name, and what sends it."""
    for token in (AGENT, STRANGER, "", f"{AGENT}, Bearer {LEAD[:-1]}", f"{LEAD} "[:-2]):
        for body in BODIES:
            for headers in HEADERS if token == AGENT else HEADERS[:1]:
                yield f"{body} {headers}", lambda id, t=token, b=body, h=headers: sent(address, t, f"/v1/approvals/{id}", b, h)
    approve = BODIES[0]
    for path in ("{}/", "{}%20", "./{}", "../approvals/{}", "{}?principal=lead", "{}:approve", "%61{}"):
        yield path, lambda id, p=path: sent(address, AGENT, f"/v1/approvals/{p.format(id)}", approve)
    for method in ("PUT", "PATCH", "DELETE", "GET"):
        headers = {"X-HTTP-Method-Override": "POST"}
        yield method, lambda id, m=method: sent(address, AGENT, f"/v1/approvals/{id}", approve, headers, m)
    for claim in CLAIMS:
        yield str(claim), lambda id, c=claim: (200, called(address, json.loads(json.dumps(c).replace("ID", id))))
    yield "an unknown approval", lambda _: sent(address, AGENT, f"/v1/approvals/approval_{'0' * 32}", approve)


def forged(callgate):
    """Tries everything, and then what is allowed; what did harm."""
    victim = Victim(callgate, {}, {"access": ACCESS}, {"confirm": "always"})
    harm, n_tries = [], 0
    try:
        for name, attempt in tries(victim.address):
            n_tries += 1
            _, text = attempt(waiting(victim.address))
            if ANSWER in text or ANSWER in called(victim.address):
                harm.append(name)
        approval = waiting(victim.address)
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            at_once = [pool.submit(sent, victim.address, AGENT, f"/v1/approvals/{approval}", BODIES[0]) for _ in range(200)]
            n_tries += len(at_once)
            harm += ["many at once"] * any(ANSWER in one.result()[1] for one in at_once)
        status, text = sent(victim.address, LEAD, f"/v1/approvals/{waiting(victim.address)}", BODIES[0])
        if status != 200 or ANSWER in text or ANSWER not in called(victim.address):
            harm.append("the decision of somebody else does not count")
        if ANSWER in called(victim.address):
            harm.append("an approval counts twice")
    finally:
        victim.stop()
    print(f"forged approvals: {n_tries} tries, {len(harm)} did harm", flush=True)
    for one in harm[:5]:
        print(f"  {one}", flush=True)
    return ["forged approvals"] * bool(harm)
