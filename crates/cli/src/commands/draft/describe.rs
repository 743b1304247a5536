//! `--describe`: a model of a configuration names and describes a draft. It gets the draft and masked examples, and its answer is
//! an overlay of names and words; anything else is refused.

use std::path::Path;

use callgate::{
    Session,
    config::Environment,
    openapi::{Diagnostic, TextLimits},
};
use callgate_agent::{Agent, EndReason, Input, Transcript, TurnContext};
use callgate_config::{DescriptionOptions, Kinds, LoadEffects};
use callgate_draft::{
    Change, DESCRIBE_INSTRUCTIONS, Draft, apply_described_overlay, describe_request, overlay_text,
};
use callgate_openapi::{Overlay, apply_overlays};
use callgate_tool::Value;

use crate::{
    commands::call::block_on,
    exit::{Failure, error_with_cause},
    file_argument, grants,
    open::{loader_with_effects, with_cache_and_extractor},
    output,
};

/// The name that the agent has in no file.
const AGENT: &str = "draft";
const AGAIN: &str = "ask again, or draft without `--describe`";

/// The draft with a model's names and words, after the difference was printed.
pub(super) fn describe_draft(
    draft: Draft,
    model: &str,
    file: &Path,
    written: Option<&Value>,
    kinds: &Kinds,
) -> Result<Draft, Failure> {
    let request = describe_request(&draft).map_err(|error| {
        Failure::with_help(&error.to_string(), "draft fewer operations at a time")
    })?;
    let reply = ask_model(model, file, &request, kinds)?;
    let described = apply_reply(&draft, &reply)?;
    let (draft, changes) = apply_described_overlay(draft, described, written)
        .map_err(|error| Failure::with_help(&error_with_cause(&error), AGAIN))?;
    print_changes(&changes);
    Ok(draft)
}

/// The reply of a model without tools. No toolset of the configuration is opened.
fn ask_model(model: &str, file: &Path, request: &str, kinds: &Kinds) -> Result<String, Failure> {
    let location = file_argument::file_location(file)?;
    let environment = with_cache_and_extractor(Environment::new().without_audit());
    let grants = grants::grant_store(&location, file).into_iter();
    let environment = grants.fold(environment, Environment::with_grants);
    let loader = loader_with_effects(kinds, LoadEffects::Ask);
    let config = loader.open(location, &DescriptionOptions::default())?;
    if !config.models.contains_key(model) {
        let names: Vec<String> = config.models.keys().map(|name| format!("`{name}`")).collect();
        let error = format!("expected a model of `{}`, got: `{model}`", file.display());
        let help = match names.as_slice() {
            [] => "name a model below `models`: `{main: {dialect: openai, url: …, model: …, auth: none}}`".to_owned(),
            names => format!("its models are {}", names.join(", ")),
        };
        return Err(Failure::with_help(&error, &help));
    }
    let config = config.with_only_agent(AGENT, model, DESCRIBE_INSTRUCTIONS);
    let built = config.build_blocking(&environment, None)?;
    let no_model =
        |error: &dyn std::error::Error| Failure::with_help(&error_with_cause(error), AGAIN);
    let agent = Agent::from_configuration(&built, AGENT).map_err(|error| no_model(&error))?;
    let mut transcript = Transcript::new(agent.dialect()).map_err(|error| no_model(&error))?;
    let context = TurnContext::new(Session::default());
    let turn = agent.turn(&mut transcript, Input::text(request), &context);
    let end = block_on(turn)?.map_err(|error| no_model(&error))?;
    if end.reason != EndReason::Answered {
        let why = end.detail.unwrap_or_else(|| end.reason.as_str().to_owned());
        return Err(Failure::with_help(&format!("the model gave no answer: {why}"), AGAIN));
    }
    Ok(end.text)
}

fn apply_reply(draft: &Draft, reply: &str) -> Result<Value, Failure> {
    let limits = TextLimits::default();
    let refused = |diagnostics: Vec<Diagnostic>| {
        let why = diagnostics.into_iter().map(|it| format!("`{}`: {}", it.pointer, it.message));
        let why = why.collect::<Vec<_>>().join("; ");
        Failure::with_help(
            &format!("the answer of the model is no overlay for the draft: {why}"),
            AGAIN,
        )
    };
    let overlay = Overlay::read(overlay_text(reply).as_bytes(), &limits).map_err(refused)?.value;
    let root = callgate_tree::read(draft.description.to_string().as_bytes(), &limits);
    let applied = apply_overlays(root.map_err(refused)?.value, &[overlay], &limits);
    let diagnostics: Vec<_> = applied.diagnostics.into_iter().flatten().collect();
    let Some(overlaid) = applied.overlaid else { return Err(refused(diagnostics)) };
    for note in diagnostics {
        output::print_message_line(&format!("note: `{}`: {}", note.pointer, note.message));
    }
    Ok(overlaid.root().to_value())
}

/// A block for each place: what was there, and what is there now.
fn print_changes(changes: &[Change]) {
    for Change { pointer, before, after, .. } in changes {
        output::print_message_line(pointer);
        if let Some(before) = before {
            output::print_message_line(&format!("- {before}"));
        }
        output::print_message_line(&format!("+ {after}"));
    }
}
