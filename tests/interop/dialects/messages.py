"""What the owners' libraries make of a model's answer, handed over as they write it; what comes back, judged by their types.

Each message asks for the same: an order whose number no floating point number holds, an order with an argument that is not
there, a tool that is not there, and a picture."""

import json

import anthropic
import mcp
import openai
from google.genai import types as gemini
from judges import ANSWERS
from semantic_kernel.contents import ChatMessageContent, FunctionCallContent

BIG = 9007199254740993
ASKED = [
    ("shop-getOrder", {"id": BIG}),
    ("shop-getOrder", {"id": 1, "verbos": True}),
    ("shop-getOrders", {"id": 1}),
    ("shop-getPicture", {}),
]


def chat():
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(ASKED)
    ]
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message, "logprobs": None}
    answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    whole = openai.types.chat.ChatCompletion.model_validate(answer)
    yield "openai", whole.choices[0].message.model_dump(mode="json")
    yield "openai", whole.choices[0].message.model_dump(mode="json", exclude_none=True)
    yield "openai", whole.model_dump(mode="json")


def responses():
    items = [
        {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": name, "arguments": json.dumps(arguments)}
        for n, (name, arguments) in enumerate(ASKED)
    ]
    items = [openai.types.responses.ResponseFunctionToolCall.model_validate(item) for item in items]
    yield "responses", [item.model_dump(mode="json") for item in items]


def claude():
    blocks = [{"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": arguments} for n, (name, arguments) in enumerate(ASKED)]
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": blocks, "stop_reason": "tool_use"}
    message = anthropic.types.Message.model_validate({**message, "stop_sequence": None, "usage": usage})
    yield "anthropic", message.model_dump(mode="json")
    yield "anthropic", message.model_dump(mode="json", exclude_none=True)
    yield "anthropic", [block.model_dump(mode="json") for block in message.content]


def google():
    for with_ids in (True, False):
        parts = [
            {"functionCall": {"name": name, "args": arguments} | ({"id": f"c{n}"} if with_ids else {})}
            for n, (name, arguments) in enumerate(ASKED)
        ]
        content = gemini.Content.model_validate({"role": "model", "parts": [{"text": "Let me see."}, *parts]})
        yield "gemini", content.model_dump(mode="json")
        yield "gemini", content.model_dump(mode="json", by_alias=True, exclude_none=True)
        answer = gemini.GenerateContentResponse(candidates=[gemini.Candidate(content=content)])
        yield "gemini", answer.model_dump(mode="json", by_alias=True)


def kernel():
    for as_text in (True, False):
        items = [
            FunctionCallContent(id=f"call_{n}", name=name, arguments=json.dumps(arguments) if as_text else arguments)
            for n, (name, arguments) in enumerate(ASKED)
        ]
        message = ChatMessageContent(role="assistant", items=items)
        yield "semantic_kernel", message.model_dump(mode="json")
        yield "semantic_kernel", message.model_dump(mode="json", exclude_none=True)
        yield "semantic_kernel", message.to_dict()


def others():
    content = [{"toolUse": {"toolUseId": f"t{n}", "name": name, "input": arguments}} for n, (name, arguments) in enumerate(ASKED)]
    yield "bedrock", {"role": "assistant", "content": content}
    requests = [
        mcp.types.JSONRPCRequest(jsonrpc="2.0", id=n, method="tools/call", params={"name": name, "arguments": arguments})
        for n, (name, arguments) in enumerate(ASKED)
    ]
    yield "mcp", [request.model_dump(mode="json") for request in requests]
    app = "projects/p/locations/us/apps/a"
    calls = [
        {"id": f"e{n}", "args": arguments, "toolsetTool": {"toolset": f"{app}/toolsets/shop", "toolId": name.split("-")[1]}}
        for n, (name, arguments) in enumerate(ASKED)
    ]
    yield "ces", {"outputs": [{"toolCalls": {"toolCalls": calls}, "turnIndex": 1}]}
    calls = [
        {"toolCall": {"tool": "projects/p/locations/l/agents/a/tools/shop", "action": name.split("-")[1], "inputParameters": arguments}}
        for name, arguments in ASKED
    ]
    yield "dialogflow", {"queryResult": {"responseMessages": calls}}


def check(sidecar, told):
    counted = {}
    for source in (chat, responses, claude, google, kernel, others):
        for dialect, message in source():
            counted[dialect] = counted.get(dialect, 0) + 1
            for mode in ("parallel", "sequential"):
                answers = sidecar.answers(dialect, message, mode=mode)
                problem = wrong(dialect, answers)
                told(f"{dialect}: message {counted[dialect]} is answered", not problem, f"{problem}: {json.dumps(answers)[:1500]}", quiet=True)
    for dialect, number in sorted(counted.items()):
        told(f"{dialect}: {number} messages are read, and answers are taken by its owner's types", True)


def wrong(dialect, answers):
    """What is not as it should be."""
    try:
        for answer in answers:
            ANSWERS[dialect](answer)
    except Exception as error:
        return str(error)[:600]
    text = json.dumps(answers)
    places = [text.find(word) for word in (str(BIG), "`verbose`", "shop-getOrders`", SHOWN.get(dialect, "image/png"))]
    if -1 in places or places != sorted(places):
        return f"not in the order of the calls: {places}"
    return ""


# Where a picture is not called by its media type: the first of its bytes.
SHOWN = {"bedrock": "iVBOR"}
