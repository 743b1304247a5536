//! Tests every ending of a first call, and the result of the second one under its key.

use std::sync::atomic::{AtomicUsize, Ordering};

use callgate_executor::{Executor, Function};
use callgate_session::{Bounds, Memory};
use callgate_tool::{Arguments, Fault, Next, Principal, Reached, Session, ToolCall, Value, json};

use super::*;

/// A function that counts its calls and ends as its argument `how` says.
fn counting(count: Arc<AtomicUsize>) -> Function {
    let schema = json!({"type": "object", "properties": {"how": {"type": "string"}, "n": {}}});
    let body = move |call: Call<'static>| {
        let count = Arc::clone(&count);
        async move {
            let number = count.fetch_add(1, Ordering::Relaxed) + 1;
            let fault = |reached| {
                Fault::new(FaultCode::ServiceError, "no", Next::TryLater).with_reached(reached)
            };
            match call.arguments().get("how").and_then(Value::as_str) {
                Some("no") => return Outcome::from(fault(Reached::No)),
                Some("maybe") => return fault(Reached::Maybe).into(),
                Some("slow") => tokio::time::sleep(Duration::from_secs(5)).await,
                _ => {}
            }
            Outcome::from(Value::from(number as u64))
        }
    };
    Function::new("", "count", schema, body).unwrap()
}

struct Desk {
    executor: Executor,
    count: Arc<AtomicUsize>,
}

impl Desk {
    fn new() -> Self {
        Self::with(Idempotency::new(RecordBounds::default()))
    }

    fn with(idempotency: Idempotency) -> Self {
        let count = Arc::<AtomicUsize>::default();
        let builder = Executor::builder().backend(counting(Arc::clone(&count)));
        let executor = builder.middleware(idempotency).build().unwrap();
        Self { executor, count }
    }

    async fn call(&self, how: &str, (principal, session, key): (&str, &str, &str)) -> Outcome {
        let arguments = Arguments::from_iter([("how".to_owned(), how.into())]);
        let (asked, session) = (ToolCall::new("1", "count", arguments), Session::new(session));
        let call = Call::new(&asked, &session).with_principal(Principal::new(principal));
        let call = call.with_extension(IdempotencyKey(key.to_owned()));
        self.executor.call_with(call).await.outcome
    }

    fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

fn told(outcome: &Outcome) -> (&'static str, &'static str, &'static str) {
    match outcome {
        Outcome::Failed(fault) => {
            (fault.code.as_str(), fault.reached.as_str(), fault.next.as_str())
        }
        _ => ("answered", "yes", ""),
    }
}

const KIM: (&str, &str, &str) = ("kim", "s", "k");

#[tokio::test(start_paused = true)]
async fn a_repeated_call_gets_the_first_result_and_is_not_made_again() {
    let desk = Desk::new();
    for how in ["fine", "maybe"] {
        let key = ("kim", "s", how);
        let first = desk.call(how, key).await;
        let before = desk.count();
        assert_eq!(desk.call(how, key).await, first);
        assert_eq!(desk.count(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_not_sent_may_be_made_again_under_its_key() {
    let desk = Desk::new();
    for number in 1..=3 {
        assert_eq!(told(&desk.call("no", KIM).await).1, "no");
        assert_eq!(desk.count(), number);
    }
    assert_eq!(
        told(&desk.call("fine", KIM).await).0,
        "answered",
        "the key is free for another call"
    );
}

#[tokio::test(start_paused = true)]
async fn another_call_under_a_key_is_refused_unless_it_is_of_another_principal() {
    let desk = Desk::new();
    desk.call("fine", KIM).await;
    let refused = ("key_reused", "no", "correct_arguments");
    assert_eq!(told(&desk.call("maybe", KIM).await), refused);
    assert_eq!(told(&desk.call("fine", ("kim", "other", "k")).await), refused);
    assert_eq!(desk.count(), 1);
    assert_eq!(told(&desk.call("fine", ("lee", "s", "k")).await).0, "answered");
    assert_eq!(desk.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_repetition_of_a_running_call_is_answered_still_running() {
    let desk = Desk::new();
    let second = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        desk.call("slow", KIM).await
    };
    let (first, second) = tokio::join!(desk.call("slow", KIM), second);
    assert_eq!(told(&first).0, "answered");
    assert_eq!(told(&second), ("still_running", "no", "try_later"));
    let Outcome::Failed(fault) = second else { panic!("{second:?}") };
    assert_eq!(fault.retry_after, Some(Duration::from_secs(1)));
    assert_eq!(desk.call("slow", KIM).await, first);
    assert_eq!(desk.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_its_caller_abandoned_is_not_made_again() {
    let desk = Desk::new();
    let left = tokio::time::timeout(Duration::from_secs(1), desk.call("slow", KIM));
    assert!(left.await.is_err());
    let unknown = ("outcome_unknown", "maybe", "ask_user");
    assert_eq!(told(&desk.call("slow", KIM).await), unknown);
    assert_eq!(desk.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_hundred_callers_with_one_key_make_one_call() {
    let desk = Desk::new();
    let calls = (0..100).map(|_| desk.call("slow", KIM));
    let ended = futures_util::future::join_all(calls).await;
    let n_answered = ended.iter().filter(|outcome| !outcome.is_failed()).count();
    assert_eq!((n_answered, desk.count()), (1, 1));
}

/// A library user's program keeps the records in its own store: what one executor did, another does not do again.
#[tokio::test(start_paused = true)]
async fn idempotency_records_are_kept_in_the_store_of_the_program() {
    let memory = Memory::refusing(Bounds { records: 99, bytes: 99_999 });
    let store: Arc<dyn Store> = Arc::new(memory);
    let desk = || Desk::with(Idempotency::over(Arc::clone(&store), Duration::from_mins(1)));
    let (first, second) = (desk(), desk());
    for how in ["fine", "maybe"] {
        let key = ("kim", "s", how);
        let made = first.call(how, key).await;
        assert_eq!(second.call(how, key).await, made);
        assert_eq!(told(&second.call("other", key).await).0, "key_reused");
    }
    first.call("no", KIM).await;
    assert_eq!((first.count(), second.count()), (3, 0));
    second.call("fine", KIM).await;
    assert_eq!(second.count(), 1, "what was not sent frees its key");
    tokio::time::advance(Duration::from_mins(1)).await;
    assert_eq!(told(&second.call("fine", ("kim", "s", "fine")).await).0, "answered");
    assert_eq!(second.count(), 2);
}
