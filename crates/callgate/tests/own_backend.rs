//! Tools of a program's own: their arguments are checked against their declaration, whichever way a call comes, and the tool
//! sees only what it declares.

#![cfg(test)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use callgate::{
    Arguments, Backend, Call, Effect, ErrorKind, Executor, Fault, FaultCode, Function, Outcome,
    Preview, Reached, Schema, Session, Tool, ToolCall, ToolName, config::ResultSelection,
    result::Journal,
};
use callgate_tool::{Value, json};

/// Counts its runs and previews.
#[derive(Debug)]
struct Counted {
    tool: Tool,
    n_seen: Arc<AtomicUsize>,
}

#[async_trait::async_trait]
impl Backend for Counted {
    fn name(&self) -> &ToolName {
        &self.tool.name
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.tool)
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        self.n_seen.fetch_add(1, Ordering::Relaxed);
        Ok(Preview::Text("would count".to_owned()))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        self.n_seen.fetch_add(1, Ordering::Relaxed);
        Value::Object(call.arguments().clone()).into()
    }
}

/// Never ends, and looks at no deadline.
#[derive(Debug)]
struct Endless(Tool);

#[async_trait::async_trait]
impl Backend for Endless {
    fn name(&self) -> &ToolName {
        &self.0.name
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.0)
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text("would never end".to_owned()))
    }

    async fn run(&self, _: &Call<'_>, _: &mut Journal) -> Outcome {
        std::future::pending().await
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"zone": {"type": "string"}, "hour": {"type": "integer", "maximum": 23}},
        "required": ["zone"],
        "additionalProperties": false,
    })
}

/// An executor with the tool twice: as a backend, and as a function.
fn executor(n_seen: &Arc<AtomicUsize>) -> Executor {
    let name = ToolName::new("clock").unwrap();
    let tool = Tool::new(name, "Tells the time".to_owned(), Schema::new(schema()), Effect::Read);
    let counter = Arc::clone(n_seen);
    let function = Function::new("", "clock_function", schema(), move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { json!("12:00") }
    });
    let backend = Counted { tool, n_seen: Arc::clone(n_seen) };
    Executor::builder().backend(backend).backend(function.unwrap()).build().unwrap()
}

/// The outcomes of a call by every way: run, planned, streamed, left to the client.
async fn outcomes(executor: &Executor, tool: &str, arguments: &Value) -> Vec<Outcome> {
    let arguments: Arguments = arguments.as_object().unwrap().clone();
    let call = ToolCall::new("1", tool, arguments);
    let session = Session::default();
    let client = Call::new(&call, &session).run_by_client();
    vec![
        executor.call(&call, &session).await.outcome,
        executor.dry_run(&call, &session).await.outcome,
        executor.stream(&call, &session).await.into_result().outcome,
        executor.call_with(client).await.outcome,
    ]
}

#[tokio::test]
async fn undeclared_arguments_never_reach_a_tool_of_the_program() {
    for (arguments, at) in [
        (json!({}), "zone"),
        (json!({"zone": 1}), "zone"),
        (json!({"zone": "utc", "hour": 24}), "hour"),
        (json!({"zone": "utc", "hoor": 1}), "hoor"),
    ] {
        for tool in ["clock", "clock_function"] {
            let n_seen = Arc::default();
            let outcomes = outcomes(&executor(&n_seen), tool, &arguments).await;
            assert!(outcomes.iter().all(|outcome| is_refused(outcome, at)), "{tool} {arguments}");
            assert_eq!(n_seen.load(Ordering::Relaxed), 0, "{tool} {arguments}");
        }
    }
}

/// The outcome is a fault of the argument at this place; a misspelt one is named with the nearest.
#[track_caller]
fn is_refused(outcome: &Outcome, at: &str) -> bool {
    let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
    let is_named = at != "hoor" || fault.problems[0].expected.contains("`hour`");
    fault.code == FaultCode::InvalidArguments && fault.problems[0].at == at && is_named
}

#[tokio::test]
async fn declared_arguments_reach_a_tool_of_the_program_by_every_entrance() {
    for tool in ["clock", "clock_function"] {
        let n_seen = Arc::default();
        let outcomes = outcomes(&executor(&n_seen), tool, &json!({"zone": "utc", "hour": 3})).await;
        assert!(!outcomes.iter().any(Outcome::is_failed), "{outcomes:?}");
        assert!(matches!(&outcomes[1], Outcome::Planned(_)), "{outcomes:?}");
        assert!(n_seen.load(Ordering::Relaxed) >= 2, "{tool}");
    }
}

/// Declares one thing and is another.
#[derive(Debug)]
struct Contradicting {
    name: ToolName,
    toolset: &'static str,
    effect: Effect,
    tool: Tool,
}

#[async_trait::async_trait]
impl Backend for Contradicting {
    fn name(&self) -> &ToolName {
        &self.name
    }

    fn toolset(&self) -> &str {
        self.toolset
    }

    fn effect(&self) -> Effect {
        self.effect
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.tool)
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text(String::new()))
    }

    async fn run(&self, _: &Call<'_>, _: &mut Journal) -> Outcome {
        Value::Null.into()
    }
}

#[test]
fn a_backend_that_contradicts_its_declaration_is_refused_when_it_is_built() {
    let built = |name: &str, toolset, effect, schema: Value| {
        let clock = ToolName::new("clock").unwrap();
        let tool = Tool::new(clock, "Tells the time".to_owned(), Schema::new(schema), Effect::Read);
        let name = ToolName::new(name).unwrap();
        Executor::builder().backend(Contradicting { name, toolset, effect, tool }).build()
    };
    assert!(built("clock", "", Effect::Read, schema()).is_ok());
    for (name, toolset, effect, schema, kind) in [
        ("watch", "", Effect::Read, schema(), ErrorKind::InvalidDeclaration),
        ("clock", "", Effect::Write, schema(), ErrorKind::InvalidDeclaration),
        ("clock", "a b", Effect::Read, schema(), ErrorKind::IllegalName),
        ("clock", "", Effect::Read, json!({"type": "array"}), ErrorKind::InvalidSchema),
        ("clock", "", Effect::Read, json!(true), ErrorKind::InvalidSchema),
    ] {
        let error = built(name, toolset, effect, schema).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
}

#[tokio::test]
async fn a_result_that_the_declaration_does_not_allow_is_a_fault_with_the_result() {
    for (hour, effect, is_fine) in
        [(7, Effect::Read, true), (77, Effect::Read, false), (77, Effect::Write, false)]
    {
        let output = json!({"type": "object", "properties": {"hour": {"maximum": 23}}});
        let body = move |_| async move { json!({"hour": hour}) };
        let function = Function::new("", "clock", json!({"type": "object"}), body).unwrap();
        let function = function.with_effect(effect).with_output_schema(output);
        let executor = Executor::builder().backend(function).build().unwrap();
        let call = ToolCall::new("1", "clock", Arguments::new());
        match executor.call(&call, &Session::default()).await.outcome {
            Outcome::Answered(_) => assert!(is_fine, "{hour}"),
            Outcome::Failed(fault) => {
                assert!(!is_fine, "{fault:?}");
                assert_eq!(fault.code, FaultCode::UnreadableResponse);
                assert_eq!(fault.reached, Reached::Yes);
                assert_eq!(fault.body, Some(json!({"hour": 77})));
                assert_eq!(fault.problems[0].at, "hour");
                assert_eq!(fault.message.contains("do not call it again"), effect != Effect::Read);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_selection_holds_for_a_tool_of_the_program() {
    let schema = json!({"type": "object"});
    let body = |_| async { json!({"rows": [{"id": 7, "note": "n"}], "more": false}) };
    let output = json!({"type": "object", "required": ["rows", "more"]});
    let function = Function::new("", "list", schema, body).unwrap().with_output_schema(output);
    let executor = Executor::builder().backend(function).build().unwrap();
    let (asked, session) = (ToolCall::new("1", "list", Arguments::new()), Session::default());
    let path = ResultSelection::json_path("$.rows[*].id").unwrap();
    for (selection, expected) in [
        (ResultSelection::paths(["rows.id"]), r#"{"rows":[{"id":7}]}"#),
        (path, "[7]"),
        (ResultSelection::All, r#"{"rows":[{"id":7,"note":"n"}],"more":false}"#),
    ] {
        let call = || Call::new(&asked, &session).with_whole(selection.clone());
        let streamed = executor.stream_with(call()).await.into_result();
        for result in [executor.call_with(call()).await, streamed] {
            assert_eq!(result.outcome.text(), Some(expected), "{result:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_timeout_of_a_call_holds_for_a_tool_that_does_not_look_at_it() {
    let name = ToolName::new("wait").unwrap();
    let schema = Schema::new(json!({"type": "object"}));
    let tool = Tool::new(name, "Waits".to_owned(), schema, Effect::Write);
    let executor = Executor::builder().backend(Endless(tool)).build().unwrap();
    let (asked, session) = (ToolCall::new("1", "wait", Arguments::new()), Session::default());
    let call = || Call::new(&asked, &session).with_timeout(Duration::from_millis(20));
    let streamed = executor.stream_with(call()).await.into_result();
    for result in [executor.call_with(call()).await, streamed] {
        let Outcome::Failed(fault) = &result.outcome else { panic!("{result:?}") };
        assert_eq!((fault.code, fault.reached), (FaultCode::TimedOut, Reached::Maybe));
        assert!(fault.message.contains("within 0.02 s"), "{fault:?}");
    }
}
