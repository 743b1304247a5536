//! Something of one's own around every call.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]

use std::ops::ControlFlow;

use callgate::{
    Arguments, Backend, Call, Effect, Executor, Fault, FaultCode, Middleware, Next, Outcome,
    Session, ToolCall, ToolName, dialect, json, middleware::Ended, policy::Metrics,
    result::Journal,
};

/// Lets reads through, and logs a line without content for each call.
#[derive(Debug)]
struct OnlyReads;

#[async_trait::async_trait]
impl Middleware for OnlyReads {
    async fn before(
        &self,
        call: &mut Call<'_>,
        tool: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        // A call without a tool ends as `unknown_tool`: its name is the model's text, and stays out of the log.
        let Some(tool) = tool else { return ControlFlow::Continue(()) };
        call.extensions_mut().insert(tool.name().clone());
        if tool.effect() == Effect::Read {
            return ControlFlow::Continue(());
        }
        let fault = Fault::new(FaultCode::Refused, "this agent only reads", Next::GiveUp);
        ControlFlow::Break(fault.into())
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        let tool = call.extensions().get().map_or("an unknown tool", ToolName::as_str);
        // A word: `answered`, `pending`, `planned`, `dropped` if the caller left, or the code of a fault.
        println!("{tool}: {} after {:?}", ended.ending.as_str(), ended.elapsed);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), callgate::Error> {
    let executor = Executor::builder()
        .function("", "erase", json!({"type": "object"}), |_| async { json!("gone") })
        .middleware(Metrics::new())
        .middleware(OnlyReads)
        .build()?;
    for tool in ["erase", "whatever a model writes"] {
        let call = ToolCall::new("1", tool, Arguments::new());
        let result = executor.call(&call, &Session::default()).await;
        println!("{}", dialect::json_result(&result));
    }
    Ok(())
}
