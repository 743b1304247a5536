//! `callgate run FILE PROGRAM`: a program as a model would run it. Its output goes to standard output, its traceback to standard error.

mod dry_run;

use callgate::{
    Arguments, Call, Entry, Executor, Session, ToolCall, ToolResult,
    config::{Built, Environment},
    dialect::json_result,
};
use callgate_config::Kinds;
use callgate_tool::{Content, Outcome, Value};

use self::dry_run::DryRun;
use super::call::{
    approve::{Consent, call_with_consent},
    block_on, read_json_file,
};
use crate::{
    args::RunArguments,
    effects,
    exit::{Failure, Verdict},
    open::{description_options, loader_with_effects, open_for_calls, read_file_bytes},
    output, session,
};

pub(crate) fn run(arguments: &RunArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let code = program_text(arguments)?;
    let dry_run = arguments.dry_run.then(|| DryRun::new(arguments.fixtures.as_deref()));
    let dry_run = dry_run.transpose()?;
    let (environment, effects) = match &dry_run {
        Some(dry_run) => (dry_run.environment(), effects::DRY_RUN),
        None => (Environment::new(), effects::CALL),
    };
    let built = open_for_calls(
        &arguments.source.file,
        &description_options(&arguments.source.description),
        &loader_with_effects(kinds, effects),
        &environment,
    )?;
    let session = match &arguments.session {
        Some(file) => block_on(session::read_session_file(
            file,
            read_json_file(file, session::HELP)?,
            &built,
        ))??,
        None => Session::default(),
    };
    let Built { executor, .. } = built;
    let tool = program_tool(&executor, arguments.tool.as_deref())?;
    let values = Arguments::from([("input", code.into())]);
    let asked = ToolCall::new("1", tool.name().as_str(), values);
    let consent = Consent::from_flag_or_terminal(arguments.yes || arguments.dry_run);
    let call = Call::new(&asked, &session);
    let result = block_on(call_with_consent(&executor, &call, consent))?;
    if arguments.json {
        output::print_result(&format!("{}\n", json_result(&result)));
        return Ok(Verdict::findings_if(
            execution_error(&result).is_none_or(|text| !text.is_empty()),
        ));
    }
    let has_stopped = dry_run.is_some_and(|dry_run| dry_run.print_requests());
    let verdict = show_result(&result)?;
    Ok(if has_stopped { Verdict::Findings } else { verdict })
}

fn program_text(arguments: &RunArguments) -> Result<String, Failure> {
    match (&arguments.code, &arguments.program) {
        (Some(code), _) => Ok(code.clone()),
        (None, Some(file)) => String::from_utf8(read_file_bytes(file)?).map_err(|_| {
            let file = file.display();
            Failure::with_help(
                &format!("expected a text, got other bytes: {file}"),
                "write it in UTF-8",
            )
        }),
        (None, None) => Ok(String::new()),
    }
}

/// The tool that runs programs.
fn program_tool<'e>(executor: &'e Executor, name: Option<&str>) -> Result<Entry<'e>, Failure> {
    let runs_programs = |entry: &Entry<'e>| entry.can_call_tools();
    if let Some(name) = name {
        return executor.find(name).filter(runs_programs).ok_or_else(|| {
            let error = format!("expected a tool that runs programs, got: {name}");
            Failure::with_help(&error, "name one that `callgate tools FILE` lists")
        });
    }
    let mut tools = executor.entries().filter(runs_programs);
    match (tools.next(), tools.next()) {
        (Some(tool), None) => Ok(tool),
        (Some(first), Some(_)) => {
            let help = format!("choose one: `--tool {}`", first.name());
            Err(Failure::with_help("expected one tool that runs programs, got several", &help))
        }
        (None, _) => {
            let help = "add a toolset to the configuration: `code: {code_interpreter: {}}`";
            Err(Failure::with_help("expected a tool that runs programs, got none", help))
        }
    }
}

fn show_result(result: &ToolResult) -> Result<Verdict, Failure> {
    let Some(value) = json_answer(result) else {
        return Err(Failure(format!("error: {}", json_result(result))));
    };
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let (printed, shown, error) =
        (text("stdout"), text("execution_result"), text("execution_error"));
    output::print_result(printed);
    if !shown.is_empty() {
        output::print_result(&format!("{}\n", shown.trim_end_matches('\n')));
    }
    if !error.is_empty() {
        output::print_message(&format!("{}\n", error.trim_end()));
    }
    Ok(Verdict::findings_if(!error.is_empty()))
}

fn json_answer(result: &ToolResult) -> Option<&Value> {
    match &result.outcome {
        Outcome::Answered(answer) => match &answer.content {
            Content::Json(json) => Some(json.value()),
            Content::Empty
            | Content::File { .. }
            | Content::Media { .. }
            | Content::Parts(_)
            | Content::Text { .. } => None,
        },
        Outcome::Failed(_) | Outcome::Pending(_) | Outcome::Planned(_) => None,
    }
}

fn execution_error(result: &ToolResult) -> Option<&str> {
    json_answer(result)?["execution_error"].as_str()
}
