//! The parts of an export that were imported so far: toolsets under their own names, all functions of the client in one
//! toolset, and the mapping from tools of the export to toolsets.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use callgate_tool::{Object, Value, json};
use callgate_tree::Node;

use crate::{
    import::{self, Imported, Remark, RemarkKind},
    package::Package,
    whole::{ExportKind, ImportedExample, ImportedToolset, WholeExport, notes::Notes},
};

/// The imported parts of an export.
#[derive(Debug)]
pub(super) struct Collection {
    toolsets: Vec<ImportedToolset>,
    functions: Vec<Value>,
    /// The toolset of each tool's name.
    toolset_names: BTreeMap<String, String>,
    names: BTreeSet<String>,
    n_tools: usize,
    pub(super) examples: Vec<ImportedExample>,
    pub(super) variables: Object,
    pub(super) notes: Notes,
}

#[derive(Debug)]
pub(super) struct ImportedTool {
    pub(super) name: String,
    pub(super) imported: Imported,
    /// The text of its description, if it has one.
    pub(super) description: Option<String>,
}

impl Collection {
    pub(super) fn new() -> Self {
        Self {
            toolsets: Vec::new(),
            functions: Vec::new(),
            toolset_names: BTreeMap::new(),
            names: [CLIENT.to_owned()].into(),
            n_tools: 0,
            examples: Vec::new(),
            variables: Object::new(),
            notes: Notes::default(),
        }
    }

    /// The folders of tools in a folder of the export, each with the tool's own file.
    pub(super) fn limited_tool_folders(
        &mut self,
        package: &Package,
        above: &str,
    ) -> Vec<(String, String)> {
        let mut folders = package.folders_with_main_file(above);
        if folders.len() > MOST_TOOLS {
            let message = format!("only the first {MOST_TOOLS} tools are taken over");
            self.notes.note_omission(&package.path(above), message);
            folders.truncate(MOST_TOOLS);
        }
        folders
    }

    /// A file of the export; one that cannot be read is left out, with a note.
    pub(super) fn node_or_note(&mut self, package: &Package, file: &str) -> Option<Node> {
        let node = package.parse_file(file);
        node.map_err(|message| self.notes.note_omission(&package.path(file), message)).ok()
    }

    /// The number of the next tool.
    pub(super) fn next_number(&mut self) -> usize {
        self.n_tools = self.n_tools.saturating_add(1);
        self.n_tools
    }

    /// A unique name for a toolset: the tool's own, in characters that callgate accepts.
    pub(super) fn unique_toolset_name(&mut self, displayed: &str) -> String {
        let is_legal = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let letters =
            displayed.chars().map(|character| if is_legal(character) { character } else { '_' });
        let mut legal: String = letters.take(MOST_LETTERS).collect();
        if !legal.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            legal.insert(0, '_');
        }
        let others = (2_u32..).map(|number| format!("{legal}_{number}"));
        let mut names = std::iter::once(legal.clone()).chain(others);
        // Some disks regard names as equal that differ only in case.
        names.find(|name| self.names.insert(name.to_ascii_lowercase())).unwrap_or_default()
    }

    /// Imports a tool, or records the reason why not. `aliases` are its names in examples.
    pub(super) fn import_tool_or_note(
        &mut self,
        file: &Path,
        tool: ImportedTool,
        aliases: &[Option<&str>],
    ) {
        let ImportedTool { name, mut imported, description } = tool;
        if let Some(text) = &description {
            import::fill_server_from_environment(text, &mut imported);
        }
        import::remove_tls_naming_files(&mut imported);
        import::remark_untrusted_endpoint(&mut imported);
        let functions = imported.settings.remove("functions");
        let is_invalid = imported.remarks.iter().any(|remark| remark.kind == RemarkKind::Invalid);
        let has_own_tools = import::OWN_TOOLS.iter().any(|key| imported.settings.contains_key(key));
        let is_tool = (description.is_some() && !imported.lacks_credential)
            || functions.is_some()
            || has_own_tools;
        let is_left_out = is_invalid || !is_tool;
        self.notes.take_remarks(file, &imported, is_left_out);
        if is_left_out {
            self.names.remove(&name.to_ascii_lowercase());
            let says_why = |remark: &Remark| remark.kind != RemarkKind::Ignored;
            if !imported.remarks.iter().any(says_why) {
                self.notes.note_omission(file, NO_TOOL.to_owned());
            }
            return;
        }
        if let Some(connection) = imported.settings.get("connection").and_then(Value::as_str) {
            let message = format!(
                "the arguments of its tools are not known, since an import asks nothing: `{connection}`"
            );
            let help = "`callgate check` asks the connection with the account of this machine: remove the toolset if it is not yours";
            self.notes.advise(file, message, help);
        }
        let mut toolset_name = name.clone();
        if let Some(Value::Array(functions)) = functions {
            for function in functions {
                self.add_function(file, function);
            }
            CLIENT.clone_into(&mut toolset_name);
        } else {
            // As for a single export: the platforms send every default, and agents call tools by whole names.
            if !has_own_tools {
                imported.settings.insert("defaults", "all".into());
                imported.settings.insert("tool_names", "as_written".into());
            }
            let settings = imported.settings;
            self.toolsets.push(ImportedToolset { name, settings, description });
        }
        for alias in aliases.iter().flatten().filter(|alias| !alias.is_empty()) {
            self.toolset_names.entry((*alias).to_owned()).or_insert_with(|| toolset_name.clone());
        }
    }

    /// Adds a function of the client. Functions are called by their own names, which must be unique.
    fn add_function(&mut self, file: &Path, function: Value) {
        if self
            .functions
            .iter()
            .any(|other_function| other_function.get("name") == function.get("name"))
        {
            let message = "the name of the function is that of another one".to_owned();
            return self.notes.note_omission(file, message);
        }
        self.functions.push(function);
    }

    /// Limits a toolset to these operations.
    pub(super) fn limit_toolset_to_operations(
        &mut self,
        name: &str,
        ids: impl IntoIterator<Item = String>,
    ) {
        let Some(toolset) = self.toolsets.iter_mut().find(|toolset| toolset.name == name) else {
            return;
        };
        let ids = ids.into_iter().map(|id| Value::String(id.replace('[', "[[]")));
        toolset.settings.insert("tools", json!({"include": (ids.collect::<Vec<_>>())}));
    }

    /// The toolset of a tool's name; for a resource name the last part counts.
    pub(super) fn toolset_of_tool(&self, tool: &str) -> Option<&str> {
        let last = tool.rsplit('/').next().unwrap_or(tool);
        self.toolset_names.get(tool).or_else(|| self.toolset_names.get(last)).map(String::as_str)
    }

    pub(super) fn into_export(mut self, kind: ExportKind, name: String) -> WholeExport {
        if !self.functions.is_empty() {
            // The functions of a client are called by their own names.
            let mut settings = Object::new();
            settings.insert("prefix", Value::from(""));
            settings.insert("functions", Value::Array(self.functions));
            let name = CLIENT.to_owned();
            self.toolsets.push(ImportedToolset { name, settings, description: None });
        }
        self.toolsets.sort_by(|one, other| one.name.cmp(&other.name));
        let Self { toolsets, examples, variables, notes, .. } = self;
        WholeExport { kind, name, toolsets, examples, variables, findings: notes.findings() }
    }
}

/// The reason why a tool is left out that no remark explains.
const NO_TOOL: &str = "expected an OpenAPI tool with its schema, got none";
/// The toolset of all functions that the client runs.
const CLIENT: &str = "client";
/// The length limit of a toolset's name: names of tools begin with it, and the rest needs room.
const MOST_LETTERS: usize = 40;
/// The number of tools. Each becomes a folder with declarations in every dialect; no agent has more.
const MOST_TOOLS: usize = 1_000;
