//! Reports to the caller of kept turns: the messages of all turns together are the transcript, and no result in them says
//! other than what was done.

use callgate_agent::{
    AgentSettings, Answer, Conversation, EndReason, Given, Input, Transcript, TurnContext,
    TurnEvent,
};
use callgate_dialect::Dialect;
use callgate_executor::Decision;
use callgate_tool::{Principal, Session, Value, json};

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::{Made, agent, context, transcripts},
};

/// A read, a write, a call of the client and another write; then an answer.
fn steps() -> [Step; 2] {
    let calls = [
        ("shop-menu", "{}"),
        ("shop-add", r#"{"n":1}"#),
        ("shop-ask", r#"{"n":2}"#),
        ("shop-remove", r#"{"n":3}"#),
    ];
    [Step::Says(Said::calls(&calls)), Step::Says(Said::text("Done."))]
}

#[derive(Clone, Copy, Debug)]
enum Then {
    Approve,
    PassOver,
    Reject,
}

/// The next input, from the calls that wait: one of them at a time.
fn input(then: Then, pending: &[callgate_agent::PendingCall]) -> Input {
    let Some(call) = pending.last() else { return Input::text("Go on.") };
    let given = match (then, call.kind) {
        (Then::PassOver, _) => return Input::text("Never mind."),
        (_, "client") => Given::Output(json!("yes")),
        (Then::Approve, _) => Given::Decision(Decision::Approve),
        (Then::Reject, _) => Given::Decision(Decision::Reject),
    };
    Input::Answers(vec![Answer::new(&call.id, given)])
}

async fn check(dialect: Dialect, then: Then) {
    let (fake, made) = (Fake::new(dialect, steps()), Made::default());
    let (agent, transcripts) = (agent(&fake, &made, AgentSettings::default()), transcripts());
    let mut told: Vec<Value> = Vec::new();
    let mut next = Input::text("Go.");
    let mut n_turns = 0;
    let kept = loop {
        let kept = transcripts.turn(&agent, "pizza", next, &context()).await.unwrap();
        told.extend(kept.added_messages().iter().map(|message| message.value().clone()));
        n_turns += 1;
        if kept.end.reason != EndReason::Waiting {
            break kept;
        }
        next = input(then, &kept.end.pending);
    };
    assert_eq!(kept.end.reason, EndReason::Answered, "{dialect} {then:?}");
    assert!(n_turns > 1, "{dialect} {then:?}");
    let whole: Vec<Value> = kept
        .transcript
        .messages_with_results()
        .iter()
        .map(|message| message.value().clone())
        .collect();
    assert_eq!(told, whole, "{dialect} {then:?}");
    let (_, repair) = Transcript::from_messages(dialect, told.clone()).unwrap();
    assert!(repair.is_nothing(), "{dialect} {then:?}: {repair}");
    let told = Value::Array(told).to_string();
    let is_approved = matches!(then, Then::Approve);
    let writes = made.all().iter().filter(|call| !call.starts_with("shop-menu")).count();
    assert_eq!(writes, if is_approved { 2 } else { 0 }, "{dialect} {then:?}");
    assert_eq!(told.contains("nothing was sent"), !is_approved, "{dialect} {then:?}: {told}");
    assert!(!told.contains("the turn was cancelled"), "{dialect} {then:?}: {told}");
    fake.refused_nothing();
}

#[tokio::test]
async fn the_messages_of_all_turns_together_are_the_transcript_however_waiting_calls_end() {
    for dialect in DIALECTS {
        for then in [Then::Approve, Then::Reject, Then::PassOver] {
            check(dialect, then).await;
        }
    }
}

#[tokio::test]
async fn conversations_are_listed_and_removed_for_their_principal_alone() {
    let transcripts = transcripts();
    let (kim, lee) = (Principal::new("kim/=a"), Principal::new("lee"));
    let talk = async |principal: &Principal, name: &str, session: &str| {
        let (fake, made) = (Fake::new(Dialect::OpenAi, []), Made::default());
        let agent = agent(&fake, &made, AgentSettings::default());
        let context = TurnContext::new(Session::new(session)).with_principal(principal.clone());
        let kept = transcripts.turn(&agent, name, Input::text("Hello."), &context).await.unwrap();
        kept.n_before
    };
    for n in 0..20 {
        talk(&kim, "pizza", &format!("s/{n:02}%")).await;
    }
    talk(&kim, "taxi", "s/00%").await;
    talk(&lee, "pizza", "s/00%").await;
    let mut listed = Vec::new();
    loop {
        let page = transcripts.list(Some(&kim), listed.last(), 7).await.unwrap();
        let is_last = page.len() < 7;
        listed.extend(page);
        if is_last {
            break;
        }
    }
    assert_eq!(listed.len(), 21);
    assert!(listed.contains(&Conversation { agent: "taxi".into(), session: "s/00%".into() }));
    assert!(transcripts.list(None, None, 7).await.unwrap().is_empty());
    assert_eq!(transcripts.remove_session(Some(&kim), "s/00%").await.unwrap(), 2);
    assert_eq!(transcripts.remove_session(Some(&kim), "s/00%").await.unwrap(), 0);
    let other = Conversation { agent: "pizza".into(), session: "s/01%".into() };
    assert!(!transcripts.remove(Some(&lee), &other).await.unwrap());
    assert!(transcripts.remove(Some(&kim), &other).await.unwrap());
    assert_eq!((talk(&kim, "pizza", "s/01%").await, talk(&lee, "pizza", "s/00%").await), (0, 2));
}

#[tokio::test]
async fn a_turn_whose_conversation_is_removed_makes_no_further_call() {
    let calls = Said::calls(&[("shop-menu", "{}")]);
    let write = Said::calls(&[("shop-add", r#"{"n":1}"#)]);
    let fake = Fake::new(Dialect::OpenAi, [Step::Says(calls), Step::Says(write)]);
    let (made, transcripts) = (Made::default(), transcripts());
    let agent = agent(&fake, &made, crate::shop::unasked());
    let removing = transcripts.clone();
    let context = context().with_events(move |event| {
        let removing = removing.clone();
        let removal = async move { removing.remove_session(None, "s-1").await.unwrap() };
        if matches!(event, TurnEvent::Result(_)) {
            tokio::spawn(removal);
        }
    });
    let kept = transcripts.turn(&agent, "pizza", Input::text("Go."), &context).await.unwrap();
    assert_eq!(kept.end.reason, EndReason::Cancelled);
    let detail = kept.end.detail.unwrap();
    assert!(detail.contains("is not kept: it was removed, or changed"), "{detail}");
    assert_eq!(made.all(), ["shop-menu {}"]);
    assert!(transcripts.list(None, None, 7).await.unwrap().is_empty());
}

/// Its client may have run it before the user went on.
#[tokio::test]
async fn a_call_of_the_client_that_is_passed_over_may_have_been_executed() {
    for dialect in DIALECTS {
        let steps = [Step::Says(Said::calls(&[("shop-ask", r#"{"n":1}"#)]))];
        let (fake, made) = (Fake::new(dialect, steps), Made::default());
        let agent = agent(&fake, &made, crate::shop::unasked());
        let mut transcript = Transcript::new(dialect).unwrap();
        let first = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
        assert_eq!(first.pending[0].kind, "client", "{dialect}");
        agent.turn(&mut transcript, Input::text("Go on."), &context()).await.unwrap();
        let said = fake.last().to_string();
        assert!(said.contains("may have been executed"), "{dialect}: {said}");
        assert!(!said.contains("nothing was sent"), "{dialect}: {said}");
        fake.refused_nothing();
    }
}
