//! The names in a configuration that whoever deploys it must provide: variables, secrets in files, and files beside it.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Object, Value};

#[derive(Debug, Default)]
pub(super) struct Names {
    /// Those of `env:NAME`.
    pub(super) variables: BTreeSet<String>,
    /// Those of `directory:NAME`.
    pub(super) secrets: BTreeSet<String>,
    /// All other texts, some of which name files.
    pub(super) texts: BTreeSet<String>,
}

impl Names {
    pub(super) fn of_configuration(config: &Object) -> Self {
        let mut names = Self::default();
        config.values().for_each(|value| names.add_value(value));
        names
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add_value(item)),
            Value::Object(members) => members.values().for_each(|member| self.add_value(member)),
            Value::String(text) => self.add_reference_or_text(text),
            Value::Bool(_) | Value::Null | Value::Number(_) => {}
        }
    }

    fn add_reference_or_text(&mut self, text: &str) {
        match text.split_once(':') {
            Some(("env", name)) => self.variables.insert(name.to_owned()),
            Some(("directory", name)) => self.secrets.insert(name.to_owned()),
            _ => self.texts.insert(text.to_owned()),
        };
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
