//! OpenAI Chat Completions: `{"type": "function", "function": {"name", "description", "parameters"}}`, not strict; calls
//! stand in `tool_calls` of a message, each answered by a message with the role `tool`. Fields:
//! `CreateChatCompletionRequest` of <https://github.com/openai/openai-openapi>.

use std::borrow::Cow;

use callgate_tool::{Tool, Value, json};

use crate::{
    ending,
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, FurtherForm, has_inner_member, has_object_or_items},
    message::{
        AnsweredCall, MessageCall, check_role, message_items, required_list, required_object,
        take_first_non_null,
    },
    projection::{Projected, Projection},
    wording::unsupported_call_kind,
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::OpenAi),
    further_form: Some(FurtherForm::Strict(Projection::OpenAiStrict, "/function")),
    ..Format::new(declaration, read_calls, tool_message, |members| {
        has_object_or_items(members, "tool_calls")
            || has_inner_member(members, "function", "arguments")
    })
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    json!({
        "type": "function",
        "function": {
            "name": tool.name.as_str(),
            "description": (&*bounded_description(description)),
            "parameters": schema,
        },
    })
}

/// A description within the bound of Azure `OpenAI` and models that copy it, which refuse the whole request for a longer one: it
/// ends with a sentence, or at least with a word.
pub(super) fn bounded_description(description: &str) -> Cow<'_, str> {
    let Some((most, _)) = description.char_indices().nth(LONGEST_DESCRIPTION) else {
        return Cow::Borrowed(description);
    };
    let bytes = description.as_bytes().get(..most).unwrap_or_default();
    // A mark of its own says that there was more.
    let most = description.floor_char_boundary(most.saturating_sub(MARK.len()));
    let head = description.get(..most).unwrap_or_default();
    let sentence = bytes
        .windows(2)
        .rposition(|pair| matches!(pair, [b'.' | b'!' | b'?', b' ' | b'\n'] | [_, b'\n']))
        .map(|at| at + 1)
        .filter(|at| *at >= most / 2 && *at <= most);
    let word = || head.rfind(char::is_whitespace).filter(|at| *at >= most / 2);
    let end = sentence.or_else(word).unwrap_or(most);
    let head = description.get(..end).unwrap_or(head).trim_end();
    Cow::Owned(format!("{head}{MARK}"))
}

/// The most characters in the description of a function.
pub(crate) const LONGEST_DESCRIPTION: usize = 1024;
const MARK: &str = " \u{2026}";

/// The calls of an assistant's message, of a whole completion or of the bare list.
pub(super) fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let calls = message_items(message, |mut message| {
        if let Some(first) = message.get("choices").and_then(|choices| choices.get(0)) {
            message =
                required_object("message", first.get("message").cloned().unwrap_or_default())?;
        }
        check_role(&message, "assistant")?;
        match take_first_non_null(&mut message, &["tool_calls"]) {
            Some(calls) => required_list("tool_calls", calls),
            None if message.contains_key("role") => Ok(Vec::new()),
            None => Err(wrong_value_error(
                "message",
                "the role and the `tool_calls` of an assistant",
                None,
            )),
        }
    })?;
    calls.into_iter().map(message_call).collect()
}

fn message_call(call: Value) -> Result<MessageCall, EnvelopeError> {
    let mut call = required_object("tool_calls", call)?;
    let id = take_first_non_null(&mut call, &["id"]);
    // Every call needs an answer, even one of another type.
    if let Some(kind) = call.get("type").and_then(Value::as_str).filter(|kind| *kind != "function")
    {
        let fault = Some(unsupported_call_kind(kind));
        let name = call.get(kind).and_then(|custom| custom.get("name")).cloned();
        return Ok(MessageCall { fault, ..MessageCall::new(id, name.as_ref(), call) });
    }
    let mut function = required_object("function", call.remove("function").unwrap_or_default())?;
    let arguments = function.remove("arguments");
    Ok(MessageCall::new(id, function.get("name"), call).with_arguments(arguments))
}

/// Writes the message of one call. Its content is text: the format accepts no images there.
pub(super) fn tool_message(answer: &AnsweredCall<'_>) -> Value {
    let content = ending::outcome_text(&answer.result);
    json!({"role": "tool", "tool_call_id": answer.result.id, "content": content})
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Effect, Schema, ToolName};

    use super::*;

    #[test]
    fn a_declaration_has_the_shape_of_chat_completions() {
        let schema = Schema::new(json!({
            "type": "object", "properties": {"petId": {"type": "integer"}}, "required": ["petId"],
        }));
        let name = ToolName::new("petstore-getPet").unwrap();
        let tool = Tool::new(name, "Return a pet".into(), schema, Effect::Read);
        assert_eq!(
            crate::Dialect::OpenAi.declaration(&tool),
            json!({"type": "function", "function": {
                "name": "petstore-getPet",
                "description": "Return a pet",
                "parameters": {
                    "type": "object",
                    "properties": {"petId": {"type": "integer"}},
                    "required": ["petId"],
                },
            }})
        );
    }

    #[test]
    fn a_description_beyond_the_bound_ends_with_a_sentence_or_a_word() {
        for text in ["", "Lists pets.", &"x".repeat(1024), &"é".repeat(1024)] {
            assert_eq!(bounded_description(text), text);
        }
        let sentences = "All pets of the shop. ".repeat(100);
        assert!(
            bounded_description(&sentences).ends_with("of the shop. \u{2026}"),
            "{}",
            bounded_description(&sentences)
        );
        let words = "a word ".repeat(300);
        let head = bounded_description(&words).trim_end_matches(MARK).len();
        assert_eq!(words.as_bytes()[head], b' ', "{}", bounded_description(&words));
        for text in [
            sentences,
            "a word ".repeat(300),
            "é".repeat(3000),
            "\u{1f600} ".repeat(900),
            "x".repeat(1025),
        ] {
            let cut = bounded_description(&text);
            assert!(cut.chars().count() <= LONGEST_DESCRIPTION, "{} {cut}", cut.chars().count());
            assert!(cut.chars().count() > LONGEST_DESCRIPTION / 3, "{cut}");
            let head = cut.strip_suffix(MARK).unwrap();
            assert!(text.starts_with(head), "{cut}");
        }
    }
}
