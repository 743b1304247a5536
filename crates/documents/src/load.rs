//! Loads a folder: opens it, indexes it, declares its tools. A folder that cannot be used gives findings and no tools.

use std::{collections::BTreeMap, sync::Arc};

use callgate_executor::Backend;
use callgate_tree::SettingFinding;
use tokio::task::spawn_blocking;

use crate::{
    collection::{Collection, ReadOptions},
    declaration,
    documents::Documents,
    finding::{self, FOLDER, PATTERN, POINTER},
    folder::{Folder, Patterns},
    metadata::Kind,
    settings::DocumentsSettings,
    tools::{Action, DocumentsTool, Shared},
    uri::UriTemplate,
};

/// The tools of a folder.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The tools; empty if the folder cannot be used.
    pub tools: Vec<Arc<dyn Backend>>,
    /// Findings about the settings and the files.
    pub findings: Vec<SettingFinding>,
    /// The documents, for whoever watches them; `None` if the folder cannot be used.
    pub documents: Option<Documents>,
}

/// Loads a folder. It waits until all files are indexed; later the tools follow the folder by themselves. The index of `earlier`, an
/// earlier load, is used again if it is of the same files.
///
/// ```no_run
/// use callgate_documents::{DocumentsSettings, load};
/// use callgate_executor::Executor;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let loaded = load(DocumentsSettings::new("handbook", "handbook"), None).await;
/// for finding in &loaded.findings {
///     eprintln!("{}: {}", finding.message, finding.help);
/// }
/// let add = callgate_executor::Builder::shared_backend;
/// let executor = loaded.tools.into_iter().fold(Executor::builder(), add).build()?;
/// # Ok(())
/// # }
/// ```
pub async fn load(settings: DocumentsSettings, earlier: Option<&Documents>) -> Loaded {
    let existing_collection =
        earlier.and_then(|earlier| earlier.collection_if_same_files(&settings));
    let loading = spawn_blocking(move || {
        load_blocking(settings, existing_collection).unwrap_or_else(refused_load)
    });
    loading.await.unwrap_or_else(|_| {
        let message = "expected a folder that can be indexed, got a failure of callgate";
        refused_load(SettingFinding::error(FOLDER, POINTER, message, "report it with the folder"))
    })
}

fn refused_load(finding: SettingFinding) -> Loaded {
    Loaded { findings: vec![finding], ..Loaded::default() }
}

fn load_blocking(
    settings: DocumentsSettings,
    existing_collection: Option<Arc<Collection>>,
) -> Result<Loaded, SettingFinding> {
    let collection = match existing_collection {
        Some(existing_collection) => existing_collection,
        None => open_collection(&settings)?,
    };
    collection.refresh();
    let fields = filterable_fields(&settings, collection.index().fields());
    let illegal = |error: callgate_tool::InvalidName| {
        let message = format!("expected a name that tools can have: {error}");
        SettingFinding::error(PATTERN, "", message, "name the toolset otherwise")
    };
    let search = declaration::search_tool(&settings, &fields).map_err(illegal)?;
    let read = declaration::read_tool(&settings).map_err(illegal)?;
    let mut findings = collection.findings();
    if findings.iter().any(SettingFinding::is_error) {
        return Ok(Loaded { findings, ..Loaded::default() });
    }
    if collection.index().file_document_piece_counts() == [0, 0, 0] {
        findings.push(finding::no_files());
    }
    let shared = Arc::new(Shared {
        toolset: settings.toolset.clone(),
        collection: Arc::clone(&collection),
        bound: settings.bound.clone(),
        search: search.name.as_str().to_owned(),
    });
    let tool = |tool, action| -> Arc<dyn Backend> {
        Arc::new(DocumentsTool { tool, action, shared: Arc::clone(&shared) })
    };
    let tools = vec![tool(search, Action::Search), tool(read, Action::Read)];
    Ok(Loaded { tools, findings, documents: Some(Documents::new(settings, collection)) })
}

fn open_collection(settings: &DocumentsSettings) -> Result<Arc<Collection>, SettingFinding> {
    let patterns = Patterns::new(&settings.include, &settings.exclude)?;
    let uri = settings.uri.as_deref().map(UriTemplate::new).transpose()?;
    let folder = Folder::open(&settings.folder, patterns, settings.limits).map_err(|error| {
        let message = format!("expected a folder, got: {}", error.kind());
        SettingFinding::error(FOLDER, POINTER, message, "name a folder that callgate can read")
    })?;
    let reading = ReadOptions {
        metadata: settings.metadata,
        extractor: settings.extractor.clone(),
        limits: settings.limits,
    };
    Ok(Arc::new(Collection::new(folder, reading, uri)))
}

/// The fields that a model's conditions may have. Where the session decides which documents there are, names of fields could tell of
/// others: then only those that the operator names.
fn filterable_fields(
    settings: &DocumentsSettings,
    indexed_fields: BTreeMap<String, Vec<Kind>>,
) -> BTreeMap<String, Vec<Kind>> {
    let is_restricted = settings.bound.iter().any(|condition| !condition.value.is_fixed());
    match &settings.filter {
        None if is_restricted => BTreeMap::new(),
        None => indexed_fields.into_iter().take(MOST_FIELDS).collect(),
        Some(named) => {
            let all = || vec![Kind::Boolean, Kind::Number, Kind::Text];
            let field = |name: &String| {
                (name.clone(), indexed_fields.get(name).cloned().unwrap_or_else(all))
            };
            named.iter().map(field).collect()
        }
    }
}

/// The most fields that are declared without being named: each costs a model tokens.
const MOST_FIELDS: usize = 16;
