//! The tool as a backend: it takes a worker, follows the program, and gives the worker back if it is as it was. A program that waited for
//! a person goes on when a call of the tool brings the decision.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::{Backend, Call, Executor, Resumption};
use callgate_session::{FairQueue, QueueBounds};
use callgate_tool::{
    Fault, Journal, Object, Outcome, Preview, Principal, Tool, ToolName, Value, json,
};
use tokio::time::timeout_at;

use crate::{
    declaration,
    functions::Functions,
    generate::{Attempt, Generator, SpentTokens, could_be_names},
    identity::program_identity,
    journal::{CallState, ProgramJournal},
    message::End,
    outcome::CallRecord,
    program::{Program, RunEnd, Start, first_pending_with_others, is_resumed},
    programs::{KeptProgram, Programs},
    settings::CodeSettings,
    worker::Workers,
};

/// The tool that runs programs.
#[derive(Debug)]
pub(crate) struct CodeTool {
    tool: Tool,
    settings: CodeSettings,
    workers: Arc<Workers>,
    programs: Programs,
}

impl CodeTool {
    pub(crate) fn new(
        name: ToolName,
        settings: CodeSettings,
        workers: Arc<Workers>,
        programs: Programs,
    ) -> Self {
        Self { tool: declaration::declaration(name, &settings), settings, workers, programs }
    }

    async fn run_program(
        &self,
        call: &Call<'_>,
        spent: &SpentTokens,
    ) -> Result<Outcome, Box<Fault>> {
        let executor =
            call.extensions().get::<Executor>().ok_or_else(wording::code::code_outside_executor)?;
        let principal = call.principal().map_or("", Principal::id);
        let deadline = call.deadline_within(QUEUE_TIME);
        let permit = timeout_at(deadline, RUNNING.enter(principal, 1)).await.ok().flatten();
        let _permit = permit.ok_or_else(wording::code::too_many_programs)?;
        let (rights, rules) = (call.rights(), &self.settings.calls);
        let functions = Functions { executor, rights, rules };
        let code = call.arguments().get("input").and_then(Value::as_str).unwrap_or_default();
        let limits = self.settings.limits;
        let Some(resumption) = call.extensions().get::<Resumption>() else {
            return Box::pin(self.run_code_or_generated(call, functions, code, spent)).await;
        };
        let kept = self.programs.take_program(call, &resumption.pending).await?;
        let KeptProgram { journal, keeper, mut lease } = kept;
        let start = Start { functions, limits, journal, keeper, resumption: Some(resumption) };
        let outcome = tokio::select! {
            outcome = self.resume_program(call, code, start) => outcome,
            never = lease.renew_forever() => match never {},
        };
        lease.release().await;
        outcome
    }

    /// Runs a text. One that is no program goes to the model, if there is one, and what it writes is run, and repaired once.
    async fn run_code_or_generated<'a>(
        &self,
        call: &'a Call<'a>,
        functions: Functions<'a>,
        text: &str,
        spent: &SpentTokens,
    ) -> Result<Outcome, Box<Fault>> {
        let (limits, identity) = (self.settings.limits, program_identity(call));
        let run = |journal| {
            let keeper = self.programs.keeper();
            self.run_in_worker(call, Start { functions, limits, journal, keeper, resumption: None })
        };
        let first = run(ProgramJournal::new(text, ENGINE, identity.clone())).await?;
        let model = self.settings.generate.as_ref().filter(|_| first.is_no_program());
        let Some(model) = model else { return Ok(first.outcome) };
        let language = declaration::language_and_functions_text(functions);
        let deadline = call.deadline_within(limits.timeout);
        let generator = Generator::new(model, &language, text, deadline, spent);
        let journal = |code: &str, n_before| {
            let journal = ProgramJournal::new(code, ENGINE, format!("{identity} {n_before}"));
            journal.with_task(text, n_before)
        };
        let second = run(journal(&generator.request_program(None).await?, 0)).await?;
        let Some((code, error, n_calls)) = second.repairable_error() else {
            return Ok(second.outcome);
        };
        // Without another program, the error of the first is the answer.
        let Ok(code) = generator.request_program(Some(Attempt { code, error })).await else {
            return Ok(second.outcome);
        };
        Ok(run(journal(&code, n_calls)).await?.outcome)
    }

    /// Goes on with a program that was kept.
    async fn resume_program<'a>(
        &self,
        call: &'a Call<'a>,
        code: &str,
        mut start: Start<'a>,
    ) -> Result<Outcome, Box<Fault>> {
        let journal = &start.journal;
        if journal.task_or_code() != code {
            return Err(wording::approval::unknown());
        }
        if let Some(tool) = start.functions.called_tool_now_forbidden(journal) {
            return Err(wording::code::forbidden_tool(tool));
        }
        if let Some(tool) = start.functions.tool_of_other_session(journal, call.session()) {
            return Err(wording::code::other_session(tool, &journal.writes_text()));
        }
        if let Some(result) = &journal.result {
            return Ok(result.clone().into());
        }
        if let Some(error) = resume_obstacle_text(journal, start.functions) {
            let end = End { error, ..End::default() };
            let result = result_value(&end, journal);
            start.journal.result = Some(result.clone());
            start.keeper.keep_journal(&start.journal).await?;
            return Ok(result.into());
        }
        let is_unfinished = journal.calls.iter().any(|call| match &call.state {
            CallState::Asked | CallState::Begun => true,
            CallState::Ended(..) => false,
            CallState::Waiting(pending) => is_resumed(start.resumption, pending),
        });
        if let Some(pending) = first_pending_with_others(journal).filter(|_| !is_unfinished) {
            // The process may have ended before it was kept under the names of all calls that wait.
            start.keeper.keep_waiting(call, journal).await?;
            return Ok(Outcome::Pending(pending));
        }
        // From now on no other process sends anything for this program.
        start.keeper.keep_journal(&start.journal).await?;
        Ok(self.run_in_worker(call, start).await?.outcome)
    }

    async fn run_in_worker<'a>(
        &self,
        call: &'a Call<'a>,
        start: Start<'a>,
    ) -> Result<Run, Box<Fault>> {
        let principal = call.principal().map_or("", Principal::id);
        let mut worker = self.workers.take_or_start_worker(principal).map_err(|error| {
            tracing::debug!(%error, "no process can be started that runs code");
            wording::code::no_worker()
        })?;
        let mut program = Program::new(call, start);
        match program.run(&mut worker).await {
            RunEnd::Ended { end, is_clean } => {
                if is_clean {
                    self.workers.give_back(worker);
                }
                let result = result_value(&end, program.journal());
                if let Err(fault) = program.keep_result(&result).await {
                    tracing::debug!(%fault.message, "the result of a program that waited is not kept");
                }
                let ended = Some((end, program.into_journal()));
                Ok(Run { outcome: result.into(), ended })
            }
            RunEnd::Failed(fault) => Err(fault),
            RunEnd::Waits(pending) => Ok(Run { outcome: Outcome::Pending(pending), ended: None }),
        }
    }
}

/// A run of a program.
#[derive(Debug)]
struct Run {
    outcome: Outcome,
    /// The end with the journal; `None` for a program that waits.
    ended: Option<(End, ProgramJournal)>,
}

impl Run {
    /// True if the text was none: the interpreter cannot read it, or it is names that nothing has.
    fn is_no_program(&self) -> bool {
        self.ended.as_ref().is_some_and(|(end, journal)| {
            let is_unknown_name = end.error.contains("NameError") && could_be_names(&journal.code);
            journal.calls.is_empty() && (end.is_no_program || is_unknown_name)
        })
    }

    /// The program, its error and the number of its calls, if another one may run in its place: an error, and no write.
    fn repairable_error(&self) -> Option<(&str, &str, usize)> {
        let (end, journal) = self.ended.as_ref()?;
        let may_run_again =
            !end.error.is_empty() && journal.possible_write_texts().next().is_none();
        may_run_again.then_some((&journal.code, &end.error, journal.calls.len()))
    }
}

/// The reason why a program cannot go on: the interpreter or a tool that it called is another one.
fn resume_obstacle_text(journal: &ProgramJournal, functions: Functions<'_>) -> Option<String> {
    let changed = journal.tools.iter().find(|(tool, print)| {
        functions.declaration_fingerprint(tool).as_deref() != Some(print.as_str())
    });
    let changed = match changed {
        Some((tool, _)) => format!("the tool `{tool}` has changed"),
        None if journal.engine != ENGINE => {
            format!("the interpreter is no longer {}", journal.engine)
        }
        None => return None,
    };
    Some(format!(
        "stale: {changed} since the program began; nothing was sent; writes already made: {}; write a new program for the rest",
        journal.writes_text()
    ))
}

/// The result: what is empty stands as an empty text.
fn result_value(end: &End, journal: &ProgramJournal) -> Value {
    let End { result, error, stdout, is_cut, .. } = end;
    let generated = journal.task.as_ref().map_or("", |_| &journal.code);
    let calls = journal.records().iter().map(CallRecord::to_value).collect();
    Value::Object(Object::from([
        ("execution_result", result.as_str().into()),
        ("execution_error", error.as_str().into()),
        ("generated_code", generated.into()),
        ("output_files", json!([])),
        ("stdout", stdout.as_str().into()),
        ("calls", Value::Array(calls)),
        ("truncated", (*is_cut).into()),
    ]))
}

#[async_trait]
impl Backend for CodeTool {
    callgate_executor::of_tool!(tool, settings.toolset);

    fn can_call_tools(&self) -> bool {
        true
    }

    fn is_resumable(&self) -> bool {
        true
    }

    fn declaration_listing_other_tools(&self, tools: &[&dyn Backend]) -> Option<Tool> {
        Some(declaration::declaration_with_functions(&self.tool, &self.settings, tools))
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        let code = call.arguments().get("input").and_then(Value::as_str).unwrap_or_default();
        Ok(Preview::Text(declaration::describe_sandbox_run(&self.settings, code)))
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let spent = SpentTokens::default();
        let outcome = self.run_program(call, &spent).await;
        spent.record_spent_tokens(journal);
        outcome.unwrap_or_else(Outcome::Failed)
    }
}

/// The interpreter, with its version: a journal of another one does not go on.
const ENGINE: &str = "monty 0.0.23";
/// The programs that run at the same time, each in a process.
static RUNNING: LazyLock<FairQueue> =
    LazyLock::new(|| FairQueue::new(QueueBounds { units: 16, each: 8, waiting: 1024 }));
/// The time that a program waits for others.
const QUEUE_TIME: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_of_journals_is_the_one_that_is_built() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        let version = ENGINE.strip_prefix("monty ").unwrap();
        assert!(manifest.lines().any(|line| line.starts_with("monty =") && line.contains(version)));
    }
}
