//! `callgate call FILE TOOL`: one call with arguments from the command line, a batch of them from a file, or those of a model's
//! message.

pub(super) mod approve;
mod argument_words;
mod batch;
mod download;
mod fault;
mod format;
pub(crate) mod message;
mod pages;
mod place;
mod request_printer;
mod show;
mod snippets;
mod warnings;

use std::{path::Path, sync::Arc};

use callgate::{
    Arguments, Call, Content, Entry, Executor, Outcome, Session, ToolCall, ToolResult,
    config::{Built, Environment, ResultSelection as Selection},
    dialect::{json_result, read_json},
};
use callgate_config::{Kinds, UnusedOption};
use callgate_tool::Value;

use self::{
    approve::Consent, fault::Hints, place::Place, request_printer::RequestPrinter,
    show::ResultPrinter,
};
use super::unknown_tool;
use crate::{
    args::{AnswerArguments, AnswerFormat, CallArguments},
    effects,
    exit::{Failure, Verdict},
    needs,
    open::{description_options, loader_with_effects, open_for_calls, read_file_bytes},
    output,
    runtime::end_runtime,
    session,
};

pub(crate) use self::argument_words::arguments_of_words;
#[cfg(test)]
pub(crate) use self::argument_words::read_arguments as arguments_of_call;

pub(crate) fn run(arguments: &CallArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let environment = Environment::new();
    let environment = if arguments.dry_run { environment.without_audit() } else { environment };
    let options = description_options(&arguments.source.description);
    let effects = if arguments.dry_run { effects::DRY_RUN } else { effects::CALL };
    let loader = loader_with_effects(kinds, effects);
    let built = open_for_calls(&arguments.source.file, &options, &loader, &environment)?;
    let session = session_from_flags(arguments, &built)?;
    let Built { executor, toolsets, unused_options, .. } = built;
    let context = CommandContext {
        executor: &executor,
        session: &session,
        unused_options: &unused_options,
        arguments,
    };
    if let Some(file) = &arguments.batch {
        return batch::make_calls_of_file(&context, file);
    }
    if let (Some(file), Some(dialect)) = (&arguments.message, arguments.dialect) {
        return message::make_calls_of_message(&context, file, dialect);
    }
    let name = arguments.tool.as_deref().unwrap_or_default();
    let name = resolve_tool_name(&executor, name);
    let is_unknown =
        executor.find(&name).is_none() && executor.refusal_reason(&name, |_| true).is_none();
    if is_unknown && !arguments.json {
        // A result is data; words are for who types.
        let (words, file) = (tool_name_words(arguments), &arguments.source.file);
        return Err(Failure(unknown_tool::unknown_tool_text(&executor, &words, file)));
    }
    let values = argument_words::read_arguments(arguments, executor.find(&name))?;
    if !arguments.dry_run {
        needs::tell_missing_credential(&toolsets, &arguments.source.description, &name);
    }
    let call = ToolCall::new("1", name, values);
    let entry = executor.find(&call.tool);
    context.refuse_unused_flags([&call])?;
    let shown = ResultPrinter::new(arguments, Place::new(&arguments.source.file, &toolsets, entry))
        .with_entry(entry, &toolsets);
    if !arguments.dry_run && is_raw_requested(&arguments.answer) {
        return block_on(stream_answer(&executor, &call, &session, arguments, &shown))?;
    }
    let result = if arguments.dry_run {
        block_on(executor.dry_run(&call, &session))?
    } else {
        block_on(make_call(&executor, &call, &session, arguments))??
    };
    warnings::warn_if_text_not_json(&result, shown.settings_place());
    warnings::warn_of_empty_selection(arguments, entry, &result);
    let verdict = if arguments.json {
        show::print_journal_if_verbose(&result, &arguments.answer);
        output::print_result(&format!("{}\n", json_result(&result)));
        call_verdict(&result)
    } else {
        shown.show_result(&result)
    };
    let is_incomplete =
        arguments.answer.all_pages && pages::has_unnamed_next_page(result.journal.events());
    Ok(if is_incomplete { Verdict::Findings } else { verdict })
}

fn session_from_flags(arguments: &CallArguments, built: &Built) -> Result<Session, Failure> {
    let Some(file) = &arguments.session else { return Ok(Session::default()) };
    block_on(session::read_session_file(file, read_json_file(file, session::HELP)?, built))?
}

/// The parts that all calls of a command share.
#[derive(Clone, Copy)]
struct CommandContext<'a> {
    executor: &'a Executor,
    session: &'a Session,
    unused_options: &'a [UnusedOption],
    arguments: &'a CallArguments,
}

impl CommandContext<'_> {
    /// Refuses a flag that the toolset of a call has no use for.
    fn refuse_unused_flags<'c>(
        &self,
        calls: impl IntoIterator<Item = &'c ToolCall>,
    ) -> Result<(), Failure> {
        for call in calls {
            let toolset = self.executor.find(&call.tool).map(Entry::toolset);
            let mut unused = self.unused_options.iter();
            if let Some(unused) = unused.find(|it| toolset == Some(&*it.toolset)) {
                return Err(Failure::with_help(&unused.message, "remove the flag"));
            }
        }
        Ok(())
    }
}

/// The words that stand for a tool: its name, and those behind it that are no arguments.
fn tool_name_words(arguments: &CallArguments) -> String {
    let more = arguments.arguments.iter().filter(|word| !word.contains('='));
    let words = arguments.tool.iter().chain(more).map(String::as_str);
    words.collect::<Vec<_>>().join(" ")
}

async fn make_call(
    executor: &Executor,
    call: &ToolCall,
    session: &Session,
    arguments: &CallArguments,
) -> Result<ToolResult, Failure> {
    let wanted = &arguments.answer;
    let (selection, consent) = (response_selection(wanted)?, Consent::for_one_call(arguments));
    if !wanted.all_pages {
        let call = with_answer_flags(Call::new(call, session), wanted, selection.as_ref());
        return Ok(approve::call_with_consent(executor, &call, consent).await);
    }
    // Members of a table's page name the next one: what is shown is selected of all pages.
    let is_own_tool = executor.find(&call.tool).is_some_and(|entry| entry.operation().is_none());
    let (all, later) = (Selection::All, selection.as_ref().filter(|_| is_own_tool));
    let at_once = if later.is_some() { Some(&all) } else { selection.as_ref() };
    let page = |arguments: &Arguments| {
        let call = ToolCall::new("1", call.tool.clone(), arguments.clone());
        with_answer_flags(Call::new(&call, session), wanted, at_once).to_static()
    };
    let arguments = call.arguments.clone();
    let pages = pages::call_all_pages(executor, page, consent, arguments, wanted.max_pages);
    let mut result = pages.await;
    if let Outcome::Answered(answer) = &mut result.outcome
        && let (Content::Json(json), Some(selection)) = (&mut answer.content, later)
    {
        *json = selection.selected_value(json.value().clone()).into();
    }
    Ok(result)
}

async fn stream_answer(
    executor: &Executor,
    call: &ToolCall,
    session: &Session,
    arguments: &CallArguments,
    shown: &ResultPrinter,
) -> Result<Verdict, Failure> {
    let call = with_answer_flags(Call::new(call, session), &arguments.answer, None);
    let consent = Consent::for_one_call(arguments);
    match &arguments.answer.output {
        Some(file) => download::download_to_file(executor, call, file, consent, shown).await,
        None => download::stream_to_standard_output(executor, call, consent, shown).await,
    }
}

/// The part of the response that is shown; `None` for a model's part.
fn response_selection(wanted: &AnswerArguments) -> Result<Option<Selection>, Failure> {
    if wanted.as_model {
        return Ok(None);
    }
    if let Some(path) = &wanted.jsonpath {
        return Selection::json_path(path).map(Some).map_err(|error| {
            let message = format!("error: `--jsonpath`: `{path}` is no JSON path: {error}");
            Failure(format!("{message}\nhelp: for example `--jsonpath '$.items[*].id'`"))
        });
    }
    Ok(Some(match &*wanted.select {
        [] => Selection::All,
        fields => Selection::paths(fields.iter().map(|field| field.trim())),
    }))
}

fn with_answer_flags<'a>(
    call: Call<'a>,
    wanted: &AnswerArguments,
    selection: Option<&Selection>,
) -> Call<'a> {
    let mut call = with_selection(call, selection);
    if is_raw_requested(wanted) {
        call = call.with_raw_response();
    }
    if wanted.verbose > 0 {
        call = call.with_watcher(Arc::new(RequestPrinter { has_bodies: wanted.verbose > 1 }));
    }
    call
}

fn with_selection<'a>(call: Call<'a>, selection: Option<&Selection>) -> Call<'a> {
    match selection {
        Some(selection) => call.with_whole(selection.clone()),
        None => call,
    }
}

fn is_raw_requested(wanted: &AnswerArguments) -> bool {
    wanted.output.is_some() || wanted.format == Some(AnswerFormat::Raw)
}

/// The words for a failed call of `file`, whose credential `settings` names; empty for another outcome.
pub(crate) fn failure_text(result: &ToolResult, file: &str, settings: &Path) -> String {
    let Outcome::Failed(fault) = &result.outcome else { return String::new() };
    let (file, credential) = (file.to_owned(), Some(settings.display().to_string()));
    let hints = Hints {
        file,
        place: Place::of_fixture(settings),
        may_download: false,
        credential,
        server: None,
    };
    fault::fault_text(fault, &result.tool, result.journal.events(), &hints)
}

/// A value as `call` prints it: as JSON, with colours on a terminal.
pub(super) fn formatted_answer(value: &Value) -> String {
    format::formatted_value(value, None)
}

/// `Fine` unless the call failed.
fn call_verdict(result: &ToolResult) -> Verdict {
    Verdict::findings_if(result.outcome.is_failed())
}

/// The tool that a user means: by its name, else by its name without the toolset or by another name of exactly one operation.
pub(crate) fn resolve_tool_name(executor: &Executor, asked: &str) -> String {
    if executor.find(asked).is_some() {
        return asked.to_owned();
    }
    let mut meant = executor.entries().filter(|entry| has_short_or_other_name(*entry, asked));
    match (meant.next(), meant.next()) {
        (Some(entry), None) => entry.name().to_string(),
        _ => asked.to_owned(),
    }
}

fn has_short_or_other_name(entry: Entry<'_>, asked: &str) -> bool {
    let short = || entry.name().as_str().strip_prefix(entry.toolset())?.strip_prefix(['-', '_']);
    let is_short = || short().is_some_and(|short| short.eq_ignore_ascii_case(asked));
    is_short() || entry.operation().is_some_and(|operation| operation.is_called(asked))
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure(format!("error: cannot start: {error}")))?;
    let ended = runtime.block_on(future);
    end_runtime(runtime);
    Ok(ended)
}

/// The JSON of a file; `help` says what to write there.
pub(crate) fn read_json_file(file: &Path, help: &str) -> Result<Value, Failure> {
    let text = if file == Path::new("-") { batch::read_stdin()? } else { read_file_bytes(file)? };
    let text = std::str::from_utf8(&text).map_err(|error| error.to_string());
    let value = text.and_then(|text| {
        // One character shows the kind of the text and is not a secret.
        let first = text.trim_start().chars().next().filter(|c| !c.is_control());
        let first = first.map_or_else(|| "nothing".to_owned(), |c| format!("a text from `{c}` on"));
        read_json(text).map_err(|error| format!("{error}, got {first}"))
    });
    value.map_err(|error| {
        Failure::with_help(&format!("`{}` is not JSON: {error}", file.display()), help)
    })
}

/// One JSON object: the text itself, or the content of the file after `@`; `-` is standard input. Faults show the example.
pub(crate) fn read_json_object(text: &str, example: &str) -> Result<Arguments, Failure> {
    let help = format!("write one JSON object: `{example}`");
    let read = match (text, text.strip_prefix('@')) {
        ("-", _) => read_json_file(Path::new("-"), &help)?,
        (_, Some("")) => {
            let help = "`--args @FILE`, or `--args -` for standard input";
            return Err(Failure::with_help("`--args @` names no file", help));
        }
        (_, Some(file)) => read_json_file(Path::new(file), &help)?,
        _ => read_json(text)
            .map_err(|error| invalid_object_failure(text, &error.to_string(), example))?,
    };
    match read {
        Value::Object(arguments) => Ok(arguments),
        other => Err(invalid_object_failure(text, &format!("got `{other}`"), example)),
    }
}

fn invalid_object_failure(text: &str, why: &str, example: &str) -> Failure {
    let help = if !text.starts_with('@') && Path::new(text).is_file() {
        format!("did you mean `--args @{text}`?")
    } else {
        format!("`--args '{example}'`, or `--args @FILE`")
    };
    let begins: String = text.chars().take(LONGEST_SHOWN).collect();
    let got = if why.starts_with("got") { String::new() } else { format!(", got: `{begins}`") };
    Failure::with_help(&format!("`--args` expects a JSON object: {why}{got}"), &help)
}

const LONGEST_SHOWN: usize = 60;
