//! Makes the calls in a model's message, and prints the messages to append to the conversation. Calls that cannot be made as
//! the model asks get a result too.

use std::path::Path;

use callgate::{
    Call, Entry, Executor, ToolCall, ToolResult,
    dialect::{Dialect, EnvelopeError, Form, ReadMessage},
};
use callgate_tool::Value;
use futures_util::{StreamExt, stream};

use super::{
    CommandContext,
    approve::{self, Consent},
    block_on, read_json_file, resolve_tool_name,
    show::print_journal_if_verbose,
    with_answer_flags,
};
use crate::{
    exit::{Failure, Verdict},
    output,
};

pub(super) fn make_calls_of_message(
    context: &CommandContext<'_>,
    file: &Path,
    dialect: Dialect,
) -> Result<Verdict, Failure> {
    let CommandContext { executor, session, arguments, .. } = *context;
    let form = dialect.supported_form(arguments.form);
    let form = form.map_err(|error| Failure(format!("error: `--form`: {error}\n")))?;
    let read = message_calls(executor, file, dialect, form, &arguments.function)?;
    context.refuse_unused_flags(read.to_make())?;
    let consent = Consent::for_many_calls(arguments);
    let one = async |call: &ToolCall| {
        if arguments.dry_run {
            executor.dry_run(call, session).await
        } else {
            let call = with_answer_flags(Call::new(call, session), &arguments.answer, None);
            approve::call_with_consent(executor, &call, consent).await
        }
    };
    let running = stream::iter(read.to_make()).map(one).buffered(usize::from(arguments.jobs));
    let results: Vec<ToolResult> = block_on(approve::await_with_progress(running.collect()))?;
    for result in &results {
        print_journal_if_verbose(result, &arguments.answer);
    }
    output::print_result(&format!("{:#}\n", Value::Array(dialect.write(&read, &results))));
    let is_refused = read.calls().iter().any(|asked| asked.call.is_err());
    Ok(Verdict::findings_if(is_refused || results.iter().any(ToolResult::is_failed)))
}

/// The calls of the message; calls of tools outside `functions` are not made.
fn message_calls(
    executor: &Executor,
    file: &Path,
    dialect: Dialect,
    form: Form,
    functions: &[String],
) -> Result<ReadMessage, Failure> {
    let message = read_json_file(file, HELP)?;
    let read = read_calls(executor, message.clone(), dialect, form);
    if read.as_ref().map_or(true, |read| read.calls().is_empty())
        && let Some(other) = other_dialect(executor, &message, dialect)
    {
        let file = file.display();
        return Err(Failure(format!(
            "error: expected a message of `{dialect}` in `{file}`, got one of `{other}`\nhelp: `--dialect {other}`"
        )));
    }
    let read = read.map_err(|error| {
        let message = format!("`{}` is no message of `{dialect}`: {error}", file.display());
        Failure::with_help(&message, HELP)
    })?;
    Ok(match functions {
        [] => read,
        functions => {
            read.only(functions, |name| entry_by_wire_name(executor, name).map(Entry::name))
        }
    })
}

/// The dialect in which a message calls existing tools, if it is not the named one.
fn other_dialect(executor: &Executor, message: &Value, named: Dialect) -> Option<Dialect> {
    let has_calls = |other: &Dialect| {
        let read = read_calls(executor, message.clone(), *other, Form::Usual);
        let calls =
            read.iter().flat_map(ReadMessage::calls).filter_map(|asked| asked.call.as_ref().ok());
        calls.into_iter().any(|call| entry_by_wire_name(executor, &call.tool).is_some())
    };
    Dialect::ALL.iter().copied().filter(|other| *other != named).find(has_calls)
}

pub(crate) fn read_calls(
    executor: &Executor,
    message: Value,
    dialect: Dialect,
    form: Form,
) -> Result<ReadMessage, EnvelopeError> {
    let declared = |name: &str| entry_by_wire_name(executor, name).and_then(Entry::declaration);
    let read = dialect.read_in(form, message, declared)?;
    if !dialect.has_wire_names() {
        return Ok(read);
    }
    Ok(read.with_renamed_arguments(|call, name| {
        Some(
            entry_by_wire_name(executor, &call.tool)?
                .operation()?
                .argument_for_wire_name(name)?
                .as_str()
                .to_owned(),
        )
    }))
}

fn entry_by_wire_name<'e>(executor: &'e Executor, name: &str) -> Option<Entry<'e>> {
    executor.find(&resolve_tool_name(executor, name))
}

const HELP: &str = "write the model's message as its provider's interface gave it";
