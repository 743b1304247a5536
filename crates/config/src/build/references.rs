//! Supplies the documents that a description refers to: files in its own directory, and addresses whose origins the
//! toolset lists. Other documents are neither read nor fetched, and the operations that need them say so.

mod fetch;
mod file;

use std::{path::Path, sync::Arc};

use callgate_openapi::{Document, Unavailable, UnavailableReason};
use callgate_settings::Reader;
use callgate_transport::Transport;
use callgate_tree::{Diagnostic, Limits, Severity};
use url::Url;

use crate::toolset::ToolsetConfig;

/// Supplies or refuses every document that the description in `file` needs; a description that is not a file has no
/// files beside it. The findings are those of reading the documents; the files that were read are recorded by the reader.
pub(super) async fn supply_documents(
    document: &mut Document,
    config: &ToolsetConfig,
    file: Option<&Path>,
    reader: &mut Reader,
    transport: Option<Arc<dyn Transport>>,
) -> Vec<Diagnostic> {
    let directory = file.and_then(file::description_directory);
    if file.is_some() && directory.is_none() {
        return Vec::new();
    }
    if let Some(name) = file.and_then(Path::file_name).and_then(|name| name.to_str()) {
        *document = document.clone().with_name(name);
    }
    let mut supplier = Supplier {
        origins: &config.references,
        directory: directory.as_deref(),
        reader,
        transport,
        limits: config.description_limits.text,
        room: config.description_limits.text.bytes,
        n_files: 0,
        n_fetched: 0,
        diagnostics: Vec::new(),
    };
    loop {
        let needs = document.missing_documents();
        if needs.is_empty() {
            return supplier.diagnostics;
        }
        for name in needs {
            supplier.supply_document(document, &name).await;
        }
    }
}

/// Reads documents within the remaining limits.
struct Supplier<'a> {
    origins: &'a [Url],
    directory: Option<&'a Path>,
    reader: &'a mut Reader,
    transport: Option<Arc<dyn Transport>>,
    limits: Limits,
    /// The bytes that may still be read: all documents together may have as many as the description alone.
    room: usize,
    n_files: usize,
    n_fetched: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Supplier<'_> {
    async fn supply_document(&mut self, document: &mut Document, name: &Arc<str>) {
        let text = match self.document_text(name).await {
            Ok(text) => text,
            Err(why) => return document.refuse(name, why),
        };
        self.room = self.room.saturating_sub(text.len());
        self.reader.texts.add(&text);
        match callgate_tree::read(&text, &self.limits) {
            Ok(parsed) => {
                self.add_diagnostics(name, parsed.diagnostics);
                document.supply(name, parsed.value);
            }
            Err(diagnostics) => {
                self.add_diagnostics(name, diagnostics);
                document.refuse(name, unreadable_document("a reference to a readable document"));
            }
        }
    }

    async fn document_text(&mut self, name: &str) -> Result<Vec<u8>, Unavailable> {
        if !name.starts_with("https:") {
            self.n_files += 1;
            if self.n_files > MOST_FILES {
                return Err(unreadable_document(&format!("at most {MOST_FILES} files")));
            }
            let Some(directory) = self.directory else {
                return Err(forbidden_document(
                    "an address: a description that is no file has none beside it",
                ));
            };
            self.reader.files.insert(directory.join(name));
            return file::read_document(directory, name, self.room);
        }
        let is_listed =
            |url: &Url| self.origins.iter().any(|listed| listed.origin() == url.origin());
        let Some(url) = Url::parse(name).ok().filter(is_listed) else {
            let expected =
                "a file beside the description or an address of an origin under `references`";
            return Err(forbidden_document(expected));
        };
        self.n_fetched += 1;
        if self.n_fetched > MOST_FETCHED {
            return Err(unreadable_document(&format!(
                "at most {MOST_FETCHED} documents from elsewhere"
            )));
        }
        fetch::fetch_document(self.transport.as_ref(), &url, self.room).await
    }

    /// Keeps the findings about a document; an unreadable document affects only the references to it.
    fn add_diagnostics(&mut self, name: &Arc<str>, diagnostics: Vec<Diagnostic>) {
        self.diagnostics.extend(diagnostics.into_iter().map(|diagnostic| Diagnostic {
            file: Some(Arc::clone(name)),
            severity: diagnostic.severity.min(Severity::Warning),
            ..diagnostic
        }));
    }
}

fn forbidden_document(expected: &str) -> Unavailable {
    Unavailable { reason: UnavailableReason::Forbidden, expected: expected.to_owned() }
}

fn unreadable_document(expected: &str) -> Unavailable {
    Unavailable { reason: UnavailableReason::Unreadable, expected: expected.to_owned() }
}

/// The number of files. The largest description in the wild has 2,900.
const MOST_FILES: usize = 10_000;

/// The number of fetched documents. Each costs a request; a description in more pieces should be downloaded.
const MOST_FETCHED: usize = 100;
