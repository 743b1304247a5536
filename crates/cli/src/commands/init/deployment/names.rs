//! The names in a configuration that whoever deploys it must provide: variables, secrets in files, and files beside it.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Object, Value, pointer_segment};

#[derive(Debug, Default)]
pub(super) struct Names {
    /// Those of `env:NAME`.
    pub(super) variables: BTreeSet<String>,
    /// Those of `directory:NAME`.
    pub(super) secrets: BTreeSet<String>,
    /// All other texts, some of which name files.
    pub(super) texts: BTreeSet<String>,
    /// The pointers of those that are written down (`literal:…`).
    pub(super) literals: Vec<String>,
}

impl Names {
    pub(super) fn of_configuration(config: &Object) -> Self {
        let mut names = Self::default();
        names.add_members(config, "");
        names
    }

    /// The names that neither a shell, a unit nor a file of variables reads as they stand.
    pub(super) fn first_unusual_name(&self) -> Option<&String> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let is_usual = |name: &&String| {
            name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                && name.bytes().all(is_part)
        };
        self.variables.iter().chain(&self.secrets).find(|name| !is_usual(name))
    }

    fn add_members(&mut self, members: &Object, pointer: &str) {
        for (name, member) in members {
            self.add_value(member, &format!("{pointer}/{}", pointer_segment(name)));
        }
    }

    fn add_value(&mut self, value: &Value, pointer: &str) {
        match value {
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.add_value(item, &format!("{pointer}/{at}"));
                }
            }
            Value::Object(members) => self.add_members(members, pointer),
            Value::String(text) => self.add_reference_or_text(text, pointer),
            Value::Bool(_) | Value::Null | Value::Number(_) => {}
        }
    }

    fn add_reference_or_text(&mut self, text: &str, pointer: &str) {
        match text.split_once(':') {
            Some(("env", name)) => drop(self.variables.insert(name.to_owned())),
            Some(("directory", name)) => drop(self.secrets.insert(name.to_owned())),
            Some(("literal", _)) => self.literals.push(pointer.to_owned()),
            _ => drop(self.texts.insert(text.to_owned())),
        }
    }
}

/// Writes another name in place of each file that has one.
pub(super) fn rename_files(value: &mut Value, renamed: &BTreeMap<String, String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rename_files(item, renamed)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| rename_files(member, renamed));
        }
        Value::String(text) => {
            if let Some(name) = renamed.get(text) {
                text.clone_from(name);
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) => {}
    }
}
