//! Tools whose declarations take more than they may: they are left out of what a model is shown, and the operator is told.

use crate::prelude::*;
use std::io::{self, Write};

use callgate_dialect::Dialect;

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_tool_that_is_not_declared_is_logged_once() {
    let properties: Object =
        (0..7000).map(|n| (format!("p{n}"), json!({"format": "binary"}))).collect();
    let body = json!({"content": {"multipart/form-data": {"schema": {"type": "object", "properties": properties}}}});
    let description = json!({"openapi": "3.1.0", "paths": {
        "/big": {"post": {"operationId": "sendBig", "summary": "A", "requestBody": body}},
        "/small": {"get": {"operationId": "getSmall", "summary": "A"}}}});
    let settings = json!({"server": "http://127.0.0.1:1", "prefix": ""});
    let built = toolset(&description.to_string(), &settings.to_string());
    let executor = built.unwrap().executor;
    let log = Log::default();
    let kept = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_writer(move || kept.clone()).finish();
    // With one subscriber, a test of another thread that has none may decide for all that nobody reads an event.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    tracing::subscriber::with_default(subscriber, || {
        for _ in 0..2 {
            let names: Vec<_> = executor
                .entries()
                .filter_map(Entry::declaration)
                .map(|tool| tool.name.as_str())
                .collect();
            assert_eq!(names, ["getSmall"]);
        }
    });
    let said = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(said.matches("a tool is not declared").count(), 1, "{said}");
    assert!(said.contains("sendBig") && said.contains("steps"), "{said}");
}

#[test]
fn a_declaration_for_a_provider_takes_at_most_the_tokens_of_its_toolset() {
    let words = "A value that a whole sentence explains.";
    let part = |n: usize| {
        let deep = json!({"type": "object", "properties": {(format!("deep{n}")): {"type": "string", "description": words}}});
        (format!("p{n}"), deep)
    };
    let properties: Object = (0..150).map(part).collect();
    let body = json!({"content": {"application/json": {"schema": {"type": "object", "properties": properties}}}});
    let description = json!({"openapi": "3.1.0", "paths": {
        "/big": {"post": {"operationId": "sendBig", "summary": "A", "requestBody": body}}}});
    let bytes = |limits: &str| {
        let settings = format!("server: 'http://127.0.0.1:1'\nprefix: ''\n{limits}");
        let executor = toolset(&description.to_string(), &settings).unwrap().executor;
        let tool = executor.find("sendBig").unwrap().declaration().unwrap();
        Dialect::OpenAi.declaration(tool).to_string().len()
    };
    // A token is four bytes.
    let whole = bytes("");
    assert!((2 * 4_000..4 * 8_000).contains(&whole), "{whole}");
    let short = bytes("limits: {tool_tokens: 1000}");
    assert!(short <= 4_000, "{short}");
}
