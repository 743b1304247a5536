//! The tool as a backend: it takes a worker, follows the program, and gives the worker back if it is as it was.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::{Backend, Call, Executor};
use callgate_session::{FairQueue, QueueBounds};
use callgate_tool::{
    Fault, Journal, Object, Outcome, Preview, Principal, Tool, ToolName, Value, json,
};
use tokio::time::timeout_at;

use crate::{
    declaration,
    functions::Functions,
    message::End,
    outcome::CallRecord,
    program::{Program, ProgramEnd},
    settings::CodeSettings,
    worker::Workers,
};

/// The tool that runs programs.
#[derive(Debug)]
pub(crate) struct CodeTool {
    tool: Tool,
    settings: CodeSettings,
    workers: Arc<Workers>,
}

impl CodeTool {
    pub(crate) fn new(name: ToolName, settings: CodeSettings, workers: Arc<Workers>) -> Self {
        Self { tool: declaration::declaration(name, &settings), settings, workers }
    }

    async fn run_program(&self, call: &Call<'_>) -> Result<Value, Box<Fault>> {
        let executor =
            call.extensions().get::<Executor>().ok_or_else(wording::code::code_outside_executor)?;
        let principal = call.principal().map_or("", Principal::id);
        let deadline = call.deadline_within(QUEUE_TIME);
        let permit = timeout_at(deadline, RUNNING.enter(principal, 1)).await.ok().flatten();
        let _permit = permit.ok_or_else(wording::code::too_many_programs)?;
        let mut worker = self.workers.take(principal).map_err(|error| {
            tracing::debug!(%error, "no process can be started that runs code");
            wording::code::no_worker()
        })?;
        let (rights, rules) = (call.rights(), &self.settings.calls);
        let functions = Functions { executor, rights, rules };
        let code = call.arguments().get("input").and_then(Value::as_str).unwrap_or_default();
        let program = Program::new(call, executor, functions, self.settings.limits);
        let ended = program.run(&mut worker, code).await;
        if ended.is_clean {
            self.workers.give_back(worker);
        }
        Ok(result(&ended))
    }
}

/// The result: what is empty stands as an empty text.
fn result(ProgramEnd { end, records, .. }: &ProgramEnd) -> Value {
    let End { result, error, stdout, is_cut } = end;
    let calls = records.iter().map(CallRecord::to_value).collect();
    Value::Object(Object::from([
        ("execution_result", result.as_str().into()),
        ("execution_error", error.as_str().into()),
        ("generated_code", "".into()),
        ("output_files", json!([])),
        ("stdout", stdout.as_str().into()),
        ("calls", Value::Array(calls)),
        ("truncated", (*is_cut).into()),
    ]))
}

#[async_trait]
impl Backend for CodeTool {
    callgate_executor::of_tool!(tool, settings.toolset);

    fn calls_tools(&self) -> bool {
        true
    }

    fn declaration_listing_other_tools(&self, tools: &[&dyn Backend]) -> Option<Tool> {
        Some(declaration::declaration_among(&self.tool, &self.settings, tools))
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        let code = call.arguments().get("input").and_then(Value::as_str).unwrap_or_default();
        Ok(Preview::Text(format!("runs this program in a sandbox:\n{code}")))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        match self.run_program(call).await {
            Ok(result) => result.into(),
            Err(fault) => Outcome::Failed(fault),
        }
    }
}

/// The programs that run at the same time, each in a process.
static RUNNING: LazyLock<FairQueue> =
    LazyLock::new(|| FairQueue::new(QueueBounds { units: 16, each: 8, waiting: 1024 }));
/// The time that a program waits for others.
const QUEUE_TIME: Duration = Duration::from_secs(30);
