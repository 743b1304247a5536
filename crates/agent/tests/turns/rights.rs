//! A turn of a kept conversation makes the calls that its caller may make in it, and shows the model what the caller may read
//! in it, whoever took the turns before.

use std::sync::Arc;

use callgate_agent::{
    Agent, AgentSettings, Answer, EndReason, Given, Input, KeptTurn, Transcript, Transcripts,
    TurnContext,
};
use callgate_dialect::Dialect;
use callgate_executor::{Decision, Executor};
use callgate_openapi::Pattern;
use callgate_tool::{Session, json};

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::{Made, Talk, agent, context, executor, transcripts},
};

/// A conversation whose write waits, after a read that was made and before one that is held.
struct Conversation {
    fake: Arc<Fake>,
    made: Made,
    executor: Executor,
    transcripts: Transcripts,
    /// The id of the waiting call.
    id: String,
}

impl Conversation {
    async fn start(dialect: Dialect) -> Self {
        let calls = [("shop-menu", r#"{"n":41}"#), ("shop-add", r#"{"n":2}"#), ("shop-cart", "{}")];
        let (fake, made) = (Fake::new(dialect, [Step::Says(Said::calls(&calls))]), Made::default());
        let (transcripts, id) = (transcripts(), String::new());
        let executor = executor(&made);
        let mut conversation = Self { fake, made, executor, transcripts, id };
        let agent = conversation.agent(&[]);
        let kept = conversation.turn(&agent, Input::text("Add."), &context()).await;
        assert_eq!(kept.end.reason, EndReason::Waiting);
        conversation.id.clone_from(&kept.end.pending[0].id);
        conversation
    }

    fn agent(&self, exclude: &[&str]) -> Agent {
        let exclude = exclude.iter().map(|name| Pattern::name(name).unwrap()).collect();
        let settings = AgentSettings { exclude, ..AgentSettings::default() };
        Agent::new(self.executor.clone(), self.fake.model(), settings)
    }

    async fn turn(&self, agent: &Agent, input: Input, context: &TurnContext) -> KeptTurn {
        self.transcripts.turn(agent, "pizza", input, context).await.unwrap()
    }

    async fn approve(&self, agent: &Agent, context: &TurnContext) -> KeptTurn {
        let approved = Answer::new(&*self.id, Given::Decision(Decision::Approve));
        self.turn(agent, Input::Answers(vec![approved]), context).await
    }

    /// The last request to the model, which its provider takes.
    fn asked(&self) -> String {
        self.fake.refused_nothing();
        self.fake.last().to_string()
    }
}

fn without_toolsets() -> TurnContext {
    TurnContext::new(Session::new("s-1")).with_toolsets(Arc::default())
}

const FIRST: &str = r#"shop-menu {"n":41}"#;

/// True if a text has the result of `shop-menu`, in whatever way its dialect writes it.
fn has_result(text: &str) -> bool {
    text.replace('\\', "").contains(r#""n":41,"done":true"#)
}

#[tokio::test]
async fn an_approved_call_and_those_behind_it_are_not_made_for_a_caller_without_the_toolset() {
    for dialect in DIALECTS {
        let conversation = Conversation::start(dialect).await;
        let kept = conversation.approve(&conversation.agent(&[]), &without_toolsets()).await;
        conversation.fake.refused_nothing();
        assert_eq!((kept.end.reason, kept.end.n_calls), (EndReason::Answered, 0), "{dialect}");
        assert_eq!(conversation.made.all(), [FIRST], "{dialect}");
        let asked = conversation.asked();
        assert_eq!(asked.matches("unknown_tool").count(), 2, "{dialect}: {asked}");
        assert!(!has_result(&asked) && asked.contains("tool_removed"), "{dialect}: {asked}");
        let shown = format!("{:?}", kept.transcript.messages_with_results());
        assert!(!has_result(&shown), "{dialect}: {shown}");
    }
}

#[tokio::test]
async fn a_waiting_call_of_a_tool_that_the_agent_lost_is_not_made() {
    for dialect in DIALECTS {
        let conversation = Conversation::start(dialect).await;
        let agent = conversation.agent(&["shop-add", "shop-cart"]);
        conversation.approve(&agent, &context()).await;
        assert_eq!(conversation.made.all(), [FIRST], "{dialect}");
        let asked = conversation.asked();
        assert_eq!(asked.matches("unknown_tool").count(), 2, "{dialect}: {asked}");
        assert!(has_result(&asked), "{dialect}: {asked}");
    }
}

#[tokio::test]
async fn a_result_reaches_the_model_only_for_who_may_use_its_tool_and_stays_for_them() {
    for dialect in DIALECTS {
        let conversation = Conversation::start(dialect).await;
        let agent = conversation.agent(&[]);
        conversation.approve(&agent, &context()).await;
        assert_eq!(conversation.made.all().len(), 3, "{dialect}");
        for (agent, context, is_seen) in [
            (&agent, without_toolsets(), false),
            (&agent, context(), true),
            (&conversation.agent(&["shop-menu"]), context(), false),
            (&agent, context(), true),
        ] {
            let kept = conversation.turn(agent, Input::text("And?"), &context).await;
            assert_eq!(kept.end.reason, EndReason::Answered, "{dialect}");
            assert_eq!(has_result(&conversation.asked()), is_seen, "{dialect}");
        }
    }
}

#[tokio::test]
async fn a_caller_is_not_shown_the_waiting_calls_of_tools_that_it_may_not_use() {
    let calls = [("shop-add", "{}"), ("shop-remove", "{}")];
    let steps = [Step::Says(Said::calls(&calls))];
    let mut talk = Talk::new(Dialect::OpenAi, steps, AgentSettings::default());
    let end = talk.say("Go.").await;
    assert_eq!(end.pending.len(), 2);
    let reject = Answer::new(&*end.pending[0].id, Given::Decision(Decision::Reject));
    let end = talk.turn_in(Input::Answers(vec![reject]), &without_toolsets()).await.unwrap();
    assert_eq!((end.reason, end.pending.len()), (EndReason::Waiting, 0));
}

#[tokio::test]
async fn a_client_cannot_answer_a_call_of_a_tool_that_its_caller_may_not_use() {
    let steps = [Step::Says(Said::calls(&[("shop-ask", "{}")]))];
    let mut talk = Talk::new(Dialect::OpenAi, steps, crate::shop::unasked());
    let end = talk.say("Ask.").await;
    let answer = Answer::new(&*end.pending[0].id, Given::Output(json!({"said": "canary"})));
    talk.turn_in(Input::Answers(vec![answer]), &without_toolsets()).await.unwrap();
    assert!(!talk.last().to_string().contains("canary"), "{}", talk.last());
}

#[tokio::test]
async fn results_that_the_caller_brought_are_sent_whatever_tools_there_are() {
    let messages = vec![
        json!({"role": "user", "content": "Look."}),
        json!({"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "other-look", "arguments": "{}"}},
        ]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "canary"}),
    ];
    let (fake, made) = (Fake::new(Dialect::OpenAi, []), Made::default());
    let agent = agent(&fake, &made, AgentSettings::default());
    let (transcript, _) = Transcript::from_messages(Dialect::OpenAi, messages).unwrap();
    let transcripts = transcripts();
    transcripts.replace("pizza", transcript, &context()).await.unwrap();
    transcripts.turn(&agent, "pizza", Input::text("And?"), &context()).await.unwrap();
    fake.refused_nothing();
    assert!(fake.last().to_string().contains("canary"), "{}", fake.last());
}
