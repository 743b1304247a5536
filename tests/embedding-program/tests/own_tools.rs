//! Tools that are no operations: a kind of one's own, and a closure.

use std::time::Duration;

use callgate::{
    Answer, Arguments, Backend, Call, Content, Effect, Executor, Fault, FaultCode, Function, Next,
    Outcome, Preview, Principal, Schema, Session, Tool, ToolCall, ToolName,
    result::{Journal, Json},
};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Knows a few words.
#[derive(Debug)]
struct Dictionary(Tool);

impl Dictionary {
    fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {"word": {"type": "string"}},
            "required": ["word"],
        });
        let name = ToolName::new("dictionary").expect("a legal name");
        let schema = Schema::new(schema.into());
        Self(Tool::new(name, "Says what a word means".to_owned(), schema, Effect::Read))
    }
}

#[async_trait::async_trait]
impl Backend for Dictionary {
    fn name(&self) -> &ToolName {
        &self.0.name
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.0)
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text(format!("looks up {}", call.arguments()["word"])))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        match call.arguments()["word"].as_str() {
            Some("callgate") => said(json!("a door for calls")).into(),
            _ => Fault::new(FaultCode::ServiceError, "unknown word", Next::AskUser).into(),
        }
    }
}

fn said(value: Value) -> Answer {
    Answer::new(None, Content::Json(Json::of(&value)))
}

fn executor() -> Executor {
    let schema = json!({
        "type": "object",
        "description": "The time in a zone",
        "properties": {"zone": {"type": "string"}},
        "required": ["zone"],
    });
    let slow = Function::new("", "slow", json!({"type": "object"}), |_| async {
        std::future::pending::<Answer>().await
    });
    Executor::builder()
        .backend(Dictionary::new())
        .backend(slow.expect("a function"))
        .function("clock", "get_time", schema, |call| async move {
            let principal = call
                .principal()
                .ok_or_else(|| Fault::new(FaultCode::Refused, "who asks?", Next::GiveUp))?;
            let zone = &call.arguments()["zone"];
            Ok::<_, Fault>(said(json!({"zone": zone, "for": principal.id()})))
        })
        .build()
        .expect("tools of different names")
}

fn asked(tool: &str, name: &str, value: &str) -> ToolCall {
    let arguments = Arguments::from_iter([(name.to_owned(), value.into())]);
    ToolCall::new("1", tool, arguments)
}

#[tokio::test]
async fn an_own_kind_of_tool_is_called_and_previewed() {
    let (executor, session) = (executor(), Session::default());
    let result = executor.call(&asked("dictionary", "word", "callgate"), &session).await;
    assert!(!result.outcome.is_failed(), "{result:?}");
    let result = executor.call(&asked("dictionary", "word", "x"), &session).await;
    assert!(result.outcome.is_failed(), "{result:?}");
    let planned = executor.dry_run(&asked("dictionary", "word", "x"), &session).await.outcome;
    let Outcome::Planned(preview) = planned else { panic!("{planned:?}") };
    assert_eq!(*preview, Preview::Text("looks up \"x\"".to_owned()));
}

#[tokio::test]
async fn a_closure_gets_the_principal_and_checked_arguments() {
    let (executor, session) = (executor(), Session::default());
    let asked_for = asked("clock-get_time", "zone", "UTC");
    let call = Call::new(&asked_for, &session);
    let refused = executor.call_with(call.clone()).await.outcome;
    assert!(refused.is_failed(), "{refused:?}");
    let answered = executor.call_with(call.with_principal(Principal::new("kim"))).await.outcome;
    assert_eq!(answered.json::<Value>().unwrap()["for"], "kim");
    let wrong = asked("clock-get_time", "place", "UTC");
    let Outcome::Failed(fault) = executor.call(&wrong, &session).await.outcome else {
        panic!("no fault")
    };
    assert_eq!(fault.code, FaultCode::InvalidArguments);
}

#[tokio::test]
async fn a_call_ends_at_the_deadline_of_its_caller() {
    let (executor, session) = (executor(), Session::default());
    let asked = ToolCall::new("1", "slow", Arguments::new());
    let deadline = Instant::now() + Duration::from_millis(1);
    let ended =
        executor.call_with(Call::new(&asked, &session).with_deadline(deadline)).await.outcome;
    let Outcome::Failed(fault) = ended else { panic!("{ended:?}") };
    assert_eq!(fault.code, FaultCode::TimedOut);
}
