//! The tools of the tests: two that read, two that write, one that fails, one that the client runs. They count their calls.

use std::sync::{Arc, Mutex};

use callgate_agent::{Agent, AgentSettings, TurnContext};
use callgate_executor::{Builder, Call, ClientFunction, Executor, Function};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_tool::{Effect, Fault, FaultCode, Next, Outcome, Session, ToolName, Value, json};

use crate::fake::Fake;

/// The calls that were made, as `tool arguments`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made(Arc<Mutex<Vec<String>>>);

impl Made {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn note(&self, call: &Call<'_>) {
        let line = format!("{} {}", call.tool(), Value::Object(call.arguments().clone()));
        self.0.lock().unwrap().push(line);
    }
}

fn tool(builder: Builder, made: &Made, name: &str, effect: Effect) -> Builder {
    let made = made.clone();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let function = Function::new("shop", name, schema, move |call| {
        let made = made.clone();
        async move {
            made.note(&call);
            // A real service takes its time: a place where a turn can be dropped.
            tokio::task::yield_now().await;
            let n = call.arguments().get("n").cloned().unwrap_or_default();
            let outcome: Outcome = match call.tool() {
                "shop-broken" => Fault::new(
                    FaultCode::ServiceError,
                    "the oven is cold; use the other one",
                    Next::CorrectArguments,
                )
                .into(),
                _ => json!({"n": n, "done": true}).into(),
            };
            outcome
        }
    });
    builder.backend(function.unwrap().with_effect(effect))
}

pub(crate) fn executor(made: &Made) -> Executor {
    let builder = Executor::builder().middleware(Approvals::new(ApprovalRules::default()));
    let builder = [
        ("menu", Effect::Read),
        ("cart", Effect::Read),
        ("add", Effect::Write),
        ("remove", Effect::Write),
        ("broken", Effect::Read),
    ]
    .iter()
    .fold(builder, |builder, (name, effect)| tool(builder, made, name, *effect));
    let asked = ClientFunction::new(
        ToolName::new("shop-ask").unwrap(),
        "Asks the user",
        json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
    );
    builder.backend(asked.unwrap()).build().unwrap()
}

/// Settings under which writes need no approval.
pub(crate) fn unasked() -> AgentSettings {
    AgentSettings { confirm: Confirm::Never, ..AgentSettings::default() }
}

pub(crate) fn agent(fake: &Arc<Fake>, made: &Made, settings: AgentSettings) -> Agent {
    Agent::new(executor(made), fake.model(), settings)
}

pub(crate) fn context() -> TurnContext {
    TurnContext::new(Session::new("s-1"))
}
