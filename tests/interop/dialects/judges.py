"""What the owners of formats take: their own types, each as a function that raises where it does not."""

import functools
import json
import pathlib
import re

import anthropic
import botocore.session
import googleapiclient
import mcp
import openai
import pydantic
from anthropic.lib._parse._transform import transform_schema
from botocore.validate import ParamValidator
from google.genai import types as gemini
from semantic_kernel.contents import ChatMessageContent
from semantic_kernel.functions import KernelFunctionMetadata


@functools.cache
def adapter(form):
    return pydantic.TypeAdapter(form)


def typed(form, value):
    """A value of a library's dictionary type, without members it does not know."""
    adapter(form).validate_python(value)
    known = form.__annotations__ | {}
    unknown = set(value) - set(known)
    if unknown:
        raise ValueError(f"unknown members: {unknown}")


def named(name, pattern=r"[a-zA-Z0-9_-]{1,64}"):
    if not re.fullmatch(pattern, name):
        raise ValueError(f"not a name: {name}")


@functools.cache
def bedrock():
    client = botocore.session.get_session().create_client(
        "bedrock-runtime", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    return client.meta.service_model.operation_model("Converse").input_shape


def converse(**members):
    report = ParamValidator().validate({"modelId": "m", **members}, bedrock())
    if report.has_errors():
        raise ValueError(report.generate_report())


@functools.cache
def discovery(name):
    folder = pathlib.Path(googleapiclient.__file__).parent / "discovery_cache/documents"
    return json.loads((folder / f"{name}.json").read_text())["schemas"]


KINDS = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "array": list, "object": dict}


def discovered(document, schema, value, at=""):
    """A value of a message of Google's discovery documents."""
    if isinstance(schema, str):
        schema = discovery(document)[schema]
    if "$ref" in schema:
        schema = discovery(document)[schema["$ref"]]
    kind = schema.get("type", "any")
    if kind == "any":
        return
    is_number_text = schema.get("format") in ("int64", "int32", "uint64") and isinstance(value, int)
    if not isinstance(value, KINDS[kind]) and not is_number_text:
        raise ValueError(f"{at}: expected {kind}, got {value!r}")
    if value not in schema.get("enum", [value]):
        raise ValueError(f"{at}: {value!r} is not one of {schema['enum']}")
    if kind == "array":
        for n, item in enumerate(value):
            discovered(document, schema["items"], item, f"{at}[{n}]")
    elif kind == "object":
        for name, member in value.items():
            below = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            if below is None:
                raise ValueError(f"{at}: unknown member {name}")
            discovered(document, below, member, f"{at}.{name}")


CX = "GoogleCloudDialogflowCxV3"


def kernel_function(declaration):
    typed(openai.types.chat.ChatCompletionFunctionToolParam, declaration)
    name = declaration["function"]["name"]
    plugin, _, function = name.partition("-")
    metadata = KernelFunctionMetadata(name=function or plugin, plugin_name=plugin if function else None, is_prompt=False)
    if metadata.fully_qualified_name != name:
        raise ValueError(f"the kernel calls it {metadata.fully_qualified_name}")


def function_of_openai(declaration):
    typed(openai.types.chat.ChatCompletionFunctionToolParam, declaration)
    named(declaration["function"]["name"])


def function_of_responses(declaration):
    typed(openai.types.responses.FunctionToolParam, declaration)
    named(declaration["name"], r"[a-zA-Z0-9_-]{1,128}")


def tool_of_anthropic(declaration):
    typed(anthropic.types.ToolParam, declaration)
    named(declaration["name"], r"[a-zA-Z0-9_-]{1,128}")


def tool_of_bedrock(declaration):
    converse(toolConfig={"tools": [declaration]})
    named(declaration["toolSpec"]["name"])


def strict(schema, needs_all):
    """What strict modes refuse: other members, and where all are needed, members that may be absent."""
    if isinstance(schema, list):
        for one in schema:
            strict(one, needs_all)
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict) and schema.get("type") in ("object", ["object", "null"]):
        if schema.get("additionalProperties") is not False:
            raise ValueError(f"other members are allowed: {json.dumps(schema)[:300]}")
        if needs_all and set(schema.get("required", [])) != set(properties):
            raise ValueError(f"a member may be absent: {json.dumps(schema)[:300]}")
        for one in properties.values():
            strict(one, needs_all)
    for name, one in schema.items():
        if name not in ("properties", "enum", "required"):
            strict(list(one.values()) if name == "$defs" else one, needs_all)


def strict_of_openai(declaration):
    function_of_openai(declaration)
    assert declaration["function"]["strict"] is True
    strict(declaration["function"]["parameters"], True)


def strict_of_responses(declaration):
    function_of_responses(declaration)
    assert declaration["strict"] is True
    strict(declaration["parameters"], True)


def strict_of_anthropic(declaration):
    """What their library makes of a schema for strict output is what we wrote, but for words."""
    tool_of_anthropic(declaration)
    assert declaration["strict"] is True
    strict(declaration["input_schema"], False)
    transform_schema(declaration["input_schema"])


def strict_of_bedrock(declaration):
    tool_of_bedrock(declaration)
    assert declaration["toolSpec"]["strict"] is True
    strict(declaration["toolSpec"]["inputSchema"]["json"], False)


def schema_of_gemini(declaration):
    function = gemini.FunctionDeclaration.model_validate(declaration)
    assert function.parameters is not None and function.parameters_json_schema is None


# Of each dialect, and of each form beside the usual one: who takes a declaration.
DECLARATIONS = {
    "anthropic": tool_of_anthropic,
    "bedrock": tool_of_bedrock,
    "ces": lambda declaration: discovered("ces.v1", "Tool", declaration),
    "dialogflow": lambda declaration: discovered("dialogflow.v3", f"{CX}Tool", declaration),
    "gemini": lambda declaration: gemini.FunctionDeclaration.model_validate(declaration),
    "mcp": lambda declaration: mcp.types.Tool.model_validate(declaration),
    "openai": function_of_openai,
    "responses": function_of_responses,
    "semantic_kernel": kernel_function,
    "anthropic strict": strict_of_anthropic,
    "bedrock strict": strict_of_bedrock,
    "gemini schema": schema_of_gemini,
    "openai strict": strict_of_openai,
    "responses strict": strict_of_responses,
    "semantic_kernel strict": kernel_function,
}


def result_of_mcp(message):
    result = mcp.types.JSONRPCMessage.model_validate(message).root.result
    mcp.types.CallToolResult.model_validate(result)


# Of each dialect: who takes an answer.
ANSWERS = {
    "anthropic": lambda message: adapter(anthropic.types.MessageParam).validate_python(message),
    "bedrock": lambda message: converse(messages=[message]),
    "ces": lambda message: discovered("ces.v1", "SessionInput", message),
    "dialogflow": lambda message: discovered("dialogflow.v3", f"{CX}QueryInput", message),
    "gemini": lambda message: gemini.Content.model_validate(message),
    "mcp": result_of_mcp,
    "openai": lambda message: typed(openai.types.chat.ChatCompletionToolMessageParam, message),
    "responses": lambda item: adapter(openai.types.responses.ResponseInputItemParam).validate_python(item),
    "semantic_kernel": lambda message: ChatMessageContent.model_validate(message),
}
