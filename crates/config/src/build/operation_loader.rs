//! From a toolset's description to its operations: corrected by overlays, with the documents it refers to. Faults of
//! the description are in its report.

use std::{path::Path, sync::Arc};

use callgate_kind::Missing;
use callgate_openapi::{Document, LoadOptions, Loaded, Overlaid};
use callgate_settings::{Reader, SettingCode};
use callgate_transport::Transport;
use callgate_tree::Node;

use super::{
    overlays, references, remote_description::FetchedDescription, server_variables,
    summary::UNREADABLE,
};
use crate::{
    code::ConfigCode,
    description::{ParsedText, Source},
    toolset::ToolsetConfig,
};

#[derive(Debug, Default)]
pub(super) struct Loading {
    /// The version that the description declares; empty for a text that is not a description.
    pub(super) version: String,
    /// The operations of the description; for a text that is not a description, an empty report.
    pub(super) loaded: Loaded,
    /// The description before and after its overlays, if there are any.
    pub(super) overlaid: Option<Overlaid>,
    /// The reason why its text is missing.
    pub(super) unreadable: Option<String>,
    pub(super) fetched: Option<FetchedDescription>,
}

/// The context in which a description is read.
#[derive(Debug)]
pub(super) struct LoadingContext<'a> {
    pub(super) base: &'a Path,
    /// The program's own transport, if there is one: it fetches the documents that the description refers to.
    pub(super) transport: Option<Arc<dyn Transport>>,
    /// The effect of a description that cannot be read.
    pub(super) missing: Missing,
    /// The response of its address.
    pub(super) fetched: Option<Result<FetchedDescription, String>>,
}

/// Reads the description, corrects it, and finds its operations. `None` if it cannot be read and that is a fault.
pub(super) async fn load_operations(
    reader: &mut Reader,
    config: &ToolsetConfig,
    mut around: LoadingContext<'_>,
    options: &LoadOptions,
) -> Option<Loading> {
    let base = around.base;
    let (mut parsed, fetched) = match read_description(reader, config, base, around.fetched.take())
    {
        Ok(read) => read,
        Err(message) if around.missing == Missing::Listed => {
            return Some(Loading { unreadable: Some(message), ..Loading::default() });
        }
        Err(message) => {
            let pointer = format!("{}/openapi", config.pointer);
            reader.report_fault(SettingCode::UnreadableFile, pointer, message, UNREADABLE);
            return None;
        }
    };
    let described: Option<&mut Node> = parsed.as_mut().ok().map(|parsed| &mut parsed.value);
    let overlaid =
        described.and_then(|root| overlays::apply_toolset_overlays(reader, config, base, root));
    let (version, loaded) = find_operations(reader, parsed, config, options, around).await;
    let (n_offered, n_steps) = (loaded.operations.len(), loaded.report.steps);
    let toolset = config.name.as_ref().map(ToString::to_string);
    tracing::debug!(toolset, version, n_offered, n_steps, "a description was read");
    Some(Loading { version, loaded, overlaid, unreadable: None, fetched })
}

async fn find_operations(
    reader: &mut Reader,
    parsed: ParsedText,
    config: &ToolsetConfig,
    options: &LoadOptions,
    LoadingContext { base, transport, .. }: LoadingContext<'_>,
) -> (String, Loaded) {
    let read = parsed.and_then(|parsed| {
        let document = Document::with_limits(parsed.value, config.description_limits)?;
        Ok((document, parsed.diagnostics))
    });
    match read {
        Ok((mut document, mut diagnostics)) => {
            if let Source::Address(url) = &config.description.source {
                document = document.with_name(url.as_str());
            }
            let file = config.description.resolved_path(base);
            let file = file.as_deref();
            let supplied =
                references::supply_documents(&mut document, config, file, reader, transport);
            diagnostics.append(&mut supplied.await);
            server_variables::report_unused_variables(reader, config, document.root());
            let mut loaded = callgate_openapi::load(&document, options);
            loaded.report.diagnostics.splice(0..0, diagnostics);
            (document.version().to_string(), loaded)
        }
        Err(diagnostics) => {
            let mut loaded = Loaded::default();
            loaded.report.diagnostics = diagnostics;
            (String::new(), loaded)
        }
    }
}

/// The tree of a description, and its fetched part; files are relative to `base`. The error is the reason why there is
/// no tree.
fn read_description(
    reader: &mut Reader,
    config: &ToolsetConfig,
    base: &Path,
    fetched: Option<Result<FetchedDescription, String>>,
) -> Result<(ParsedText, Option<FetchedDescription>), String> {
    let (description, limits) = (&config.description, &config.description_limits.text);
    let unreadable =
        |place: String, why: &dyn ToString| format!("cannot read `{place}`: {}", why.to_string());
    Ok(match &description.source {
        Source::Address(_) => {
            let place = || description.file.display().to_string();
            let fetched = fetched.unwrap_or_else(|| Err("nobody asked for it".to_owned()));
            let fetched = fetched.map_err(|why| unreadable(place(), &why))?;
            if let Some(why) = &fetched.stale {
                let message = format!("{}; the last one stays in use", unreadable(place(), why));
                let pointer = format!("{}/openapi", config.pointer);
                reader.warn(
                    ConfigCode::StaleDescription,
                    pointer,
                    &message,
                    "look why it does not answer",
                );
            }
            reader.texts.add(&fetched.text);
            (callgate_openapi::read(&fetched.text, limits), Some(fetched))
        }
        Source::File => {
            let file = base.join(&description.file);
            let text = reader.admitted_file_beginning(&file, limits.bytes);
            let text = text.map_err(|error| unreadable(file.display().to_string(), &error))?;
            reader.texts.add(&text);
            (callgate_openapi::read(&text, limits), None)
        }
        Source::None => return Err("there is no description".to_owned()),
        Source::Parsed(parsed) => (parsed.clone(), None),
        Source::Text(text) => {
            reader.texts.add(text);
            (callgate_openapi::read(text, limits), None)
        }
    })
}
