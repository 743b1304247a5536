//! `callgate draft`: a description of a service from examples of its requests, with the evidence of each guess, and the
//! examples as cases that `callgate test` replays.

mod cases;
#[cfg(feature = "agents")]
mod describe;
mod examples;

use std::path::Path;

use callgate::openapi::TextLimits;
use callgate_config::Kinds;
use callgate_draft::{Draft, DraftOptions, Guess, draft};
use callgate_tool::{Value, json};

use crate::{
    args::DraftArguments,
    exit::{Failure, Verdict, error_with_cause},
    output,
    partial_file::{Readers, write_file_atomically},
    yaml,
};

pub(crate) fn run(arguments: &DraftArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    if let Some(out) = arguments.out.as_deref().filter(|out| out.exists() && !arguments.force) {
        let error = format!("`{}` is there", out.display());
        return Err(Failure::with_help(
            &error,
            "name another file, or write over it with `--force`",
        ));
    }
    let source = examples::read_examples(arguments)?;
    for note in &source.notes {
        output::print_message_line(&format!("note: {note}"));
    }
    let options = DraftOptions {
        prompt: arguments.prompt.clone().unwrap_or_default(),
        merge: arguments.merge.as_deref().map(read_description).transpose()?,
    };
    let draft = draft(source.exchanges, &options).map_err(|error| {
        let help = "name an example by `--url`, `--har`, `--curl`, `--postman` or `--fixtures`";
        Failure::with_help(&error_with_cause(&error), help)
    })?;
    #[cfg(feature = "agents")]
    let draft = match &arguments.describe {
        Some(model) => {
            let written = options.merge.as_ref();
            describe::describe_draft(draft, model, &arguments.config, written, kinds)?
        }
        None => draft,
    };
    if let Some(folder) = &arguments.cases {
        cases::write_cases(&draft, folder, kinds)?;
    }
    print_draft(&draft, arguments)?;
    Ok(Verdict::Fine)
}

/// Writes the description to its file, or prints it; the guesses go to the other way out.
fn print_draft(draft: &Draft, arguments: &DraftArguments) -> Result<(), Failure> {
    if arguments.json {
        let guesses: Vec<Value> = draft.guesses.iter().map(guess_json).collect();
        let whole = json!({"description": draft.description, "guesses": guesses});
        output::print_result(&format!("{whole:#}\n"));
        return Ok(());
    }
    let description = yaml::yaml_text(&draft.description);
    let Some(out) = &arguments.out else {
        output::print_message(&guess_lines(&draft.guesses));
        output::print_result(&description);
        return Ok(());
    };
    write_file_atomically(out, description.as_bytes(), Readers::Anyone).map_err(|error| {
        let help = "name a file in a folder that is there and can be written to";
        Failure::with_help(&format!("cannot write `{}`: {error}", out.display()), help)
    })?;
    let n_guesses = draft.guesses.len();
    output::print_result(&guess_lines(&draft.guesses));
    output::print_message_line(&format!(
        "{n_guesses} guesses; `callgate check {}` reads the draft",
        out.display()
    ));
    Ok(())
}

fn guess_json(guess: &Guess) -> Value {
    let Guess { pointer, text, seen, total, settle, .. } = guess;
    json!({"at": pointer, "guess": text, "seen": *seen, "of": *total, "settle": settle})
}

/// A line for each guess: how many examples show it, where it stands, what to do.
fn guess_lines(guesses: &[Guess]) -> String {
    let line = |guess: &Guess| {
        let Guess { pointer, text, seen, total, settle, .. } = guess;
        output::with_trusted_escapes(&format!(
            "{seen} of {total}: {text}, at `{pointer}`: {settle}"
        )) + "\n"
    };
    guesses.iter().map(line).collect()
}

fn read_description(path: &Path) -> Result<Value, Failure> {
    let text = examples::read_file(path)?;
    let tree = callgate_tree::read(text.as_bytes(), &TextLimits::default());
    tree.map(|tree| tree.value.to_value()).map_err(|_| {
        let error = format!("`{}` is neither YAML nor JSON", path.display());
        Failure::with_help(&error, &format!("`callgate check {}` says where", path.display()))
    })
}
