//! Turns with a tool that runs programs, where a call of the program waits for the client, or until the user has signed in.

use std::time::Duration;

use async_trait::async_trait;
use callgate_agent::{
    Agent, AgentSettings, Answer, Budget, EndReason, ErrorKind, Given, Input, TurnContext,
};
use callgate_dialect::Dialect;
use callgate_executor::{
    AnswersSignIns, Backend, Call, ClientAnswer, ClientFunction, Decision, Executor, PausableCall,
    Resumption,
};
use callgate_policy::{ApprovalRules, Approvals};
use callgate_secret::Secret;
use callgate_tool::{
    Arguments, Effect, Event, Fault, FaultCode, Journal, Next, Object, Outcome, Pending,
    PendingKind, Preview, Schema, Session, Tool, ToolCall, ToolName, Value, json,
};

use crate::{
    fake::{Fake, Said, Step},
    shop::{Talk, context, transcripts, unasked},
};

/// A tool whose program asks the client once, and goes on with an answer that is an object.
#[derive(Debug)]
struct Program {
    tool: Tool,
    toolset: String,
}

#[async_trait]
impl Backend for Program {
    callgate_executor::of_tool!(tool, toolset);

    fn can_call_tools(&self) -> bool {
        true
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text("runs a program".to_owned()))
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        journal.note(Event::ModelAsked { input: 100_000, output: 20_000 });
        if let Some(Resumption { answer: Some(answer), pending, .. }) = call.extensions().get() {
            assert!(pending.starts_with("program_call_"), "{pending}");
            return match answer {
                ClientAnswer::Output(said) if said.is_object() => json!({"heard": said}).into(),
                ClientAnswer::Output(_) | ClientAnswer::Failed(_) => {
                    let text = "expected an object";
                    Fault::new(FaultCode::InvalidArguments, text, Next::CorrectArguments).into()
                }
            };
        }
        let executor: &Executor = call.extensions().get().unwrap();
        let asked = ToolCall::new("1.1", "shop-ask", Arguments::from([("n", 1.into())]));
        let inner = call.inner_call(asked).with_extension(PausableCall(Object::new()));
        executor.call_with(inner).await.outcome
    }
}

/// A tool whose program waits until the user has signed in.
#[derive(Debug)]
struct Mail {
    tool: Tool,
    toolset: String,
}

#[async_trait]
impl Backend for Mail {
    callgate_executor::of_tool!(tool, toolset);

    fn is_resumable(&self) -> bool {
        true
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text("runs a program".to_owned()))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        assert!(call.extensions().get::<AnswersSignIns>().is_some());
        if let Some(Resumption { decided: Some(decided), .. }) = call.extensions().get() {
            assert_eq!((&*decided.approval, decided.decision), ("sign_in_1", Decision::Approve));
            let has_token = call.session().credential("me").is_some();
            return json!(if has_token { "sent after the sign-in" } else { "no token" }).into();
        }
        let request = json!({"text": "the user has to sign in", "program": {}});
        Outcome::Pending(Box::new(Pending::new(PendingKind::Approval, "sign_in_1", request)))
    }
}

fn executor() -> Executor {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let name = |name| ToolName::new(name).unwrap();
    let ask = ClientFunction::new(name("shop-ask"), "Asks the user", schema).unwrap();
    let any = Schema::new(json!({"type": "object"}));
    let tool = Tool::new(name("code-run"), "Runs a program".to_owned(), any, Effect::Write);
    let program = Program { tool, toolset: "code".to_owned() };
    Executor::builder().backend(ask).backend(program).build().unwrap()
}

fn answer(id: &str, output: Value) -> Input {
    Input::Answers(vec![Answer::new(id, Given::Output(output))])
}

#[tokio::test]
async fn a_program_goes_on_with_the_answer_of_the_client_and_waits_until_one_fits() {
    let steps = [Step::Says(Said::calls(&[("code-run", "{}")]))];
    let mut talk = Talk::with(Dialect::OpenAi, steps, executor(), unasked());
    let end = talk.say("Go.").await;
    assert!(end.usage.input >= 100_000 && end.usage.output >= 20_000, "{:?}", end.usage);
    let pending = &end.pending[0];
    assert_eq!((end.reason, pending.kind), (EndReason::Waiting, "client"));
    assert_eq!((&*pending.tool, pending.approval.as_ref()), ("code-run", None));
    let expected = json!({"tool": "shop-ask", "arguments": {"n": 1}, "program": {}});
    assert_eq!(pending.request, expected);
    let wrong = answer(&pending.id, "yes".into());
    let error = talk.turn_in(wrong, &context()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Answer);
    assert!(error.to_string().contains("expected an object"), "{error}");
    assert_eq!(talk.transcript.pending_calls().len(), 1, "it still waits");
    let fits = answer(&pending.id, json!({"said": "yes"}));
    let end = talk.turn(fits).await;
    assert_eq!(end.reason, EndReason::Answered);
    assert!(talk.last().to_string().contains("heard"), "{}", talk.last());
}

#[tokio::test]
async fn a_program_goes_on_after_a_sign_in_with_the_credential_of_the_next_turn() {
    let any = Schema::new(json!({"type": "object"}));
    let name = ToolName::new("code-run").unwrap();
    let tool = Tool::new(name, "Runs a program".to_owned(), any, Effect::Write);
    let mail = Mail { tool, toolset: "code".to_owned() };
    let approvals = Approvals::new(ApprovalRules::default());
    let executor = Executor::builder().backend(mail).middleware(approvals).build().unwrap();
    let steps = [Step::Says(Said::calls(&[("code-run", "{}")]))];
    let mut talk = Talk::with(Dialect::OpenAi, steps, executor, unasked());
    let end = talk.say("Go.").await;
    let pending = &end.pending[0];
    assert_eq!((end.reason, pending.kind), (EndReason::Waiting, "approval"));
    assert_eq!(pending.approval.as_deref(), Some("sign_in_1"));
    let token = Secret::new("token-of-kim".to_owned());
    let signed_in = TurnContext::new(Session::new("s-1").with_credential("me", token));
    let given = Given::Decision(Decision::Approve);
    let yes = Input::Answers(vec![Answer::new(pending.id.as_str(), given)]);
    let end = talk.turn_in(yes, &signed_in).await.unwrap();
    assert_eq!(end.reason, EndReason::Answered);
    assert!(talk.last().to_string().contains("sent after the sign-in"), "{}", talk.last());
}

#[tokio::test]
async fn tokens_that_a_program_took_of_a_model_use_up_the_budget() {
    let fake = Fake::new(Dialect::OpenAi, [Step::Says(Said::calls(&[("code-run", "{}")]))]);
    let budget = Budget { tokens: 100_000, per: Duration::from_hours(1) };
    let settings = AgentSettings { budget: Some(budget), ..unasked() };
    let agent = Agent::new(executor(), fake.model(), settings);
    let transcripts = transcripts();
    for (session, reason) in [("a", EndReason::Waiting), ("b", EndReason::Limit)] {
        let context = TurnContext::new(Session::new(session));
        let kept = transcripts.turn(&agent, "pizza", Input::text("Go."), &context).await.unwrap();
        assert_eq!(kept.end.reason, reason, "{:?}", kept.end);
    }
    assert_eq!(fake.n_requests(), 1);
}
