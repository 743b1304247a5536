//! A batch: one call on each input line, one result on each output line, in order. Every line is read before the
//! first call is made, so that a malformed line leaves nothing half done.

use std::{
    io::{self, Read},
    path::Path,
};

use callgate::{
    Call, Executor, Outcome, ToolCall,
    dialect::{json_result, read_call, read_json},
};
use callgate_config::MAX_FILE_BYTES;
use futures_util::{StreamExt, stream};

use super::{
    CommandContext,
    approve::{self, Consent},
    block_on, resolve_tool_name, response_selection,
    show::print_journal_if_verbose,
    with_answer_flags,
};
use crate::{
    exit::{Failure, Verdict},
    open::read_file_bytes,
    output,
};

pub(super) fn make_calls_of_file(
    context: &CommandContext<'_>,
    file: &Path,
) -> Result<Verdict, Failure> {
    let CommandContext { executor, session, arguments, .. } = *context;
    let calls = read_calls(executor, file)?;
    context.refuse_unused_flags(&calls)?;
    let consent = Consent::for_many_calls(arguments);
    let selection = response_selection(&arguments.answer)?;
    let one = async |call: &ToolCall| {
        if arguments.dry_run {
            executor.dry_run(call, session).await
        } else {
            let call =
                with_answer_flags(Call::new(call, session), &arguments.answer, selection.as_ref());
            approve::call_with_consent(executor, &call, consent).await
        }
    };
    block_on(async {
        let mut failed = false;
        let running = stream::iter(calls.iter().map(one));
        let mut results = running.buffered(usize::from(arguments.jobs));
        while let Some(result) = results.next().await {
            failed |= matches!(result.outcome, Outcome::Failed(_));
            print_journal_if_verbose(&result, &arguments.answer);
            // Written as a value, because a service's text may have line breaks.
            output::print_result(&format!("{}\n", json_result(&result).value()));
        }
        Verdict::findings_if(failed)
    })
}

fn read_calls(executor: &Executor, file: &Path) -> Result<Vec<ToolCall>, Failure> {
    let text = if file == Path::new("-") { read_stdin()? } else { read_file_bytes(file)? };
    let text = String::from_utf8(text).map_err(|_| {
        Failure(format!(
            "error: `{}` is not UTF-8\nhelp: write one JSON object a line",
            file.display()
        ))
    })?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let mut calls = Vec::new();
    let mut faults = String::new();
    for (line, number) in lines {
        match parse_call(line, number) {
            Ok(mut call) => {
                call.tool = resolve_tool_name(executor, &call.tool);
                calls.push(call);
            }
            Err(message) => {
                faults.push_str(&format!("error: {}:{number}: {message}\n", file.display()));
            }
        }
    }
    if faults.is_empty() {
        return Ok(calls);
    }
    faults.push_str(
        "help: write one `{\"id\": …, \"tool\": …, \"args\": {…}}` a line; nothing was sent\n",
    );
    Err(Failure(faults))
}

/// Reads one call; a call without an id gets its line number.
fn parse_call(line: &str, number: usize) -> Result<ToolCall, String> {
    let mut envelope = read_json(line).map_err(|error| error.to_string())?;
    if let Some(members) = envelope.as_object_mut() {
        members.entry("id").or_insert_with(|| number.to_string().into());
    }
    read_call(envelope).map_err(|error| error.to_string())
}

pub(super) fn read_stdin() -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let read = io::stdin().lock().take(most.saturating_add(1)).read_to_end(&mut text);
    read.map_err(|error| Failure(format!("error: cannot read standard input: {error}")))?;
    if text.len() > MAX_FILE_BYTES {
        return Err(Failure(format!(
            "error: standard input has more than {MAX_FILE_BYTES} bytes\nhelp: make several batches"
        )));
    }
    Ok(text)
}
