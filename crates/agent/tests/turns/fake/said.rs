//! What the model says, in each provider's form, with the blocks that have to come back: thoughts, signatures, spaces.

use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) text: &'static str,
    pub(crate) calls: Vec<Asked>,
    /// The reason to stop; the usual one if it is empty.
    pub(crate) stop: &'static str,
    pub(crate) tokens: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) name: String,
    /// The arguments as text. Only `openai` and `responses` can say what is no JSON.
    pub(crate) arguments: String,
}

impl Said {
    pub(crate) fn text(text: &'static str) -> Self {
        Self { text, ..Self::default() }
    }

    pub(crate) fn calls(calls: &[(&str, &str)]) -> Self {
        let asked = |(name, arguments): &(&str, &str)| Asked {
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        };
        Self { calls: calls.iter().map(asked).collect(), ..Self::default() }
    }

    /// The body of the response, and the texts in it that have to come back. `n` tells replies apart.
    pub(super) fn rendered(&self, dialect: Dialect, n: usize) -> (String, Vec<String>) {
        let (body, texts) = match dialect {
            Dialect::Anthropic => self.anthropic(n),
            Dialect::Bedrock => self.bedrock(n),
            Dialect::Gemini => self.gemini(n),
            Dialect::OpenAi => self.openai(n),
            Dialect::Responses => self.responses(n),
            other => panic!("no provider speaks {other}"),
        };
        (body, texts.into_iter().map(with_quoted_arguments).collect())
    }

    fn stop<'s>(&'s self, calls: &'s str, end: &'s str) -> &'s str {
        match (self.stop, self.calls.is_empty()) {
            ("", false) => calls,
            ("", true) => end,
            (stop, _) => stop,
        }
    }

    fn openai(&self, n: usize) -> (String, Vec<String>) {
        let calls = self.calls.iter().enumerate().map(|(at, Asked { name, arguments })| {
            let arguments = Value::from(arguments.as_str());
            format!(r#"{{"id":"call_{n}_{at}","type":"function","function":{{"name":"{name}","arguments": {arguments}}},"extra_content":{{"google":{{"thought_signature":"s{n}"}}}}}}"#)
        });
        let calls: Vec<_> = calls.collect();
        let calls = if calls.is_empty() {
            String::new()
        } else {
            format!(r#","tool_calls": [{}]"#, calls.join(","))
        };
        let text = if self.text.is_empty() {
            "null".to_owned()
        } else {
            Value::from(self.text).to_string()
        };
        let message = format!(
            r#"{{ "role":"assistant","content":{text},"reasoning_content":"r{n} 1.10","unknown":[1.10,1e400]{calls}}}"#
        );
        let (stop, tokens) = (self.stop("tool_calls", "stop"), self.tokens);
        let body = format!(
            r#"{{"choices":[{{"index":0,"message":{message},"finish_reason":"{stop}"}}],"usage":{{"prompt_tokens":{tokens},"completion_tokens":1}}}}"#
        );
        (body, vec![message])
    }

    fn anthropic(&self, n: usize) -> (String, Vec<String>) {
        let mut blocks = vec![
            format!(r#"{{"type":"thinking","thinking":"t{n}","signature":"sig{n}=="}}"#),
            format!(r#"{{"type":"redacted_thinking","data":"d{n}"}}"#),
        ];
        if !self.text.is_empty() {
            blocks.push(format!(
                r#"{{"type": "text","text":{},"citations":[{{"n":1.10}}]}}"#,
                Value::from(self.text)
            ));
        }
        blocks.extend(self.calls.iter().enumerate().map(|(at, Asked { name, arguments })| {
            format!(r#"{{"type":"tool_use","id":"toolu_{n}_{at}","name":"{name}","input":{arguments},"caller":{{"type":"direct"}}}}"#)
        }));
        let content = format!("[ {}]", blocks.join(","));
        let (stop, tokens) = (self.stop("tool_use", "end_turn"), self.tokens);
        let body = format!(
            r#"{{"type":"message","role":"assistant","content":{content},"stop_reason":"{stop}","usage":{{"input_tokens":{tokens},"output_tokens":1}}}}"#
        );
        (body, vec![content])
    }

    fn gemini(&self, n: usize) -> (String, Vec<String>) {
        let mut parts = vec![format!(r#"{{"text":"t{n}","thought":true}}"#)];
        if !self.text.is_empty() {
            parts.push(format!(r#"{{"text":{}}}"#, Value::from(self.text)));
        }
        parts.extend(self.calls.iter().enumerate().map(|(at, Asked { name, arguments })| {
            // Only the first call of a message is signed. Every second message has no ids.
            let signature =
                if at == 0 { format!(r#","thoughtSignature":"sig{n}""#) } else { String::new() };
            let id =
                if n.is_multiple_of(2) { String::new() } else { format!(r#""id":"g{n}_{at}","#) };
            format!(r#"{{"functionCall": {{{id}"name":"{name}","args":{arguments}}}{signature}}}"#)
        }));
        let content = format!(r#"{{"parts":[{}], "role":"model"}}"#, parts.join(","));
        let (stop, tokens) = (self.stop("STOP", "STOP"), self.tokens);
        let body = format!(
            r#"{{"candidates":[{{"content":{content},"finishReason":"{stop}"}}],"usageMetadata":{{"promptTokenCount":{tokens},"candidatesTokenCount":1}}}}"#
        );
        (body, vec![content])
    }

    fn responses(&self, n: usize) -> (String, Vec<String>) {
        let mut items = vec![format!(
            r#"{{"type":"reasoning","id":"rs_{n}","summary":[],"encrypted_content":"e{n}=="}}"#
        )];
        if !self.text.is_empty() {
            items.push(format!(r#"{{"type":"message","id":"msg_{n}","role":"assistant","phase":"commentary","content":[{{"type":"output_text","text":{},"annotations":[]}}]}}"#, Value::from(self.text)));
        }
        for (at, Asked { name, arguments }) in self.calls.iter().enumerate() {
            let arguments = Value::from(arguments.as_str());
            if at == 1 {
                items.push(format!(r#"{{"type":"reasoning","id":"rs_{n}b","summary":[],"encrypted_content":"f{n}=="}}"#));
            }
            items.push(format!(r#"{{"type":"function_call","id":"fc_{n}_{at}","call_id":"call_{n}_{at}","name":"{name}","arguments": {arguments},"status":"completed"}}"#));
        }
        let (status, details) = match self.stop {
            "" => ("completed", "null".to_owned()),
            stop => ("incomplete", format!(r#"{{"reason":"{stop}"}}"#)),
        };
        let tokens = self.tokens;
        let body = format!(
            r#"{{"status":"{status}","incomplete_details":{details},"output":[{}],"usage":{{"input_tokens":{tokens},"output_tokens":1}}}}"#,
            items.join(" , ")
        );
        (body, items)
    }

    fn bedrock(&self, n: usize) -> (String, Vec<String>) {
        let mut blocks = vec![format!(
            r#"{{"reasoningContent":{{"reasoningText":{{"text":"t{n}","signature":"s{n}"}}}}}}"#
        )];
        if !self.text.is_empty() {
            blocks.push(format!(r#"{{"text": {}}}"#, Value::from(self.text)));
        }
        blocks.extend(self.calls.iter().enumerate().map(|(at, Asked { name, arguments })| {
            format!(r#"{{"toolUse":{{"toolUseId":"tooluse_{n}_{at}","name":"{name}","input":{arguments}}}}}"#)
        }));
        let message = format!(r#"{{"role":"assistant", "content":[{}]}}"#, blocks.join(","));
        let (stop, tokens) = (self.stop("tool_use", "end_turn"), self.tokens);
        let body = format!(
            r#"{{"output":{{"message":{message}}},"stopReason":"{stop}","usage":{{"inputTokens":{tokens},"outputTokens":1}}}}"#
        );
        (body, vec![message])
    }
}

/// A message as it comes back: arguments that are no object are quoted in one, and everything else is as it was.
fn with_quoted_arguments(message: String) -> String {
    let Ok(mut value) = Value::parse(&message) else { return message };
    if quote_arguments(&mut value) { value.to_string() } else { message }
}

fn quote_arguments(value: &mut Value) -> bool {
    match value {
        Value::Array(items) => {
            let mut is_any = false;
            for item in items {
                is_any |= quote_arguments(item);
            }
            is_any
        }
        Value::Object(members) => {
            let mut is_any = false;
            for (name, member) in members.iter_mut() {
                let text = member.as_str().filter(|text| name == "arguments" && !text.is_empty());
                let is_wrong = |text: &&str| !Value::parse(text).is_ok_and(|it| it.is_object());
                if let Some(text) = text.filter(is_wrong) {
                    *member = json!({"unreadable": text}).to_string().into();
                    is_any = true;
                } else {
                    is_any |= quote_arguments(member);
                }
            }
            is_any
        }
        _ => false,
    }
}
