//! The files of one exported tool. Dialogflow: `tools/NAME/NAME.json` with `schema.yaml` beside it and the agent's
//! `agent.json` two folders up. Customer Engagement Suite: `toolsets/NAME/NAME.json`, which names its schema relative
//! to the app's folder, whose `environment.json` has the values of `$env_var`. No file outside that folder is read, and no
//! link out of it is followed.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use callgate_config::{MAX_FILE_BYTES, read_file};
use callgate_tree::{Limits, Node};

use crate::import::{self, Imported, import_ces, import_cx, import_cx_agent, is_ces_export};

#[derive(Debug)]
pub(super) struct Export {
    /// The tool's own file.
    pub(super) file: PathBuf,
    pub(super) schema: Option<Schema>,
    pub(super) imported: Imported,
    /// The files of the tool, without that of its schema.
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) enum Schema {
    /// A file of its own.
    File { file: PathBuf, text: String },
    /// A text in the tool's file.
    Text(String),
}

impl Schema {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::File { text, .. } | Self::Text(text) => text,
        }
    }
}

/// Reads the tool in a directory, or in a file. The error is a message.
pub(super) fn read_export(path: &Path) -> Result<Export, String> {
    let file = if path.is_dir() { main_file(path)? } else { path.to_owned() };
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let root = export_root_above(folder);
    let tool = read_node(&contained_file(folder, &file)?)?;
    if is_ces_export(&tool) {
        return read_ces_export(file.clone(), folder, &root, &tool);
    }
    let mut imported = import_cx(&tool);
    let agent = root.join("agent.json");
    if root != folder && agent.is_file() {
        imported.merge_import(import_cx_agent(&read_node(&contained_file(&root, &agent)?)?));
    }
    let beside = ["schema.yaml", "schema.yml", "schema.json"].map(|name| folder.join(name));
    let schema = match beside.into_iter().find(|file| file.is_file()) {
        Some(file) => {
            Some(Schema::File { text: read_text(&contained_file(folder, &file)?)?, file })
        }
        None => imported.schema.take().map(Schema::Text),
    };
    Ok(Export { files: vec![file.clone(), agent], file, schema, imported })
}

/// A tool or toolset of Customer Engagement Suite.
fn read_ces_export(
    file: PathBuf,
    folder: &Path,
    root: &Path,
    tool: &Node,
) -> Result<Export, String> {
    let environment = root.join("environment.json");
    let mut imported = if environment.is_file() {
        let values = read_node(&contained_file(root, &environment)?)?;
        import_ces(&tool_with_environment(tool, folder, &values)?)
    } else {
        import_ces(tool)
    };
    let schema = match imported.schema.take() {
        Some(text) if import::is_schema_file_name(&text) => Some(read_schema_file(root, &text)?),
        text => text.map(Schema::Text),
    };
    Ok(Export { files: vec![file.clone(), environment], file, schema, imported })
}

/// The folder of the whole export, two folders above that of a tool; a folder that lies elsewhere is a whole by itself.
fn export_root_above(folder: &Path) -> PathBuf {
    let real = fs::canonicalize(folder).unwrap_or_default();
    let is_part = real.parent().is_some_and(|above| KINDS.iter().any(|kind| above.ends_with(kind)));
    if !is_part {
        return folder.to_owned();
    }
    match folder.ancestors().nth(2) {
        // A link, or a path of fewer names, has other folders above it.
        Some(root) if !root.as_os_str().is_empty() && is_two_folders_above(root, &real) => {
            root.to_owned()
        }
        _ => real.ancestors().nth(2).map_or_else(|| folder.to_owned(), Path::to_owned),
    }
}

/// Returns true if a folder is two above another.
fn is_two_folders_above(root: &Path, real: &Path) -> bool {
    fs::canonicalize(root).ok().as_deref() == real.ancestors().nth(2)
}

/// The file itself, if it is in the folder after all links are followed.
fn contained_file(folder: &Path, file: &Path) -> Result<PathBuf, String> {
    let real = fs::canonicalize(folder)
        .and_then(|folder| fs::canonicalize(file).map(|file| (folder, file)));
    let (folder, real) = real.map_err(|error| unreadable_file_text(file, &error.to_string()))?;
    if !real.starts_with(folder) {
        let message = "expected a file of the export, got a link that leads out of it";
        return Err(format!("{message}: `{}`", file.display()));
    }
    Ok(real)
}

/// The file with the name of its folder, or else the only JSON file there.
fn main_file(folder: &Path) -> Result<PathBuf, String> {
    let name =
        fs::canonicalize(folder).ok().and_then(|path| path.file_name().map(ToOwned::to_owned));
    for extension in ["json", "yaml", "yml"] {
        let named = name.as_ref().map(|name| folder.join(name));
        // A name may contain dots: the extension is added, not replaced.
        let named = named.map(|path| {
            let mut path = path.into_os_string();
            path.push(format!(".{extension}"));
            PathBuf::from(path)
        });
        if let Some(file) = named.filter(|file| file.is_file()) {
            return Ok(file);
        }
    }
    let entries =
        fs::read_dir(folder).map_err(|error| unreadable_file_text(folder, &error.to_string()))?;
    let mut files = entries.flatten().map(|entry| entry.path()).filter(|path| {
        path.extension().is_some_and(|extension| extension == "json")
            && !path.ends_with("schema.json")
    });
    match (files.next(), files.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(format!("expected one JSON file of a tool in `{}`", folder.display())),
    }
}

/// The tool with the values from its app's environment.
fn tool_with_environment(tool: &Node, folder: &Path, environment: &Node) -> Result<Node, String> {
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default().to_owned()
    };
    let (kind, folder) = (name(folder.parent()), name(Some(folder)));
    import::export_with_environment(tool, &kind, &folder, environment)
        .ok_or_else(|| "expected a tool that is not nested too deeply".to_owned())
}

/// The schema that an export names, in its app's folder or below it. Links are followed before this check.
fn read_schema_file(root: &Path, name: &str) -> Result<Schema, String> {
    let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_plain {
        return Err(format!("expected a schema in the folder of the app, got: `{name}`"));
    }
    let file = root.join(name);
    Ok(Schema::File { text: read_text(&contained_file(root, &file)?)?, file })
}

fn read_node(file: &Path) -> Result<Node, String> {
    let parsed = callgate_tree::read(read_text(file)?.as_bytes(), &Limits::default());
    let parsed = parsed.map_err(|faults| {
        let fault = faults.first().map(|fault| fault.message.clone()).unwrap_or_default();
        unreadable_file_text(file, &fault)
    })?;
    Ok(parsed.value)
}

fn read_text(file: &Path) -> Result<String, String> {
    let bytes = read_file(file, MAX_FILE_BYTES);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    text.map_err(|error| unreadable_file_text(file, &error.to_string()))
}

fn unreadable_file_text(file: &Path, why: &str) -> String {
    format!("cannot read `{}`: {why}", file.display())
}

/// The folders of an export that hold the folders of its tools.
const KINDS: [&str; 2] = ["tools", "toolsets"];
