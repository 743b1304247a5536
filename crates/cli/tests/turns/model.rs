//! A strict model behind chat completions, which streams its replies. The last message says what it replies, so that it
//! goes on with a conversation whoever continues it.

use crate::prelude::*;

#[path = "../../../agent/tests/turns/fake/rules.rs"]
mod rules;

use callgate_dialect::Dialect;

use crate::http;

pub(crate) struct Model {
    pub(crate) origin: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    requests: Mutex<Vec<Value>>,
    refused: Mutex<Vec<String>>,
    /// In the middle of the replies to the user.
    middle: Gate,
    /// Before the replies to results.
    after_results: Gate,
}

/// Checks a request as a strict provider does.
#[track_caller]
pub(crate) fn check_request(request: &Value) {
    rules::check(Dialect::OpenAi, request).unwrap();
}

impl Model {
    pub(crate) fn start() -> Self {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        let origin = http::serve(move |line, body, stream| {
            assert_eq!(line, "POST /v1/chat/completions HTTP/1.1");
            own.answer(body, stream);
        });
        Self { origin, shared }
    }

    pub(crate) fn middle(&self) -> &Gate {
        &self.shared.middle
    }

    pub(crate) fn after_results(&self) -> &Gate {
        &self.shared.after_results
    }

    pub(crate) fn n_requests(&self) -> usize {
        self.shared.requests.lock().unwrap().len()
    }

    /// The last request.
    pub(crate) fn last(&self) -> Value {
        self.shared.requests.lock().unwrap().last().unwrap().clone()
    }

    /// The results of calls in the last request.
    pub(crate) fn results(&self) -> Vec<String> {
        let last = self.last();
        let messages = last["messages"].as_array().unwrap().iter();
        let results = messages.filter(|message| message["role"].as_str() == Some("tool"));
        results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    pub(crate) fn refused_nothing(&self) {
        let refused = self.shared.refused.lock().unwrap();
        assert!(refused.is_empty(), "{refused:#?}");
    }
}

impl Shared {
    fn answer(&self, body: &str, stream: &mut TcpStream) {
        let request = Value::parse(body).unwrap();
        self.requests.lock().unwrap().push(request.clone());
        if let Err(wrong) = rules::check(Dialect::OpenAi, &request) {
            self.refused.lock().unwrap().push(format!("{wrong}\n{body}"));
            write(stream, &http::head(400, "application/json"));
            write(stream, &json!({"error": {"message": wrong}}).to_string());
            return;
        }
        let n = self.requests.lock().unwrap().len();
        let last = request["messages"].as_array().unwrap().last().unwrap();
        let said = last["content"].as_str().unwrap();
        let is_user = last["role"].as_str() == Some("user");
        if said == "Fail." {
            write(stream, &http::head(401, "application/json"));
            write(stream, r#"{"error":{"message":"no such key"}}"#);
            return;
        }
        write(stream, &http::head(200, "text/event-stream"));
        if !is_user {
            self.after_results.pass();
        }
        if self.is_broken_off(said, n, stream) {
            return;
        }
        let pieces = match said {
            _ if !is_user => [json!({"content": "It is "}), json!({"content": "done."})],
            "Read." => calls(n, &[("shop-read", "1")]),
            "Write." => calls(n, &[("shop-write", "1")]),
            "Both." => calls(n, &[("shop-read", "1"), ("shop-write", "2")]),
            "Long." => calls(n, &[("shop-read", "99")]),
            _ => [json!({"role": "assistant", "content": "Hello "}), json!({"content": "there."})],
        };
        let [first, second] = pieces.map(|piece| delta(&piece));
        write(stream, &first);
        if is_user {
            self.middle.pass();
        }
        write(stream, &second);
        let mut end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        if said != "Uncounted." {
            end["usage"] = json!({"prompt_tokens": 50, "completion_tokens": 10});
        }
        write(stream, &format!("data: {end}\n\ndata: [DONE]\n\n"));
    }
}

impl Shared {
    /// Writes a reply that has no end, if that is what a user wants. `n` is the number of the request.
    fn is_broken_off(&self, said: &str, n: usize, stream: &mut TcpStream) -> bool {
        match said {
            "Break off once." if n == 1 => write(stream, &delta(&json!({"content": "Hel"}))),
            "Endless." => {
                let piece = delta(&json!({"content": "and on ".repeat(1000)}));
                while stream.write_all(piece.as_bytes()).is_ok() {}
            }
            "Endless event." => {
                write(stream, "data: {");
                while stream.write_all(&[b' '; 8192]).is_ok() {}
            }
            "Byte by byte." => while stream.write_all(b":").is_ok() {},
            "Slow." => {
                self.middle.pass();
                write(stream, &delta(&json!({"content": "so slow"})));
            }
            _ => return false,
        }
        true
    }
}

/// Calls whose arguments come in two pieces.
fn calls(n: usize, calls: &[(&str, &str)]) -> [Value; 2] {
    let first = calls.iter().enumerate().map(|(index, (name, _))| {
        json!({"index": index, "id": format!("call_{n}_{index}"), "type": "function", "function": {"name": *name, "arguments": "{\"n\":"}})
    });
    let second = calls.iter().enumerate().map(
        |(index, (_, number))| json!({"index": index, "function": {"arguments": format!("{number}}}")}}),
    );
    let of = |calls: Vec<Value>| json!({"tool_calls": Value::Array(calls)});
    [of(first.collect()), of(second.collect())]
}

fn delta(delta: &Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": (delta.clone())}]}))
}

/// A caller that has left reads nothing.
fn write(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).ok();
}
