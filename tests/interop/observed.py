"""Looks at what a sidecar tells of itself with readers that are not ours: the spans that it sends by OTLP, decoded by
opentelemetry-proto, and its numbers, parsed by prometheus-client. One call, within the trace of its caller."""

import argparse
import contextlib
import json
import pathlib
import subprocess
import tempfile
import urllib.request

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client.parser import text_string_to_metric_families

import services

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
STEP = "00f067aa0ba902b7"
DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {"/pets/{id}": {"get": {
        "operationId": "getPet",
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        "responses": {"200": {"description": "ok"}},
    }}},
}


class Server(services.Service):
    """A service and a collector: keeps the headers of calls, and spans."""

    def __init__(self):
        self.headers, self.spans, self.collected = [], [], []
        super().__init__(Handler)


class Handler(services.Handler):
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        self.server.headers.append(dict(self.headers))
        self.answer(b'{"id": 7}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.collected.append((self.path, dict(self.headers)))
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                self.server.spans.extend((resource.resource, span) for span in scope.spans)
        self.answer(b"")


def served(callgate, folder, server):
    """Starts a sidecar; its process and its address."""
    (folder / "pets.json").write_text(json.dumps(DESCRIPTION))
    (folder / "callgate.yaml").write_text(json.dumps({
        "log": {"format": "json"},
        "telemetry": {"otlp": server.url, "headers": {"x-key": "env:OTLP_KEY"}, "service": "pets-sidecar"},
        "toolsets": {"pets": {"openapi": "pets.json", "server": server.url}},
    }))
    command = [callgate, "serve", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env={"OTLP_KEY": "canary"})
    for line in process.stderr:
        if "http://" in line:
            return process, json.loads(line)["fields"]["listen"][0]
    raise SystemExit("the sidecar did not start")


def asked(url, body=None, headers=()):
    request = urllib.request.Request(url, data=body, headers=dict(headers))
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def run(callgate):
    server = Server()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ends:
        process, url = served(callgate, pathlib.Path(folder), server)
        # Of a process that has ended, nothing.
        ends.callback(process.kill)
        call = {"calls": [{"id": "1", "tool": "pets-getPet", "args": {"id": "canary-argument"}}]}
        headers = {"Content-Type": "application/json", "traceparent": f"00-{TRACE}-{STEP}-01"}
        answer = json.loads(asked(f"{url}/v1/calls", json.dumps(call).encode(), headers))
        assert answer["results"][0]["response"] == {"id": 7}, answer
        numbers = asked(f"{url}/metrics")
        process.terminate()
        log = process.stderr.read()
        assert process.wait(120) == 0, process.returncode
    of_spans(server)
    of_numbers(numbers)
    of_log([json.loads(line) for line in log.splitlines()])
    assert "canary" not in log and "canary" not in numbers, (log, numbers)
    print(f"observed: {len(server.spans)} spans of one trace, {numbers.count('# TYPE')} metrics")


def of_spans(server):
    tree = {span.name: span for _, span in server.spans if span.trace_id.hex() == TRACE}
    # The names of OpenTelemetry's conventions for HTTP: the method with the route, or with the template of the address.
    gateway, call, request = tree["POST /v1/calls"], tree["call"], tree["GET /pets/{id}"]
    assert (gateway.kind, request.kind) == (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT), (gateway.kind, request.kind)
    attributes = {known.key: known.value for known in request.attributes}
    assert attributes["server.port"].int_value == server.server_port, attributes
    assert not any(known.key == "error.type" for span in (gateway, request) for known in span.attributes), tree
    assert gateway.parent_span_id.hex() == STEP, gateway
    assert call.parent_span_id == gateway.span_id, call
    assert request.parent_span_id == call.span_id, request
    sent = server.headers[0]["traceparent"].split("-")
    assert sent[1:3] == [TRACE, request.span_id.hex()], (sent, request)
    path, headers = server.collected[0]
    assert path == "/v1/traces" and headers["x-key"] == "canary", (path, headers)
    resource, _ = server.spans[0]
    service = {known.key: known.value.string_value for known in resource.attributes}
    assert service["service.name"] == "pets-sidecar", service
    assert service["service.version"] and service["service.instance.id"], service
    statuses = [known.value for span in (gateway, request) for known in span.attributes if known.key == "http.response.status_code"]
    assert [status.int_value for status in statuses] == [200, 200], statuses
    routes = {known.value.string_value for _, span in server.spans for known in span.attributes if known.key == "http.route"}
    assert routes == {"/v1/calls"}, f"a trace of a scrape: {routes}"
    assert "canary" not in str(server.spans), server.spans


def of_log(records):
    fields = {record["target"]: record["fields"] for record in records}
    call, request = fields["callgate::calls"], fields["callgate::requests"]
    assert (call["outcome"], call["status"], call["trace"]) == ("answered", 200, TRACE), call
    assert (request["path"], request["status"], request["trace"]) == ("/v1/calls", 200, TRACE), request


def of_numbers(text):
    samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            samples[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    labels = (("outcome", "answered"), ("reached", "yes"), ("toolset", "pets"))
    assert samples["callgate_calls_total", labels] == 1, samples
    assert samples["callgate_call_duration_seconds_count", (("toolset", "pets"),)] == 1, samples
    assert samples["callgate_toolset_up", (("toolset", "pets"),)] == 1, samples


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    run(parser.parse_args().callgate)
