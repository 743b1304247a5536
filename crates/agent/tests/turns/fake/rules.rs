//! The rules by which providers refuse a conversation: a call without an id, with one that they do not take, or with arguments of
//! another kind; blank words of a user; a call or a result under another role; a call without its one result directly after it, a result without a call, empty messages, a conversation that does not begin or
//! end with the user, reasoning without its follower.

use callgate_dialect::Dialect;
use callgate_tool::{Object, Value};

type Checked = Result<(), String>;

pub(super) fn check(dialect: Dialect, body: &Value) -> Checked {
    match dialect {
        Dialect::Anthropic => blocks(body, "tool_use", &ANTHROPIC),
        Dialect::Bedrock => {
            blocks(body, "toolUse", &BEDROCK)?;
            alternate(body)
        }
        Dialect::Gemini => gemini(body),
        Dialect::OpenAi => openai(body),
        Dialect::Responses => responses(body),
        other => Err(format!("no provider speaks {other}")),
    }
}

fn list<'v>(value: &'v Value, name: &str) -> Result<&'v Vec<Value>, String> {
    value.get(name).and_then(Value::as_array).ok_or_else(|| format!("expected the list `{name}`"))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn expect(is_fine: bool, message: &str) -> Checked {
    if is_fine { Ok(()) } else { Err(message.to_owned()) }
}

fn openai(body: &Value) -> Checked {
    let messages = list(body, "messages")?;
    let mut open: Vec<&str> = Vec::new();
    let mut is_first = true;
    for message in messages {
        let role = text(message, "role");
        if role == "tool" {
            let id = text(message, "tool_call_id");
            let at = open.iter().position(|known| *known == id);
            let at = at.ok_or_else(|| format!("a tool message follows no call of id {id}"))?;
            open.remove(at);
            expect(
                message.get("content").is_some_and(Value::is_string),
                "a tool message has no text",
            )?;
            continue;
        }
        expect(open.is_empty(), "calls without results")?;
        match role {
            "system" => expect(is_first, "a late system message")?,
            "user" => {
                let parts = message.get("content").and_then(Value::as_array);
                let has_parts = parts.is_some_and(|parts| !parts.is_empty());
                let has_text = !text(message, "content").trim().is_empty();
                expect(has_parts || has_text, "an empty user message")?;
                expect(parts.is_none_or(|parts| are_parts(parts)), "a blank text of a user")?;
                expect(message.get("tool_calls").is_none(), "calls of a user")?;
            }
            "assistant" => {
                let calls = message.get("tool_calls");
                let is_list = |calls: &Value| calls.as_array().is_some_and(|all| !all.is_empty());
                expect(calls.is_none_or(is_list), "`tool_calls` without calls")?;
                let calls = calls.and_then(Value::as_array).into_iter().flatten();
                for call in calls.clone() {
                    expect(!text(call, "id").is_empty(), "a call without an id")?;
                    expect(!text(call, "type").is_empty(), "a call without a type")?;
                    let arguments = call.get("function").and_then(|it| it.get("arguments"));
                    let arguments = arguments.and_then(Value::as_str);
                    expect(arguments.is_some_and(is_object), "arguments that are no object")?;
                }
                open = calls.map(|call| text(call, "id")).collect();
                expect(are_distinct(&open), "one id of two calls")?;
                expect(open.iter().all(|id| id.chars().count() <= 40), "an id of 41 characters")?;
                let has_text = match message.get("content") {
                    Some(Value::Array(parts)) => !parts.is_empty() && are_parts(parts),
                    content => content.is_some_and(Value::is_string),
                };
                expect(has_text || !open.is_empty(), "an assistant message without content")?;
            }
            other => return Err(format!("the role {other}")),
        }
        is_first = false;
    }
    expect(open.is_empty(), "calls without results at the end")?;
    let last = messages.last().map(|last| text(last, "role"));
    expect(matches!(last, Some("tool" | "user")), "the last message is not the user's")?;
    expect(
        body.get("tool_choice").is_none() || body.get("tools").is_some(),
        "a choice without tools",
    )
}

fn is_object(text: &str) -> bool {
    text.is_empty() || Value::parse(text).is_ok_and(|value| value.is_object())
}

/// True for objects none of which is a blank text.
fn are_parts(parts: &[Value]) -> bool {
    let is_blank = |part: &Value| {
        part.get("text").and_then(Value::as_str).is_some_and(|text| text.trim().is_empty())
    };
    parts.iter().all(|part| part.is_object() && !is_blank(part))
}

/// True for a part of a result that has one of these types, or only one of these members, and whose type `text` has a text.
fn is_result_part(part: &Value, types: &[&str], members: &[&str]) -> bool {
    let names: Vec<_> = part.as_object().into_iter().flat_map(Object::keys).collect();
    let is_typed = types.contains(&text(part, "type"));
    let has_text = text(part, "type") != "text" || part.get("text").is_some_and(Value::is_string);
    let is_file = text(part, "type") != "image" || part.get("source").is_some();
    (is_typed && has_text && is_file)
        || matches!(&*names, [only] if members.contains(&only.as_str()))
}

/// `^[a-zA-Z0-9_-]+$`, and no longer than this.
fn is_plain(id: &str, longest: usize) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    (1..=longest).contains(&id.len()) && id.chars().all(is_part)
}

fn are_distinct(ids: &[&str]) -> bool {
    ids.iter().collect::<std::collections::BTreeSet<_>>().len() == ids.len()
}

/// How a format with blocks names them.
struct Blocks {
    input: fn(&Value) -> Option<&Value>,
    id: fn(&Value) -> Option<&str>,
    answered: fn(&Value) -> Option<&str>,
    /// The content of a result.
    result: fn(&Value) -> Option<&Value>,
    /// The types of its parts, or the only member of one.
    result_parts: (&'static [&'static str], &'static [&'static str]),
    longest_id: usize,
}

const ANTHROPIC: Blocks = Blocks {
    input: |block| block.get("input").filter(|_| text(block, "type") == "tool_use"),
    id: |block| (text(block, "type") == "tool_use").then(|| text(block, "id")),
    answered: |block| (text(block, "type") == "tool_result").then(|| text(block, "tool_use_id")),
    result: |block| {
        let content = block.get("content").filter(|_| text(block, "type") == "tool_result");
        content.filter(|content| !content.is_string())
    },
    result_parts: (&["document", "image", "search_result", "text", "tool_reference"], &[]),
    longest_id: usize::MAX,
};

const BEDROCK: Blocks = Blocks {
    input: |block| own_call(block)?.get("input"),
    id: |block| Some(text(own_call(block)?, "toolUseId")),
    answered: |block| {
        // Results of calls that the provider makes itself have a type.
        let result = block.get("toolResult").filter(|result| result.get("type").is_none())?;
        Some(text(result, "toolUseId"))
    },
    result: |block| block.get("toolResult")?.get("content"),
    result_parts: (&[], &["document", "image", "json", "searchResult", "text", "video"]),
    longest_id: 64,
};

/// A call of Bedrock that the provider does not make itself.
fn own_call(block: &Value) -> Option<&Value> {
    block.get("toolUse").filter(|call| text(call, "type") != "server_tool_use")
}

/// True if the results among blocks have parts that are none of blank text.
fn are_results(content: &[Value], blocks: &Blocks) -> bool {
    let mut results = content.iter().filter_map(blocks.result).map(Value::as_array);
    let (types, members) = blocks.result_parts;
    let are_of_results =
        |parts: &Vec<Value>| parts.iter().all(|part| is_result_part(part, types, members));
    results
        .all(|parts| parts.is_some_and(|it| !it.is_empty() && are_parts(it) && are_of_results(it)))
}

fn blocks(body: &Value, kind: &str, blocks: &Blocks) -> Checked {
    let single = [Value::Null];
    let mut open: Vec<&str> = Vec::new();
    let mut all: Vec<&str> = Vec::new();
    let messages = list(body, "messages")?;
    expect(
        messages.first().is_some_and(|first| text(first, "role") == "user"),
        "the first message",
    )?;
    expect(messages.last().is_some_and(|last| text(last, "role") == "user"), "the last message")?;
    for message in messages {
        let content = match message.get("content") {
            Some(Value::String(text)) if kind == "tool_use" && !text.trim().is_empty() => {
                &single[..]
            }
            Some(Value::Array(content)) if !content.is_empty() => content,
            _ => return Err("an empty message".to_owned()),
        };
        let has_text = message.get("content").is_some_and(Value::is_string);
        expect(has_text || are_parts(content), "a blank text, or a block that is none")?;
        let is_user = text(message, "role") == "user";
        let n_answered = content.iter().filter_map(blocks.answered).count();
        let answered: Vec<_> = content.iter().map_while(blocks.answered).collect();
        expect(n_answered == answered.len(), "a result after other blocks")?;
        expect(is_user || answered.is_empty(), "a result of a model")?;
        expect(!is_user || are_results(content, blocks), "the content of a result")?;
        let mut given = answered.clone();
        given.sort_unstable();
        open.sort_unstable();
        expect(given == open, "results that are not those of the calls before")?;
        open = content.iter().filter_map(|block| (blocks.id)(block)).collect();
        expect(open.iter().all(|id| is_plain(id, blocks.longest_id)), "the id of a call")?;
        all.extend(&open);
        expect(are_distinct(&all), "one id of two calls")?;
        let is_unsigned = |block: &Value| {
            let thought = block.pointer("/reasoningContent/reasoningText");
            thought.is_some_and(|thought| {
                thought.get("signature").is_some_and(|it| it == &Value::from(""))
            })
        };
        expect(!content.iter().any(is_unsigned), "an empty signature")?;
        let inputs = content.iter().filter_map(|block| (blocks.input)(block));
        expect(inputs.clone().all(Value::is_object), "an input that is no object")?;
        expect(inputs.count() == open.len(), "a call without an input")?;
        let has_calls = !open.is_empty();
        expect(!has_calls || text(message, "role") == "assistant", "calls of a user")?;
        let has_tools = body.get("tools").is_some() || body.get("toolConfig").is_some();
        expect(!has_calls || has_tools, "calls without declared tools")?;
    }
    expect(open.is_empty(), "calls without results at the end")?;
    expect(kind != "tool_use" || body.get("max_tokens").is_some(), "`max_tokens` is missing")
}

fn alternate(body: &Value) -> Checked {
    let roles: Vec<_> =
        list(body, "messages")?.iter().map(|message| text(message, "role")).collect();
    expect(roles.windows(2).all(|pair| pair[0] != pair[1]), "roles that do not alternate")
}

fn gemini(body: &Value) -> Checked {
    let mut open: Vec<(String, String)> = Vec::new();
    let contents = list(body, "contents")?;
    expect(
        contents.first().is_some_and(|first| text(first, "role") == "user"),
        "the first content",
    )?;
    expect(contents.last().is_some_and(|last| text(last, "role") == "user"), "the last content")?;
    for content in contents {
        let parts = list(content, "parts")?;
        expect(!parts.is_empty(), "a content without parts")?;
        let is_user = text(content, "role") != "model";
        expect(!is_user || are_parts(parts), "a blank text of a user")?;
        let responses = parts.iter().filter_map(|part| part.get("functionResponse"));
        let has_object = |it: &Value| it.get("response").is_some_and(Value::is_object);
        expect(responses.clone().all(has_object), "a response that is no object")?;
        expect(is_user || responses.count() == 0, "a response of a model")?;
        let named = |part: &Value, kind: &str| {
            part.get(kind).map(|call| (text(call, "id").to_owned(), text(call, "name").to_owned()))
        };
        let of = |kind| parts.iter().filter_map(move |part| named(part, kind)).collect::<Vec<_>>();
        let (given, calls) = (of("functionResponse"), of("functionCall"));
        expect(given == open, "function responses that are not those of the calls before")?;
        let is_signed = parts.iter().find(|part| part.get("functionCall").is_some());
        let is_signed = is_signed.is_none_or(|part| part.get("thoughtSignature").is_some());
        expect(is_signed, "a call without its thought signature")?;
        let mut members = parts.iter().filter_map(|part| part.get("functionCall")?.as_object());
        let are_of_calls =
            |call: &Object| call.keys().all(|name| matches!(name.as_str(), "args" | "id" | "name"));
        expect(members.all(are_of_calls), "a member that calls do not have")?;
        expect(calls.is_empty() || text(content, "role") == "model", "calls of a user")?;
        open = calls;
    }
    expect(open.is_empty(), "calls without responses at the end")
}

fn responses(body: &Value) -> Checked {
    let mut open: Vec<&str> = Vec::new();
    let mut all: Vec<&str> = Vec::new();
    let mut is_reasoning = false;
    let input = list(body, "input")?;
    expect(body.get("store").and_then(Value::as_bool) == Some(false), "a stored response")?;
    for item in input {
        let kind = match text(item, "type") {
            "" if item.get("role").is_some() => "message",
            kind => kind,
        };
        let is_of_model =
            text(item, "role") == "assistant" || matches!(kind, "function_call" | "reasoning");
        expect(!is_reasoning || is_of_model, "reasoning without the item that follows it")?;
        is_reasoning = kind == "reasoning";
        match kind {
            "function_call" => {
                let id = text(item, "call_id");
                open.push(id);
                all.push(id);
                expect(are_distinct(&all), "one id of two calls")?;
                expect((1..=64).contains(&id.chars().count()), "the id of a call")?;
                let arguments = item.get("arguments");
                expect(arguments.is_some_and(Value::is_string), "arguments that are no text")?;
            }
            "function_call_output" => {
                let id = text(item, "call_id");
                let at = open.iter().position(|known| *known == id);
                let at = at.ok_or_else(|| format!("an output without a call: {id}"))?;
                open.remove(at);
                let types = ["input_file", "input_image", "input_text"];
                let mut parts = item.get("output").and_then(Value::as_array).into_iter().flatten();
                let are_parts = parts.all(|part| is_result_part(part, &types, &[]));
                expect(are_parts, "the output of a call")?;
            }
            "message" if text(item, "role") == "user" => {
                expect(open.is_empty(), "no tool output found for a function call")?;
                let parts = item.get("content").and_then(Value::as_array);
                let is_text = !text(item, "content").trim().is_empty();
                let is_fine = parts.map_or(is_text, |it| !it.is_empty() && are_parts(it));
                expect(is_fine, "a blank text of a user")?;
            }
            "message" | "reasoning" => {}
            other => return Err(format!("the item {other}")),
        }
    }
    expect(open.is_empty() && !is_reasoning, "no tool output found at the end")?;
    let is_last =
        |item: &Value| text(item, "role") == "user" || text(item, "type").ends_with("_output");
    expect(input.last().is_some_and(is_last), "the last item is not the user's")
}
