//! The tools as an executor calls them.

use callgate_executor::Executor;
use callgate_kind::Operator;
use callgate_testkit::temporary_folder;
use callgate_tool::{FaultCode, SessionSource, ToolCall, json};
use tempfile::TempDir;

use super::*;
use crate::{load::load, settings::DocumentsSettings};

struct Handbook {
    _dir: TempDir,
    executor: Executor,
}

const FILES: &[(&str, &str)] = &[
    ("open.md", "---\naudience: all\ntier: 1\n---\n# Opening hours\n\nThe shop opens at nine.\n"),
    (
        "pay.md",
        "---\naudience: [staff, admin]\ntier: 2\n---\n# Salaries\n\nThe shop pays salaries monthly.\n",
    ),
    ("bare.md", "# Shop\n\nA shop without metadata.\n"),
];

async fn handbook(change: impl FnOnce(&mut DocumentsSettings)) -> Handbook {
    let dir = temporary_folder(FILES);
    let mut settings = DocumentsSettings::new("handbook", dir.path());
    change(&mut settings);
    let loaded = load(settings, None).await;
    assert_eq!(loaded.findings, []);
    let add = callgate_executor::Builder::shared_backend;
    let executor = loaded.tools.into_iter().fold(Executor::builder(), add).build().expect("tools");
    Handbook { _dir: dir, executor }
}

fn by_audience(settings: &mut DocumentsSettings) {
    settings.bound.push(BoundCondition {
        field: "audience".to_owned(),
        operator: Operator::In,
        value: SessionSource::Parameter("audience".to_owned()),
    });
}

impl Handbook {
    async fn call(&self, tool: &str, arguments: &str, session: &Session) -> Result<Value, Fault> {
        let Ok(Value::Object(arguments)) = Value::parse(arguments) else { panic!("no object") };
        let call = ToolCall { id: "1".into(), tool: tool.into(), arguments };
        let result = self.executor.call(&call, session).await;
        match &result.outcome {
            Outcome::Failed(fault) => Err(Fault::clone(fault)),
            other => Ok(Value::parse(other.text().expect("a result")).expect("JSON")),
        }
    }

    async fn documents(&self, arguments: &str, session: &Session) -> Vec<String> {
        let found = self.call("handbook-search", arguments, session).await.expect("a result");
        let snippets = found.get("snippets").and_then(Value::as_array).expect("snippets");
        let mut names: Vec<String> = snippets
            .iter()
            .map(|snippet| {
                snippet.get("document").and_then(Value::as_str).expect("a name").to_owned()
            })
            .collect();
        names.sort_unstable();
        names
    }
}

fn session(audience: impl Into<Value>) -> Session {
    Session::new("s").with_parameters(Object::from([("audience", audience.into())]))
}

#[tokio::test]
async fn a_search_matches_the_words_of_also() {
    let handbook = handbook(|_| {}).await;
    let nobody = Session::default();
    assert!(handbook.documents(r#"{"query": "wages"}"#, &nobody).await.is_empty());
    let found = handbook.documents(r#"{"query": "wages", "also": ["salary"]}"#, &nobody).await;
    assert_eq!(found, ["pay.md"]);
}

#[tokio::test]
async fn a_search_says_if_there_is_more() {
    let handbook =
        handbook(|settings| settings.uri = Some("https://a.example/{path}".into())).await;
    let call = r#"{"query": "opening the shop", "limit": 1}"#;
    let found =
        handbook.call("handbook-search", call, &Session::default()).await.expect("a result");
    assert_eq!(found.get("more"), Some(&Value::Bool(true)));
    let first = &found.get("snippets").and_then(Value::as_array).expect("snippets")[0];
    assert_eq!(first.get("uri").and_then(Value::as_str), Some("https://a.example/open.md"));
    assert_eq!(first.get("lines"), Some(&json!({"from": 5, "to": 7})));
}

#[tokio::test]
async fn a_model_s_conditions_select_documents() {
    let handbook = handbook(|_| {}).await;
    let nobody = Session::default();
    let with = |conditions: &str| format!(r#"{{"query": "shop", "where": {conditions}}}"#);
    assert_eq!(handbook.documents(&with(r#"{"tier": {"gte": 2}}"#), &nobody).await, ["pay.md"]);
    assert_eq!(handbook.documents(&with("{}"), &nobody).await.len(), 3);
    let wrong = handbook.call("handbook-search", &with(r#"{"tear": {"eq": 1}}"#), &nobody).await;
    let fault = wrong.expect_err("there is no such field");
    assert_eq!(fault.code, FaultCode::InvalidArguments);
    assert!(fault.message.contains("tier"), "{}", fault.message);
}

#[tokio::test]
async fn the_operator_s_conditions_bind_searching_and_reading() {
    let handbook = handbook(by_audience).await;
    let found = |audience: Value| {
        let handbook = &handbook;
        async move { handbook.documents(r#"{"query": "shop"}"#, &session(audience)).await }
    };
    assert_eq!(found("all".into()).await, ["open.md"]);
    assert_eq!(found("admin".into()).await, ["pay.md"]);
    assert_eq!(found(json!(["all", "staff"])).await, ["open.md", "pay.md"]);
    assert!(found("nobody".into()).await.is_empty());
    let read = |document: &'static str, audience: &'static str| {
        let handbook = &handbook;
        let arguments = format!(r#"{{"document": "{document}"}}"#);
        async move { handbook.call("handbook-read", &arguments, &session(audience)).await }
    };
    assert!(read("pay.md", "staff").await.is_ok());
    let mut hidden = read("pay.md", "all").await.expect_err("it is hidden");
    let absent = read("nay.md", "all").await.expect_err("there is none");
    hidden.message = hidden.message.replace("pay.md", "nay.md");
    hidden.problems = absent.problems.clone();
    assert_eq!(hidden, absent);
    assert!(read("bare.md", "all").await.is_err());
}

#[tokio::test]
async fn a_session_without_the_value_gets_nothing() {
    let handbook = handbook(by_audience).await;
    for session in [Session::default(), session(""), session(Value::Null)] {
        for (tool, call) in [
            ("handbook-search", r#"{"query": "shop"}"#),
            ("handbook-read", r#"{"document": "open.md"}"#),
        ] {
            let fault = handbook.call(tool, call, &session).await.expect_err("nothing");
            assert_eq!(fault.code, FaultCode::MissingSessionValue);
        }
    }
}

#[tokio::test]
async fn the_declaration_names_no_field_where_the_session_decides() {
    let declared = |handbook: &Handbook| {
        let mut tools =
            handbook.executor.entries().filter_map(callgate_executor::Entry::declaration);
        let search = tools.find(|tool| tool.name.as_str() == "handbook-search");
        search.expect("a tool").input_schema.to_string()
    };
    let open = handbook(|_| {}).await;
    assert!(declared(&open).contains("tier"));
    let bound = handbook(by_audience).await;
    assert!(!declared(&bound).contains("tier") && !declared(&bound).contains("where"));
    let named = handbook(|settings| {
        by_audience(settings);
        settings.filter = Some(vec!["tier".to_owned()]);
    });
    let named = declared(&named.await);
    assert!(named.contains("tier") && !named.contains("audience"), "{named}");
}

#[tokio::test]
async fn lines_of_a_document_are_read() {
    let handbook = handbook(|_| {}).await;
    let call = r#"{"document": "open.md", "from": 5, "to": 5}"#;
    let read = handbook.call("handbook-read", call, &Session::default()).await.expect("lines");
    assert_eq!(read.get("text").and_then(Value::as_str), Some("# Opening hours\n"));
    assert_eq!((read.get("lines"), read.get("more")), (Some(&7.into()), Some(&Value::Bool(true))));
    let call = r#"{"document": "open.md", "from": 8}"#;
    let fault =
        handbook.call("handbook-read", call, &Session::default()).await.expect_err("no line");
    assert_eq!(fault.code, FaultCode::InvalidArguments);
}
