//! The tools of the tests: two that read, two that write, one that fails, one that the client runs. They count their calls.

use std::sync::{Arc, Mutex};

use callgate_agent::{
    Agent, AgentSettings, End, EndReason, Error, Input, Model, Transcript, Transcripts, TurnContext,
};
use callgate_dialect::Dialect;
use callgate_executor::{Builder, Call, ClientFunction, Executor, Function};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_session::{Bounds, Memory};
use callgate_tool::{Effect, Fault, FaultCode, Next, Outcome, Session, ToolName, Value, json};

use crate::fake::{Fake, Said, Step};

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

/// Conversations that are kept in memory.
pub(crate) fn transcripts() -> Transcripts {
    Transcripts::new(Arc::new(Memory::new(Bounds { records: 100, bytes: 1 << 20 })))
}

/// A reply with one write.
pub(crate) fn add(n: usize) -> Step {
    Step::Says(Said::calls(&[("shop-add", &format!(r#"{{"n":{n}}}"#))]))
}

pub(crate) fn context() -> TurnContext {
    TurnContext::new(Session::new("s-1"))
}

/// A conversation with an agent, whose model does as a test says.
pub(crate) struct Talk {
    pub(crate) fake: Arc<Fake>,
    pub(crate) agent: Agent,
    pub(crate) transcript: Transcript,
    pub(crate) made: Made,
}

impl Talk {
    /// One whose replies come whole.
    pub(crate) fn new(
        dialect: Dialect,
        steps: impl IntoIterator<Item = Step>,
        settings: AgentSettings,
    ) -> Self {
        let made = Made::default();
        Self { made: made.clone(), ..Self::with(dialect, steps, executor(&made), settings) }
    }

    /// One without approvals, whose replies come as streams or whole.
    pub(crate) fn either(
        dialect: Dialect,
        steps: impl IntoIterator<Item = Step>,
        is_streamed: bool,
    ) -> Self {
        let talk = Self::new(dialect, steps, unasked());
        let model = if is_streamed { talk.fake.streamed() } else { talk.fake.model() };
        talk.by_model(model)
    }

    /// One with other tools.
    pub(crate) fn with(
        dialect: Dialect,
        steps: impl IntoIterator<Item = Step>,
        executor: Executor,
        settings: AgentSettings,
    ) -> Self {
        let fake = Fake::new(dialect, steps);
        let agent = Agent::new(executor, fake.model(), settings);
        Self { fake, agent, transcript: Transcript::new(dialect).unwrap(), made: Made::default() }
    }

    /// This conversation with another model of its provider.
    pub(crate) fn by_model(self, model: Model) -> Self {
        let agent = Agent::new(executor(&self.made), model, self.agent.settings().clone());
        Self { agent, ..self }
    }

    /// The end of a turn with words of the user.
    pub(crate) async fn say(&mut self, text: &str) -> End {
        self.turn(Input::text(text)).await
    }

    pub(crate) async fn turn(&mut self, input: Input) -> End {
        self.turn_in(input, &context()).await.unwrap()
    }

    pub(crate) async fn turn_in(
        &mut self,
        input: Input,
        context: &TurnContext,
    ) -> Result<End, Error> {
        self.agent.turn(&mut self.transcript, input, context).await
    }

    /// The conversation goes on.
    pub(crate) async fn goes_on(&mut self) {
        self.fake.push([Step::Says(Said::text("Yes."))]);
        let end = self.say("Go on.").await;
        assert_eq!(end.reason, EndReason::Answered, "{end:?}");
        self.refused_nothing();
    }

    /// The calls that were made.
    pub(crate) fn made(&self) -> Vec<String> {
        self.made.all()
    }

    /// The body of the last request to the model.
    pub(crate) fn last(&self) -> Value {
        self.fake.last()
    }

    pub(crate) fn n_requests(&self) -> usize {
        self.fake.n_requests()
    }

    #[track_caller]
    pub(crate) fn refused_nothing(&self) {
        self.fake.refused_nothing();
    }
}
