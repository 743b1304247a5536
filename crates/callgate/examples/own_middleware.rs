//! Something of one's own around every call.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]

use std::ops::ControlFlow;

use callgate::{
    Arguments, Backend, Call, Effect, Executor, Fault, FaultCode, Middleware, Next, Outcome,
    Session, ToolCall, dialect, json,
    middleware::{Ended, Ending},
    policy::Metrics,
    result::Journal,
};

/// Lets reads through, and says how each call ended.
#[derive(Debug)]
struct OnlyReads;

#[async_trait::async_trait]
impl Middleware for OnlyReads {
    async fn before(
        &self,
        _: &mut Call<'_>,
        tool: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        if tool.is_some_and(|tool| tool.effect() == Effect::Read) {
            return ControlFlow::Continue(());
        }
        let fault = Fault::new(FaultCode::Refused, "this agent only reads", Next::GiveUp);
        ControlFlow::Break(fault.into())
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        // It is told too of a call whose caller left.
        let how = if matches!(ended.ending, Ending::Dropped) { "was left" } else { "ended" };
        println!("{} {how}", call.tool());
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), callgate::Error> {
    let executor = Executor::builder()
        .function("", "erase", json!({"type": "object"}), |_| async { json!("gone") })
        .middleware(Metrics::new())
        .middleware(OnlyReads)
        .build()?;
    let call = ToolCall::new("1", "erase", Arguments::new());
    let result = executor.call(&call, &Session::default()).await;
    println!("{}", dialect::json_result(&result));
    Ok(())
}
