//! Conversations from anywhere, with ids, words and roles as other providers and programs write them, are sent as each provider takes
//! them, and each call with its own result.

mod ids;

use callgate_agent::{Agent, EndReason, Input, Transcript};
use callgate_dialect::Dialect;
use callgate_tool::{Object, Value, json};

use crate::{
    fake::{DIALECTS, Fake},
    loops::Random,
    shop::{Made, context, executor, unasked},
};

/// Ids as servers write them; one is missing.
fn ids() -> Vec<Option<Value>> {
    let long = "chatcmpl-tool-0123456789abcdef0123456789abcdef".to_owned();
    let texts = ["a", "a", "a", "", "call 1", "functions.shop-add:0", "ü", "call_1", "call00001"];
    let texts = texts.iter().map(|text| Some(Value::from(*text)));
    texts
        .chain([Some(long.clone().into()), Some((long + "é+/=" + "0123456789").into())])
        .chain([Some(json!(7)), None])
        .collect()
}

/// A conversation that is drawn, in a dialect.
struct Drawn<'r> {
    random: &'r mut Random,
    dialect: Dialect,
    /// Calls are numbered, and so are their results.
    n_calls: u64,
}

impl Drawn<'_> {
    fn pick(&mut self, n: u64) -> usize {
        usize::try_from(self.random.below(n)).unwrap()
    }

    fn messages(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        for _ in 0..=self.pick(5) {
            match self.pick(5) {
                0 | 1 => messages.push(self.user()),
                2 => messages.push(self.model_words()),
                _ => messages.extend(self.calls_with_results()),
            }
        }
        messages
    }

    fn role(&self) -> &'static str {
        if self.dialect == Dialect::Gemini { "model" } else { "assistant" }
    }

    fn part(&self, text: &str) -> Value {
        match self.dialect {
            Dialect::Bedrock | Dialect::Gemini => json!({"text": text}),
            Dialect::Responses => json!({"type": "input_text", "text": text}),
            _ => json!({"type": "text", "text": text}),
        }
    }

    fn message(&self, role: &str, content: Value) -> Value {
        let name = if self.dialect == Dialect::Gemini { "parts" } else { "content" };
        Value::Object(Object::from([("role", role.into()), (name, content)]))
    }

    fn user(&mut self) -> Value {
        let text = ["Hello.", "", " \n", "Go on."][self.pick(4)];
        let content = match self.pick(6) {
            0 => json!([text]),
            1 => json!([self.part(text), "Words."]),
            2 => json!([self.part(text)]),
            3 => json!([]),
            4 => Value::Null,
            _ => text.into(),
        };
        self.message("user", content)
    }

    fn model_words(&mut self) -> Value {
        let text = ["Yes.", "One moment."][self.pick(2)];
        let is_part = self.pick(2) == 0;
        let content = match self.dialect {
            Dialect::Responses => text.into(),
            _ if is_part => json!([self.part(text)]),
            _ => json!([text]),
        };
        self.message(self.role(), content)
    }

    /// Calls of one message, and their results: all of them or none, some under a role that is not theirs.
    fn calls_with_results(&mut self) -> Vec<Value> {
        let n = 1 + self.pick(3);
        let ids: Vec<_> = (0..n).map(|_| ids().swap_remove(self.pick(13))).collect();
        let first = self.n_calls;
        self.n_calls += 3;
        let numbered: Vec<_> = ids.into_iter().zip(first..).collect();
        let calls = numbered.iter().map(|(id, number)| self.call(id.as_ref(), *number)).collect();
        let mut messages = self.calling(calls);
        if self.pick(4) > 0 {
            let results = numbered.iter().map(|(id, number)| self.result(id.as_ref(), *number));
            let results = results.collect();
            messages.extend(self.answering(results));
        } else {
            // Calls without results and those behind them could not be told apart by their ids.
            messages.push(self.user());
        }
        messages
    }

    fn call(&self, id: Option<&Value>, number: u64) -> Value {
        let arguments = json!({"n": number});
        let text = arguments.to_string();
        let (name, call) = match self.dialect {
            Dialect::Anthropic => {
                ("id", json!({"type": "tool_use", "name": "shop-add", "input": arguments}))
            }
            Dialect::Bedrock => ("toolUseId", json!({"name": "shop-add", "input": arguments})),
            Dialect::Gemini => ("id", json!({"name": "shop-add", "args": arguments})),
            Dialect::OpenAi => {
                let function = json!({"name": "shop-add", "arguments": text});
                ("id", json!({"type": "function", "function": function}))
            }
            _ => {
                ("call_id", json!({"type": "function_call", "name": "shop-add", "arguments": text}))
            }
        };
        let call = with_id(call, name, id);
        match self.dialect {
            Dialect::Bedrock => json!({"toolUse": call}),
            Dialect::Gemini => json!({"functionCall": call, "thoughtSignature": "s"}),
            _ => call,
        }
    }

    fn calling(&mut self, calls: Vec<Value>) -> Vec<Value> {
        let role = if self.pick(8) == 0 { "user" } else { self.role() };
        match self.dialect {
            Dialect::OpenAi => {
                vec![json!({"role": role, "content": null, "tool_calls": calls})]
            }
            Dialect::Responses => calls,
            _ => vec![self.message(role, Value::Array(calls))],
        }
    }

    fn result(&mut self, id: Option<&Value>, number: u64) -> Value {
        let text = format!("result {number}.");
        let content = match self.pick(4) {
            0 => json!([text]),
            1 => json!([self.part(&text), self.part(" ")]),
            // Data that resembles parts.
            2 => json!([{"type": "image", "text": text}, {"text": "", "id": 7}]),
            _ => text.into(),
        };
        let (name, result) = match self.dialect {
            Dialect::Anthropic => {
                ("tool_use_id", json!({"type": "tool_result", "content": content}))
            }
            Dialect::Bedrock => ("toolUseId", json!({"content": content})),
            Dialect::Gemini => ("id", json!({"name": "shop-add", "response": content})),
            Dialect::OpenAi => ("tool_call_id", json!({"role": "tool", "content": content})),
            _ => ("call_id", json!({"type": "function_call_output", "output": content})),
        };
        let result = with_id(result, name, id);
        match self.dialect {
            Dialect::Bedrock => json!({"toolResult": result}),
            Dialect::Gemini => json!({"functionResponse": result}),
            _ => result,
        }
    }

    fn answering(&mut self, results: Vec<Value>) -> Vec<Value> {
        let role = if self.pick(8) == 0 { self.role() } else { "user" };
        match self.dialect {
            Dialect::OpenAi | Dialect::Responses => results,
            _ => vec![self.message(role, Value::Array(results))],
        }
    }
}

fn with_id(mut whole: Value, name: &str, id: Option<&Value>) -> Value {
    if let Some(id) = id {
        whole[name] = id.clone();
    }
    whole
}

/// The calls and results of a request in their order: the id, the number of a call, and the text of a result.
fn calls_and_results(dialect: Dialect, body: &Value) -> Vec<(String, Option<u64>, String)> {
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let number = |value: &Value| match value.as_str() {
        Some(text) => Value::parse(text).unwrap()["n"].as_u64(),
        None => value["n"].as_u64(),
    };
    let call = |id: &Value, arguments: &Value| (text(id), number(arguments), String::new());
    let result = |id: &Value, content: &Value| (text(id), None, content.to_string());
    let part = |part: &Value| match dialect {
        Dialect::Anthropic if part["type"] == "tool_use" => Some(call(&part["id"], &part["input"])),
        Dialect::Anthropic if part["type"] == "tool_result" => {
            Some(result(&part["tool_use_id"], &part["content"]))
        }
        Dialect::Responses if part["type"] == "function_call" => {
            Some(call(&part["call_id"], &part["arguments"]))
        }
        Dialect::Responses if part["type"] == "function_call_output" => {
            Some(result(&part["call_id"], &part["output"]))
        }
        Dialect::OpenAi if part["role"] == "tool" => {
            Some(result(&part["tool_call_id"], &part["content"]))
        }
        Dialect::OpenAi => {
            part.get("function").map(|function| call(&part["id"], &function["arguments"]))
        }
        Dialect::Bedrock | Dialect::Gemini => {
            let calls = ["toolUse", "functionCall"].iter().filter_map(|name| part.get(*name));
            let mut calls = calls.map(|it| match it.get("input") {
                Some(input) => call(&it["toolUseId"], input),
                None => call(&it["id"], &it["args"]),
            });
            calls.next().or_else(|| {
                let bedrock = part.get("toolResult");
                let bedrock = bedrock.map(|it| result(&it["toolUseId"], &it["content"]));
                let gemini = || part.get("functionResponse");
                bedrock.or_else(|| gemini().map(|it| result(&it["id"], &it["response"])))
            })
        }
        _ => None,
    };
    let messages = match dialect {
        Dialect::Gemini => list(body, "contents"),
        Dialect::Responses => list(body, "input"),
        _ => list(body, "messages"),
    };
    let parts = messages.iter().flat_map(|message| match dialect {
        Dialect::Gemini => list(message, "parts"),
        Dialect::OpenAi if message["role"] == "assistant" => list(message, "tool_calls"),
        Dialect::OpenAi | Dialect::Responses => vec![message.clone()],
        _ => list(message, "content"),
    });
    parts.filter_map(|it| part(&it)).collect()
}

/// Checks that each result is that of its call, or says that there is none.
fn check_pairs(dialect: Dialect, body: &Value, shown: &str) -> usize {
    let mut open: Vec<(String, u64)> = Vec::new();
    let mut n_paired = 0;
    for (id, number, text) in calls_and_results(dialect, body) {
        let Some(number) = number else {
            // Gemini's calls may have no ids, or one for all: they are answered in their order.
            let at = open.iter().position(|(other, _)| *other == id);
            let (_, number) = open.remove(at.expect("a result of an open call"));
            let is_its = text.contains(&format!("result {number}."));
            assert!(is_its || !text.contains("result "), "{dialect}: {number}: {text}\n{shown}");
            n_paired += usize::from(is_its);
            continue;
        };
        open.push((id, number));
    }
    assert!(open.is_empty(), "{dialect}: {open:?}\n{shown}");
    n_paired
}

/// Checks that each request begins as the one before it, by which providers keep what they have read.
fn check_beginning(dialect: Dialect, requests: &[String], shown: &str) {
    let name = match dialect {
        Dialect::Gemini => "contents",
        Dialect::Responses => "input",
        _ => "messages",
    };
    let texts: Vec<_> =
        requests.iter().map(|body| Value::parse(body).unwrap()[name].to_string()).collect();
    for pair in texts.windows(2) {
        let before = pair[0].strip_suffix(']').unwrap();
        assert!(pair[1].starts_with(before), "{dialect}: {pair:#?}\n{shown}");
    }
}

/// Sends a conversation on to a model of this name, and returns the last request and the number of calls that have their results.
async fn sent(mut transcript: Transcript, model: &str, shown: &str) -> (Value, usize) {
    let dialect = transcript.dialect();
    let (fake, made) = (Fake::new(dialect, []), Made::default());
    let agent = Agent::new(executor(&made), fake.model_named(model), unasked());
    for input in ["Go on.", " "] {
        let end = agent.turn(&mut transcript, Input::text(input), &context()).await.unwrap();
        assert_eq!(end.reason, EndReason::Answered, "{:?}\n{shown}", end.detail);
        assert!(fake.refused.lock().unwrap().is_empty(), "{:#?}\n{shown}", fake.refused);
    }
    assert!(made.all().is_empty(), "{shown}");
    check_beginning(dialect, &fake.requests.lock().unwrap(), shown);
    let (_, again) = Transcript::from_text(&transcript.to_text(), |_| None).unwrap();
    assert!(again.is_nothing(), "{again}\n{shown}");
    let n_paired = check_pairs(dialect, &fake.last(), shown);
    (fake.last(), n_paired)
}

async fn n_paired(transcript: Transcript, shown: &str) -> usize {
    sent(transcript, "m-1", shown).await.1
}

#[tokio::test]
async fn every_conversation_is_sent_as_a_strict_provider_takes_it_with_each_call_and_its_result() {
    let mut random = Random(3);
    for n in 0..600 {
        let dialect = DIALECTS[n % 5];
        let messages = Drawn { random: &mut random, dialect, n_calls: 100 }.messages();
        let shown = format!("{dialect}: {}", Value::Array(messages.clone()));
        let (transcript, repair) = Transcript::from_messages(dialect, messages).unwrap();
        let n_results = shown.matches("result 1").count();
        assert_eq!(repair.n_dropped, 0, "{shown}");
        assert_eq!(n_paired(transcript.clone(), &shown).await, n_results, "{shown}");
        let to = DIALECTS[(n + 1 + n / 5 % 4) % 5];
        let (converted, _) = transcript.into_dialect(to, |_| None).unwrap();
        assert_eq!(n_paired(converted, &shown).await, n_results, "to {to}: {shown}");
    }
}
