//! A reply that comes as server-sent events, put together to what the provider sends without a stream. A stream that ends
//! before its reply does is no reply. Fields of the events are those of the providers' own pages, as in `wire`.

mod anthropic;
mod events;
mod gemini;
mod openai;
mod responses;

pub(crate) use self::events::Events;
use crate::wire::Wire;

/// The parts of a reply that have come.
#[derive(Debug)]
pub(crate) enum Assembly {
    Anthropic(anthropic::Parts),
    Gemini(gemini::Parts),
    OpenAi(openai::Parts),
    Responses(responses::Parts),
}

impl Assembly {
    /// Nothing yet; `None` for a format that is not streamed as text.
    pub(crate) fn new(wire: Wire) -> Option<Self> {
        match wire {
            Wire::Anthropic => Some(Self::Anthropic(anthropic::Parts::default())),
            Wire::Bedrock => None,
            Wire::Gemini => Some(Self::Gemini(gemini::Parts::default())),
            Wire::OpenAi => Some(Self::OpenAi(openai::Parts::default())),
            Wire::Responses => Some(Self::Responses(responses::Parts::default())),
        }
    }

    /// Adds the data of an event. Returns the words in it for the user.
    pub(crate) fn add(&mut self, data: &str) -> Result<String, String> {
        match self {
            Self::Anthropic(parts) => parts.add(data),
            Self::Gemini(parts) => parts.add(data),
            Self::OpenAi(parts) => parts.add(data),
            Self::Responses(parts) => parts.add(data),
        }
    }

    /// The body of the whole reply; `None` if its end has not come.
    pub(crate) fn body(self) -> Option<String> {
        match self {
            Self::Anthropic(parts) => parts.body(),
            Self::Gemini(parts) => parts.body(),
            Self::OpenAi(parts) => parts.body(),
            Self::Responses(parts) => parts.body(),
        }
    }
}

fn unreadable(error: impl std::fmt::Display) -> String {
    format!("an event of the model has another form: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds events in pieces of a few bytes; checks the words and the body.
    #[track_caller]
    fn check(wire: Wire, events: &[&str], words: &str, expected: &str) {
        let text: String =
            events.iter().map(|data| format!("event: x\r\ndata: {data}\r\n\r\n")).collect();
        let (mut read, mut assembly, mut said) =
            (Events::default(), Assembly::new(wire).unwrap(), String::new());
        for piece in text.as_bytes().chunks(7) {
            read.push(piece);
            while let Some(data) = read.next() {
                said += &assembly.add(&data).unwrap();
            }
        }
        assert_eq!((said.as_str(), assembly.body().as_deref()), (words, Some(expected)));
        // Without its last event, the reply has not ended.
        let mut cut = Assembly::new(wire).unwrap();
        for data in events.iter().take(events.len() - 1) {
            cut.add(data).unwrap();
        }
        assert_eq!(cut.body(), None);
    }

    #[test]
    fn blocks_of_anthropic_are_put_together() {
        check(
            Wire::Anthropic,
            &[
                r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#,
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I look."}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s="}}"#,
                r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
                r#"{"type":"ping"}"#,
                r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"So "}}"#,
                r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"a","input":{}}}"#,
                r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 1"}}"#,
                r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"it is."}}"#,
                r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":".10}"}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":30}}"#,
                r#"{"type":"message_stop"}"#,
            ],
            "So it is.",
            r#"{"content":[{"type":"thinking","thinking":"I look.","signature":"s="},{"type":"text","text":"So it is."},{"type":"tool_use","id":"t","name":"a","input":{"n":1.10}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":30}}"#,
        );
    }

    #[test]
    fn interleaved_calls_of_chat_completions_are_put_together() {
        check(
            Wire::OpenAi,
            &[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":"I "}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"reasoning_content":"think."}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"One "}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"moment.","tool_calls":[{"index":0,"function":{"arguments":"{\"n\":1}"}},{"index":1,"function":{"arguments":"}"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
            ],
            "One moment.",
            r#"{"choices":[{"message":{"role":"assistant","content":"One moment.","reasoning_content":"I think.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
        );
    }

    #[test]
    fn parts_of_gemini_stay_as_they_are() {
        check(
            Wire::Gemini,
            &[
                r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"I think.","thought":true}]}}]}"#,
                r#"{"candidates":[{"content":{"role":"model","parts":[{ "text":"So"}]}}]}"#,
                r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":1.10}},"thoughtSignature":"s="}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2}}"#,
            ],
            "So",
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"I think.","thought":true},{ "text":"So"},{"functionCall":{"name":"f","args":{"n":1.10}},"thoughtSignature":"s="}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2}}"#,
        );
    }

    #[test]
    fn the_completed_response_of_responses_is_the_reply() {
        check(
            Wire::Responses,
            &[
                r#"{"type":"response.created","response":{"output":[]}}"#,
                r#"{"type":"response.output_text.delta","delta":"So"}"#,
                r#"{"type":"response.completed","response":{ "status":"completed","output":[{"n":1.10}]}}"#,
            ],
            "So",
            r#"{ "status":"completed","output":[{"n":1.10}]}"#,
        );
    }

    #[test]
    fn an_error_in_a_stream_is_said_in_the_providers_words() {
        let error =
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
        for wire in [Wire::Anthropic, Wire::OpenAi, Wire::Gemini, Wire::Responses] {
            let said = Assembly::new(wire).unwrap().add(error).unwrap_err();
            assert!(said.contains("Overloaded"), "{wire:?}: {said}");
        }
    }
}
