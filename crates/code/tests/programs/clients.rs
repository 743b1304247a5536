//! Programs that wait for the client in the middle: its answers go on with them.

use std::sync::Arc;

use callgate_code::{CodeSettings, Engine, load_with_store};
use callgate_executor::{
    AnswersPrograms, Call, ClientAnswer, ClientFunction, Executor, Resumption,
};
use callgate_secret::Secret;
use callgate_session::Store;
use callgate_tool::{
    Effect, FaultCode, Object, Outcome, Pending, PendingKind, Session, ToolName, json,
};

use crate::shop::{Shop, Test, asked, memory, result};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_loop_waits_for_its_client_at_each_call_and_goes_on", Box::pin(a_loop_waits())),
        ("calls_that_wait_for_the_client_together_are_all_answered_first", Box::pin(together())),
        (
            "an_answer_that_does_not_fit_leaves_the_call_waiting",
            Box::pin(an_answer_that_does_not_fit()),
        ),
        ("a_client_that_brings_no_answers_is_asked_nothing", Box::pin(nobody_answers())),
        (
            "an_answer_of_the_client_may_change_values_of_the_session_and_not_its_user",
            Box::pin(changed_values()),
        ),
    ]
}

const LOOP: &str = "said = []\nfor n in [1, 2]:\n    pet = await pets.getPet(n)\n    try:\n        said.append((await app.ask(n=n))['said'])\n    except RuntimeError as e:\n        said.append(fault(e)['code'])\nsaid";

/// A process over a store that others share.
fn process(store: &Arc<dyn Store>) -> Executor {
    let mut settings = CodeSettings::new("code", Engine::Monty);
    settings.calls.effects = vec![Effect::Read, Effect::Write];
    let tool = load_with_store(settings, store).unwrap();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let ask =
        ClientFunction::new(ToolName::new("app-ask").unwrap(), "Asks the user", schema).unwrap();
    let output =
        json!({"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]});
    let ask = ask.of_toolset("app").with_output_schema(output);
    Shop::of_tool(tool, |builder| builder.backend(ask)).executor
}

async fn run(store: &Arc<dyn Store>, code: &str, answer: Option<(&str, ClientAnswer)>) -> Outcome {
    run_in(&Session::default(), store, code, answer).await
}

async fn run_in(
    session: &Session,
    store: &Arc<dyn Store>,
    code: &str,
    answer: Option<(&str, ClientAnswer)>,
) -> Outcome {
    let asked = asked(code);
    let call = Call::new(&asked, session).with_extension(AnswersPrograms);
    let call = match answer {
        None => call,
        Some((pending, answer)) => {
            let (pending, answer) = (pending.to_owned(), Some(answer));
            call.with_extension(Resumption { pending, decided: None, answer })
        }
    };
    process(store).call_with(call).await.outcome
}

#[track_caller]
fn waiting(outcome: Outcome) -> Box<Pending> {
    let Outcome::Pending(pending) = outcome else { panic!("{outcome:?}") };
    assert_eq!((pending.kind, pending.is_of_program()), (PendingKind::Client, true));
    assert_eq!(pending.request["tool"], "app-ask");
    pending
}

fn said(text: &str) -> ClientAnswer {
    ClientAnswer::Output(json!({"said": text}))
}

async fn a_loop_waits() {
    let store = memory();
    let first = waiting(run(&store, LOOP, None).await);
    assert_eq!(first.request["arguments"], json!({"n": 1}));
    assert_eq!(first.request["program"]["lines"], json!([5]));
    assert_eq!(first.request["program"]["call"], 2);
    let second = waiting(run(&store, LOOP, Some((&first.id, said("yes")))).await);
    assert_eq!(second.request["arguments"], json!({"n": 2}));
    // The answer was lost, and comes again.
    let again = waiting(run(&store, LOOP, Some((&first.id, said("no")))).await);
    assert_eq!(again.id, second.id);
    let failed = ClientAnswer::Failed(json!("the window was closed"));
    let outcome = run(&store, LOOP, Some((&second.id, failed))).await;
    assert_eq!(result(&outcome), r#"["yes","service_error"]"#);
}

async fn together() {
    let (store, code) = (
        memory(),
        "import asyncio\nr = await asyncio.gather(app.ask(n=1), pets.getPet(7), app.ask(n=2))\n[x['said'] if 'said' in x else x['name'] for x in r]",
    );
    let first = waiting(run(&store, code, None).await);
    let listed = first.request["program"]["waiting"].as_array().unwrap();
    let second = listed[1]["id"].as_str().unwrap();
    let still = waiting(run(&store, code, Some((second, said("two")))).await);
    assert_eq!(still.id, first.id);
    let outcome = run(&store, code, Some((&first.id, said("one")))).await;
    assert_eq!(result(&outcome), r#"["one","Rex","two"]"#);
}

async fn an_answer_that_does_not_fit() {
    let store = memory();
    let code = "(await app.ask(n=1))['said']";
    let pending = waiting(run(&store, code, None).await);
    let wrong = ClientAnswer::Output(json!({"heard": 1}));
    let Outcome::Failed(fault) = run(&store, code, Some((&pending.id, wrong))).await else {
        panic!("it was taken")
    };
    assert!(fault.message.contains("said"), "{fault:?}");
    let outcome = run(&store, code, Some((&pending.id, said("yes")))).await;
    assert_eq!(result(&outcome), "yes");
}

async fn nobody_answers() {
    let store = memory();
    let outcome = process(&store).call(&asked(LOOP), &Session::default()).await.outcome;
    assert_eq!(result(&outcome), r#"["not_supported","not_supported"]"#);
    let stranger = run(&store, LOOP, Some(("program_call_1", said("yes")))).await;
    let Outcome::Failed(fault) = stranger else { panic!("{stranger:?}") };
    assert_eq!(fault.code, FaultCode::UnknownApproval);
}

async fn changed_values() {
    let (store, code) =
        (memory(), "[(await app.ask(n=1))['said'], (await app.ask(n=2))['said'], 'end']");
    let session = |step: u64, user: &str| {
        let values = Object::from([("step", step.into())]);
        let user = Secret::new(user.to_owned());
        Session::new("s").with_parameters(values).with_credential("me", user)
    };
    let first = waiting(run_in(&session(1, "kim"), &store, code, None).await);
    let answer = Some((&*first.id, said("yes")));
    let second = waiting(run_in(&session(2, "kim"), &store, code, answer).await);
    let answer = || Some((&*second.id, said("no")));
    let Outcome::Failed(fault) = run_in(&session(2, "lee"), &store, code, answer()).await else {
        panic!("another user goes on")
    };
    assert_eq!(fault.code, FaultCode::SignInRequired, "{fault:?}");
    let outcome = run_in(&session(3, "kim"), &store, code, answer()).await;
    assert_eq!(result(&outcome), r#"["yes","no","end"]"#);
}
