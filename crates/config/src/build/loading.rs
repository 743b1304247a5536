//! From a toolset's description to its operations: corrected by overlays, with the documents it refers to. What is wrong
//! with the description is in its report.

use std::{io, path::Path, sync::Arc};

use callgate_openapi::{Document, LoadOptions, Loaded, Overlaid};
use callgate_transport::Transport;
use callgate_tree::{Limits, Node};

use super::{overlays, references};
use crate::{
    description::{Description, ParsedText, Source},
    file::beginning,
    reader::Reader,
    toolset::ToolsetConfig,
};

/// A loaded description.
#[derive(Debug)]
pub(super) struct Loading {
    /// The version it says it is written in; empty for a text that is no description.
    pub(super) version: String,
    /// Its operations; of a text that is no description a report without any.
    pub(super) loaded: Loaded,
    /// The description before and after its overlays, where there are any.
    pub(super) overlaid: Option<Overlaid>,
}

/// Reads the description, relative to the folder that its toolset is built in, corrects it, and finds its operations.
/// `None` where it cannot be read. Documents it refers to are asked for over the program's own transport where it has one.
pub(super) async fn load(
    reader: &mut Reader,
    config: &ToolsetConfig,
    (base, transport): (&Path, Option<Arc<dyn Transport>>),
    options: &LoadOptions,
) -> Option<Loading> {
    let mut parsed = match read(&config.description, base, &config.description_limits.text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let file = base.join(&config.description.file);
            let message = format!("cannot read `{}`: {error}", file.display());
            let pointer = format!("{}/openapi", config.pointer);
            reader.complain("unreadable-file", pointer, message, "name a file that exists");
            return None;
        }
    };
    let described: Option<&mut Node> = parsed.as_mut().ok().map(|parsed| &mut parsed.value);
    let overlaid = described.and_then(|root| overlays::applied(reader, config, base, root));
    let (version, loaded) = loaded(parsed, config, (base, transport), options).await;
    Some(Loading { version, loaded, overlaid })
}

async fn loaded(
    parsed: ParsedText,
    config: &ToolsetConfig,
    (base, transport): (&Path, Option<Arc<dyn Transport>>),
    options: &LoadOptions,
) -> (String, Loaded) {
    let read = parsed.and_then(|parsed| {
        let document = Document::within(parsed.value, config.description_limits)?;
        Ok((document, parsed.diagnostics))
    });
    match read {
        Ok((mut document, mut diagnostics)) => {
            let file = config.description.found(base);
            let supplied = references::supply(&mut document, config, file.as_deref(), transport);
            diagnostics.append(&mut supplied.await);
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

/// The tree of a description; files are found from `base`.
fn read(description: &Description, base: &Path, limits: &Limits) -> io::Result<ParsedText> {
    Ok(match &description.source {
        Source::File => {
            let text = beginning(&base.join(&description.file), limits.bytes)?;
            callgate_tree::read(&text, limits)
        }
        Source::Parsed(parsed) => parsed.clone(),
        Source::Text(text) => callgate_tree::read(text, limits),
    })
}
