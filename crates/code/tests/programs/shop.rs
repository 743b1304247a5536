//! An executor with a shop and the tool that runs programs.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use callgate_code::{CodeSettings, Engine, load};
use callgate_executor::{Backend, Builder, Executor, Function};
use callgate_session::{Bounds, Memory, Store};
use callgate_tool::{
    Arguments, Content, Effect, Fault, FaultCode, Next, Outcome, Session, ToolCall, Value, json,
};

/// A test with its name.
pub(crate) type Test = (&'static str, Pin<Box<dyn Future<Output = ()>>>);

/// The requests that the service got.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) n_calls: AtomicUsize,
    pub(crate) n_writes: AtomicUsize,
    running: AtomicUsize,
    pub(crate) most_running: AtomicUsize,
}

pub(crate) struct Shop {
    pub(crate) executor: Executor,
    pub(crate) traffic: Arc<Traffic>,
}

/// The result of a program.
#[derive(Debug)]
pub(crate) struct Ran(pub(crate) Value);

impl Shop {
    pub(crate) fn new() -> Self {
        Self::with(|_| (), |builder| builder)
    }

    /// A shop with other settings, and with more around its calls.
    pub(crate) fn with(
        change: impl FnOnce(&mut CodeSettings),
        add: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let mut settings = CodeSettings::new("code", Engine::Monty);
        change(&mut settings);
        Self::of_tool(load(settings).unwrap(), add)
    }

    /// A shop with this tool for programs.
    pub(crate) fn of_tool(tool: Arc<dyn Backend>, add: impl FnOnce(Builder) -> Builder) -> Self {
        let traffic = Arc::new(Traffic::default());
        let builder = Executor::builder()
            .backend(get_pet(&traffic))
            .backend(add_pet(&traffic))
            .backend(wait(&traffic))
            .shared_backend(tool);
        Self { executor: add(builder).build().unwrap(), traffic }
    }

    pub(crate) async fn run(&self, code: &str) -> Ran {
        let result = self.executor.call(&asked(code), &Session::default()).await;
        let text = result.text().map(str::to_owned);
        Ran(Value::parse(&text.unwrap_or_else(|| panic!("{result:?}"))).unwrap())
    }

    /// The result of a program that must not fail.
    #[track_caller]
    pub(crate) fn value(&self, code: &str) -> impl Future<Output = String> {
        let caller = std::panic::Location::caller();
        async move {
            let ran = self.run(code).await;
            assert_eq!(ran.error(), "", "{caller}: {code}");
            ran.text("execution_result").to_owned()
        }
    }
}

impl Ran {
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap()
    }

    pub(crate) fn error(&self) -> &str {
        self.text("execution_error")
    }
}

/// The call that runs a program.
pub(crate) fn asked(code: &str) -> ToolCall {
    ToolCall::new("1", "code-generate_and_execute", Arguments::from([("input", code.into())]))
}

/// A store that processes share.
pub(crate) fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new(Bounds { records: 1000, bytes: 64 << 20 }))
}

/// All that a program which has ended answered.
#[track_caller]
pub(crate) fn answer(outcome: &Outcome) -> Value {
    let Outcome::Answered(answer) = outcome else { panic!("{outcome:?}") };
    let Content::Json(json) = &answer.content else { panic!("{outcome:?}") };
    json.value().clone()
}

#[track_caller]
pub(crate) fn member(outcome: &Outcome, name: &str) -> String {
    answer(outcome)[name].as_str().unwrap().to_owned()
}

#[track_caller]
pub(crate) fn result(outcome: &Outcome) -> String {
    member(outcome, "execution_result")
}

#[track_caller]
pub(crate) fn fault_code(outcome: Outcome) -> FaultCode {
    let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
    fault.code
}

fn get_pet(traffic: &Arc<Traffic>) -> Function {
    let schema = json!({
        "type": "object", "description": "Returns a pet\nby its id",
        "properties": {"petId": {"type": "integer"}, "price": {"type": "number"}},
        "required": ["petId"], "additionalProperties": false,
    });
    let traffic = Arc::clone(traffic);
    let function = Function::new("pets", "getPet", schema, move |call| {
        traffic.n_calls.fetch_add(1, Ordering::Relaxed);
        let (id, price) = (call.arguments()["petId"].clone(), call.arguments()["price"].clone());
        async move {
            if id == 404 {
                let fault = Fault::new(FaultCode::NotFound, "there is no such pet", Next::GiveUp);
                return Err(fault);
            }
            let big = Value::parse("12345678901234567890123").unwrap();
            let exact = Value::parse("0.10000000000000000555").unwrap();
            Ok(json!({"id": id, "name": "Rex", "big": big, "exact": exact, "price": price}))
        }
    });
    function.unwrap().with_effect(Effect::Read)
}

fn add_pet(traffic: &Arc<Traffic>) -> Function {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let traffic = Arc::clone(traffic);
    let function = Function::new("pets", "addPet", schema, move |_| {
        traffic.n_writes.fetch_add(1, Ordering::Relaxed);
        async { json!({"added": true}) }
    });
    function.unwrap().with_effect(Effect::Write)
}

fn wait(traffic: &Arc<Traffic>) -> Function {
    let schema = json!({"type": "object", "properties": {"ms": {"type": "integer"}}});
    let traffic = Arc::clone(traffic);
    let function = Function::new("clock", "wait", schema, move |call| {
        let ms = call.arguments()["ms"].as_u64().unwrap_or(50);
        let traffic = Arc::clone(&traffic);
        async move {
            let running = traffic.running.fetch_add(1, Ordering::Relaxed) + 1;
            traffic.most_running.fetch_max(running, Ordering::Relaxed);
            for _ in 0..ms {
                tokio::task::yield_now().await;
            }
            traffic.running.fetch_sub(1, Ordering::Relaxed);
            json!(ms)
        }
    });
    function.unwrap().with_effect(Effect::Read)
}
