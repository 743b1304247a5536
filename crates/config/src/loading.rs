//! From a toolset's description to its operations: corrected by overlays, with the documents it refers to. What is wrong
//! with the description is in its report.

use std::{path::PathBuf, sync::Arc};

use callgate_openapi::{Document, LoadOptions, Loaded, Overlaid};
use callgate_transport::Transport;
use callgate_tree::Node;

use crate::{
    description::ParsedText, overlays, reader::Reader, references, toolset::ToolsetConfig,
};

/// A description on its way to operations.
#[derive(Debug)]
pub(crate) struct Loading {
    /// The file it is or stands in.
    pub(crate) file: Option<PathBuf>,
    /// The program's own transport.
    pub(crate) transport: Option<Arc<dyn Transport>>,
    parsed: ParsedText,
    /// The description before and after its overlays, where there are any.
    pub(crate) overlaid: Option<Overlaid>,
}

impl Loading {
    /// Reads the description, relative to the folder that its toolset is built in, and corrects it. `None` where it cannot
    /// be read.
    pub(crate) fn begin(
        reader: &mut Reader,
        config: &ToolsetConfig,
        base: &std::path::Path,
        transport: Option<Arc<dyn Transport>>,
    ) -> Option<Self> {
        let mut parsed = match config.description.read(base, &config.description_limits.text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let file = base.join(config.description.path());
                let message = format!("cannot read `{}`: {error}", file.display());
                let pointer = format!("{}/openapi", config.pointer);
                reader.complain("unreadable-file", pointer, message, "name a file that exists");
                return None;
            }
        };
        let described: Option<&mut Node> = parsed.as_mut().ok().map(|parsed| &mut parsed.value);
        let overlaid = described.and_then(|root| overlays::applied(reader, config, base, root));
        Some(Self { file: config.description.found(base), transport, parsed, overlaid })
    }

    /// The version and the operations; a text that is no description has a report without operations.
    pub(crate) async fn finish(
        self,
        config: &ToolsetConfig,
        options: &LoadOptions,
    ) -> (String, Loaded) {
        let read = self.parsed.and_then(|parsed| {
            let document = Document::within(parsed.value, config.description_limits)?;
            Ok((document, parsed.diagnostics))
        });
        match read {
            Ok((mut document, mut diagnostics)) => {
                let file = self.file.as_deref();
                let supplied = references::supply(&mut document, config, file, self.transport);
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
}
