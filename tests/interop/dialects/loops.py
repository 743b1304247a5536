"""Whole loops of calls: a model that follows a script speaks its provider's format to the provider's own client, whose
messages go through the sidecar. It asks for three things at once, one of them in words that are wrong, corrects itself by
what it is told, has a page opened by a function of the client, and looks at a picture.

The server of the model refuses what providers refuse: a call without an answer, an answer without a call."""

import asyncio
import base64
import json

import anthropic
import botocore.session
import openai
from google import genai
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory, ChatMessageContent
from sidecar import PICTURE, Handler, Served

BIG = 9007199254740993
FIRST = [
    ("shop-getOrder", {"id": BIG}),
    ("shop-createOrder", {"siz": "small", "note": None}),
    ("shop-getPicture", {}),
]


def corrected(error):
    """The second turn, made of what the model was told and nothing else."""
    problems = {problem["at"]: problem for problem in error["problems"]}
    name = problems["siz"]["suggestion"].strip("`").split("`")[0].split(" ")[-1].strip("`")
    return [("shop-createOrder", {name: "small", "note": None}), ("open_page", {"page": "orders"})]


class Script:
    """What the model says by the answers it got: lists of calls, then nothing."""

    def turn(self, answers):
        """`answers` are those of each turn, each a text or a value."""
        if len(answers) == 0:
            return FIRST
        if len(answers) == 1:
            order, error, _ = answers[0]
            assert str(BIG) in json.dumps(order), order
            error = json.loads(error) if isinstance(error, str) else error
            return corrected(error["error"])
        made, opened = answers[1]
        assert "opened orders" in json.dumps(opened), opened
        assert str(BIG) in json.dumps(made) and "small" in json.dumps(made), made
        return []


class Model(Served):
    """The server of a model. `read` finds the answers of each turn in a request, `say` writes the turn."""

    def __init__(self, read, say):
        class Asked(Handler):
            def do_POST(self):
                request = json.loads(self.body())
                try:
                    calls = Script().turn(read(request))
                except Exception as error:
                    text = f"{type(error).__name__}: {error}"
                    return self.answered(400, {"error": {"message": text, "type": "invalid_request_error", "code": 400, "status": "INVALID_ARGUMENT"}, "message": text})
                self.answered(200, say(calls, request))

        super().__init__(Asked)


def paired(asked, answered):
    assert asked == answered, f"calls {asked} are answered as {answered}"


# OpenAI Chat Completions.


def chat_read(request):
    assert all(tool["type"] == "function" for tool in request["tools"])
    turns = []
    for message in request["messages"]:
        if message["role"] == "assistant":
            turns.append(([call["id"] for call in message["tool_calls"]], []))
        elif message["role"] == "tool":
            turns[-1][1].append((message["tool_call_id"], message["content"]))
    for asked, answers in turns:
        paired(asked, [answer[0] for answer in answers])
    if turns:
        assert "image/png" in turns[0][1][2][1]
    return [[content for _, content in answers] for _, answers in turns]


def chat_say(calls, request):
    turn = len(request["messages"])
    message = {"role": "assistant", "content": None if calls else "Done."}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{turn}_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(calls)
        ]
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def chat_loop(sidecar, address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
    tools, messages = sidecar.tools("openai"), [{"role": "user", "content": "Go."}]
    for _ in range(5):
        answer = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        message = answer.model_dump(mode="json", exclude_none=True)
        answers = sidecar.answers("openai", message)
        if not answers:
            return answer.content
        messages += [message, *answers]


# OpenAI Responses.


def responses_read(request):
    asked, answered = [], {}
    for item in request["input"]:
        if item.get("type") == "function_call":
            asked.append(item["call_id"])
        elif item.get("type") == "function_call_output":
            answered[item["call_id"]] = item["output"]
    paired(asked, list(answered))
    answers = list(answered.values())
    if answers:
        assert answers[2][0]["image_url"].endswith(base64.b64encode(PICTURE).decode())
    return [answers[:3], answers[3:]][: (len(answers) + 2) // 3]


def responses_say(calls, request):
    turn = len(request["input"])
    output = [
        {"type": "function_call", "id": f"fc_{turn}_{n}", "call_id": f"call_{turn}_{n}", "name": name, "arguments": json.dumps(arguments), "status": "completed"}
        for n, (name, arguments) in enumerate(calls)
    ]
    if not calls:
        text = {"type": "output_text", "text": "Done.", "annotations": []}
        output = [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}]
    return {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


def responses_loop(sidecar, address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
    tools, items = sidecar.tools("responses"), [{"role": "user", "content": "Go."}]
    for _ in range(5):
        answer = client.responses.create(model="m", input=items, tools=tools)
        output = [item.model_dump(mode="json", exclude_none=True) for item in answer.output]
        answers = sidecar.answers("responses", output)
        if not answers:
            return answer.output_text
        items += [*output, *answers]


# Anthropic.


def claude_read(request):
    assert all("input_schema" in tool for tool in request["tools"])
    turns = []
    for message in request["messages"][1:]:
        if message["role"] == "assistant":
            turns.append(([block["id"] for block in message["content"]], []))
            continue
        paired(turns[-1][0], [block["tool_use_id"] for block in message["content"]])
        turns[-1][1].extend(message["content"])
    if turns:
        order, error, picture = turns[0][1]
        assert error["is_error"] and "is_error" not in order
        assert picture["content"][0]["source"]["data"] == base64.b64encode(PICTURE).decode()
    return [[block["content"] for block in blocks] for _, blocks in turns]


def claude_say(calls, request):
    turn = len(request["messages"])
    content = [{"type": "tool_use", "id": f"toolu_{turn}_{n}", "name": name, "input": arguments} for n, (name, arguments) in enumerate(calls)]
    stop = "tool_use" if calls else "end_turn"
    content = content or [{"type": "text", "text": "Done."}]
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def claude_loop(sidecar, address):
    client = anthropic.Anthropic(base_url=address, api_key="k", max_retries=0)
    tools, messages = sidecar.tools("anthropic"), [{"role": "user", "content": "Go."}]
    for _ in range(5):
        answer = client.messages.create(model="m", max_tokens=100, messages=messages, tools=tools)
        message = {"role": "assistant", "content": [block.model_dump(mode="json", exclude_none=True) for block in answer.content]}
        answers = sidecar.answers("anthropic", message)
        if not answers:
            return answer.content[0].text
        messages += [message, *answers]


# Gemini.


def either(members, name, other):
    """The member: Google reads both spellings, and its client writes both."""
    return members[name] if name in members else members[other]


def gemini_read(request):
    (declared,) = [tool["functionDeclarations"] for tool in request["tools"]]
    for one in declared:
        either(one, "parametersJsonSchema", "parameters_json_schema")
    turns = []
    for content in request["contents"][1:]:
        if content["role"] == "model":
            turns.append(([part["functionCall"]["name"] for part in content["parts"]], []))
            continue
        answers = [part["functionResponse"] for part in content["parts"]]
        paired(turns[-1][0], [answer["name"] for answer in answers])
        turns[-1][1].extend(answers)
    if turns:
        (part,) = turns[0][1][2]["parts"]
        data = either(part, "inlineData", "inline_data")
        assert either(data, "mimeType", "mime_type") == "image/png"
        assert base64.urlsafe_b64decode(data["data"].replace("+", "-").replace("/", "_")) == PICTURE
    return [[answer["response"] for answer in answers] for _, answers in turns]


def gemini_say(calls, request):
    parts = [{"functionCall": {"name": name, "args": texts(arguments)}} for name, arguments in calls]
    content = {"role": "model", "parts": parts or [{"text": "Done."}]}
    return {"candidates": [{"index": 0, "finishReason": "STOP", "content": content}]}


def texts(arguments):
    """Numbers that the wire of Google does not hold come as texts."""
    return {name: str(value) if value == BIG else value for name, value in arguments.items()}


def gemini_loop(sidecar, address):
    client = genai.Client(api_key="k", http_options={"base_url": address})
    tools = [{"function_declarations": sidecar.tools("gemini")}]
    contents = [{"role": "user", "parts": [{"text": "Go."}]}]
    for _ in range(5):
        config = {"tools": tools, "automatic_function_calling": {"disable": True}}
        answer = client.models.generate_content(model="m", contents=contents, config=config)
        message = answer.candidates[0].content.model_dump(mode="json", by_alias=True, exclude_none=True)
        answers = sidecar.answers("gemini", message)
        if not answers:
            return answer.text
        contents += [message, *answers]


# Amazon Bedrock.


def bedrock_read(request):
    turns = []
    for message in request["messages"][1:]:
        if message["role"] == "assistant":
            turns.append(([block["toolUse"]["toolUseId"] for block in message["content"]], []))
            continue
        results = [block["toolResult"] for block in message["content"]]
        paired(turns[-1][0], [result["toolUseId"] for result in results])
        turns[-1][1].extend(results)
    if turns:
        image = turns[0][1][2]["content"][0]["image"]
        assert image["source"]["bytes"] == base64.b64encode(PICTURE).decode()
        assert turns[0][1][1]["status"] == "error"
    return [[result["content"][0].get("text") for result in results] for _, results in turns]


def bedrock_say(calls, request):
    turn = len(request["messages"])
    content = [{"toolUse": {"toolUseId": f"t_{turn}_{n}", "name": name, "input": arguments}} for n, (name, arguments) in enumerate(calls)]
    message = {"role": "assistant", "content": content or [{"text": "Done."}]}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return {"output": {"message": message}, "stopReason": "tool_use" if calls else "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}


def bedrock_loop(sidecar, address):
    client = botocore.session.get_session().create_client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=address, aws_access_key_id="a", aws_secret_access_key="b"
    )
    tools, messages = {"tools": sidecar.tools("bedrock")}, [{"role": "user", "content": [{"text": "Go."}]}]
    for _ in range(5):
        message = client.converse(modelId="m", messages=messages, toolConfig=tools)["output"]["message"]
        answers = sidecar.answers("bedrock", message)
        if not answers:
            return message["content"][0]["text"]
        # The client encodes bytes itself.
        for block in answers[0]["content"]:
            for part in block["toolResult"]["content"]:
                if "image" in part:
                    part["image"]["source"]["bytes"] = base64.b64decode(part["image"]["source"]["bytes"])
        messages += [message, *answers]


# Semantic Kernel, over OpenAI's format.


def kernel_loop(sidecar, address):
    async def loop():
        client = openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
        service = OpenAIChatCompletion(ai_model_id="m", async_client=client)
        settings = OpenAIChatPromptExecutionSettings(tools=sidecar.tools("semantic_kernel"), tool_choice="auto")
        history = ChatHistory()
        history.add_user_message("Go.")
        for _ in range(5):
            (message,) = await service.get_chat_message_contents(history, settings)
            answers = sidecar.answers("semantic_kernel", message.model_dump(mode="json", exclude={"inner_content"}))
            if not answers:
                return str(message)
            history.add_message(message)
            for answer in answers:
                history.add_message(ChatMessageContent.model_validate(answer))

    return asyncio.run(loop())


LOOPS = {
    "anthropic": (claude_loop, claude_read, claude_say),
    "bedrock": (bedrock_loop, bedrock_read, bedrock_say),
    "gemini": (gemini_loop, gemini_read, gemini_say),
    "openai": (chat_loop, chat_read, chat_say),
    "responses": (responses_loop, responses_read, responses_say),
    "semantic_kernel": (kernel_loop, chat_read, chat_say),
}


def check(sidecar, orders, told):
    for dialect, (loop, read, say) in LOOPS.items():
        orders.seen.clear()
        with Model(read, say) as model:
            try:
                ended, why = loop(sidecar, model.address), ""
            except Exception as error:
                ended, why = "", f"{type(error).__name__}: {error}"
        told(f"{dialect}: a loop of its owner's client ends", ended == "Done.", why[:1500])
        expected = {f"GET /orders/{BIG}", "GET /picture", 'POST /orders {"size":"small","note":null}'}
        seen = {line.split("?")[0] for line in orders.seen}
        told(f"{dialect}: the service was asked what the model meant", seen == expected, sorted(seen), quiet=True)
