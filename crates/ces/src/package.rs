//! The files of a whole export, from its folder or from a zip of it, under their names below the export's root. Only
//! files for tools are kept, within limits; no name and no link leads out of the export.

mod archive;
mod folder;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use callgate_tree::{Limits, Node};

#[derive(Debug)]
pub(crate) struct Package {
    /// The folder of the export, or its zip.
    path: PathBuf,
    /// The texts, by their names below the root: `tools/orders/orders.json`.
    files: BTreeMap<String, Vec<u8>>,
}

impl Package {
    /// Reads a folder, or a file that is a zip. The error is a message.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let files = if path.is_dir() {
            folder::read_export_files(path)?
        } else {
            archive::read_archive(path)?
        };
        Ok(Self { path: path.to_owned(), files })
    }

    /// The path of a file, as messages name it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The name of the export itself, without the extension of a zip.
    pub(crate) fn name_without_extension(&self) -> String {
        let stem = if self.path.is_dir() { self.path.file_name() } else { self.path.file_stem() };
        stem.unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(crate) fn has_file(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, String> {
        let bytes = self.files.get(name);
        let bytes = bytes.ok_or_else(|| format!("expected a file `{name}`, got none"))?;
        str::from_utf8(bytes).map_err(|_| format!("expected `{name}` in UTF-8, got other bytes"))
    }

    pub(crate) fn parse_file(&self, name: &str) -> Result<Node, String> {
        let parsed = callgate_tree::read(self.text(name)?.as_bytes(), &Limits::default());
        let parsed = parsed.map_err(|faults| {
            let fault = faults.first().map(|fault| fault.message.clone()).unwrap_or_default();
            format!("cannot read `{name}`: {fault}")
        })?;
        Ok(parsed.value)
    }

    /// The first of these files that exists.
    pub(crate) fn first_existing(&self, names: &[&str]) -> Option<String> {
        names.iter().find(|name| self.has_file(name)).map(|name| (*name).to_owned())
    }

    /// The folders in a folder, each with the file of its name, or else its only file.
    pub(crate) fn folders_with_main_file(&self, above: &str) -> Vec<(String, String)> {
        let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in self.file_names_below(above) {
            if let [_, folder, file] = &*name.split('/').collect::<Vec<_>>()
                && !file.starts_with("schema.")
            {
                folders.entry(folder).or_default().push(file);
            }
        }
        let main = |(folder, files): (&str, Vec<&str>)| {
            let named = ENDINGS.iter().map(|ending| format!("{folder}{ending}"));
            let named = named.into_iter().find(|name| files.contains(&name.as_str()));
            let only = files.first().filter(|_| files.len() == 1).map(|file| (*file).to_owned());
            Some((folder.to_owned(), format!("{above}/{folder}/{}", named.or(only)?)))
        };
        folders.into_iter().filter_map(main).collect()
    }

    /// The names of all files below a folder.
    pub(crate) fn file_names_below<'a>(&'a self, above: &'a str) -> impl Iterator<Item = &'a str> {
        let is_below =
            move |name: &&str| name.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
        self.files.keys().map(String::as_str).filter(is_below)
    }
}

/// True if tools are made from a file with this name below the root.
fn is_import_file(name: &str) -> bool {
    let is_text = ENDINGS.iter().any(|ending| name.ends_with(ending));
    is_text
        && match name.split_once('/') {
            Some((folder, _)) => FOLDERS.contains(&folder),
            None => ROOTS.contains(&name) || name == ENVIRONMENT,
        }
}

/// The common prefix of all names before the root: empty, or one folder. The root contains the agent's or app's own file.
fn folder_of_root_file(names: &[&str]) -> Option<String> {
    if names.iter().any(|name| ROOTS.contains(name)) {
        return Some(String::new());
    }
    let mut above = names.iter().filter_map(|name| {
        let (folder, file) = name.split_once('/')?;
        ROOTS.contains(&file).then(|| format!("{folder}/"))
    });
    let first = above.next()?;
    above.all(|other| other == first).then_some(first)
}

/// The first of these members that is set; `null` is not.
pub(crate) fn first_member<'a>(node: &'a Node, names: &[&str]) -> Option<&'a Node> {
    let mut members = names.iter().filter_map(|name| node.get(name));
    members.find(|node| !matches!(node, Node::Null))
}

/// The name that people see, if a part of the export has one.
pub(crate) fn display_name(node: &Node) -> Option<&str> {
    first_member(node, &["displayName", "display_name"]).and_then(Node::as_str)
}

/// The file with the values of `$env_var`, in an export's root.
pub(crate) const ENVIRONMENT: &str = "environment.json";

/// The root of an export contains one of these files.
const ROOTS: [&str; 4] = ["agent.json", "app.json", "app.yaml", "app.yml"];
/// The folders of an export that are read.
const FOLDERS: [&str; 6] = ["agents", "examples", "playbooks", "tools", "toolsets", "webhooks"];
const ENDINGS: [&str; 3] = [".json", ".yaml", ".yml"];

/// The number of files; no app made by people has more.
const MOST_FILES: usize = 20_000;
/// The total size of all files: that of the largest description, and as much again for the rest.
const MOST_BYTES: usize = 128 << 20;

/// The message for an export without its own file.
fn missing_root_file_text(path: &Path) -> String {
    format!("expected `agent.json` or `app.json` in `{}`, got neither", path.display())
}
