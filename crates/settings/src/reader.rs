//! Reads values out of the configuration's tree and records their faults. Knows types, units and the nearest key; not
//! the meaning of a key.

mod files;
mod findings;
mod looked_up;
mod quantity;
mod wrong_value;

use std::{collections::BTreeSet, path::PathBuf};

use callgate_secret::SecretReference;
use callgate_tool::{Remedy, nearest, pointer_segment};
use callgate_tree::{Node, Object, SettingFinding};

pub use looked_up::LookedUp;
use looked_up::Variables;

use crate::{
    code::SettingCode,
    digest::Texts,
    effects::LoadEffects,
    finding::{Finding, Severity},
    keys::Table,
};

/// Collects faults while values are read.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// The recorded findings.
    pub complaints: Vec<SettingFinding>,
    /// The schemes of the named secrets, with their places.
    pub references: Vec<(String, String)>,
    /// The named secrets.
    pub secrets: Vec<SecretReference>,
    variables: Variables,
    /// The effects that the load may have.
    pub effects: LoadEffects,
    /// The folder that holds every file that may be read, links followed; `None` for any folder.
    pub root: Option<PathBuf>,
    /// The variables that settings consist of.
    pub looked_up: LookedUp,
    /// The names of options that a program takes beside a file: a pointer may begin with one.
    pub option_names: &'static [&'static str],
    /// The options beside a file, by the pointers of the values they set: faults there are the options'.
    pub options: Vec<(&'static str, &'static str)>,
    /// The pointers of texts whose values of the session are filled in, or were refused.
    pub session_texts: BTreeSet<String>,
    /// The names of the configuration's toolsets.
    pub toolsets: Vec<String>,
    /// The beginning of the pointers of settings whose variables decide what is built; others may be a sidecar's own, such as its
    /// address.
    pub built: Option<&'static str>,
    /// The findings in other files that the configuration names.
    pub elsewhere: Vec<Finding>,
    /// The files that were read, or should have been.
    pub files: BTreeSet<PathBuf>,
    /// The texts that decide what is built: the configuration, descriptions and what they refer to, overlays.
    pub texts: Texts,
}

/// A mapping that is being read, and its place.
#[derive(Clone, Copy, Debug)]
pub struct Mapping<'a> {
    /// The mapping.
    pub object: &'a Object,
    /// Its JSON pointer.
    pub pointer: &'a str,
}

impl Reader {
    /// A reader with another source of environment variables.
    pub fn with_variable_source(variables: fn(&str) -> Option<String>) -> Self {
        Self { variables: Variables(variables), ..Self::default() }
    }

    /// Records a fault: a code of the crate that makes it, the place, the problem and the remedy.
    pub fn report_fault(
        &mut self,
        code: impl Into<&'static str>,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.complaints.push(SettingFinding::error(code.into(), pointer, message, help));
    }

    /// Records a fault with a remedy as data.
    pub fn report_fault_with_remedy(
        &mut self,
        code: impl Into<&'static str>,
        pointer: &str,
        message: impl Into<String>,
        remedy: Remedy,
    ) {
        self.report_fault(code, pointer, message, remedy.to_string());
        if let Some(complaint) = self.complaints.last_mut() {
            complaint.remedy = Some(Box::new(remedy));
        }
    }

    /// Records a note that does not stop the build.
    pub fn warn(
        &mut self,
        code: impl Into<&'static str>,
        pointer: String,
        message: &str,
        help: &str,
    ) {
        self.complaints.push(SettingFinding::warning(code.into(), pointer, message, help));
    }

    /// True if a recorded finding stops the build.
    pub fn has_faults(&self) -> bool {
        let own = self.complaints.iter().map(|complaint| complaint.severity);
        let elsewhere = self.elsewhere.iter().map(|finding| finding.severity);
        own.chain(elsewhere).any(|severity| severity == Severity::Error)
    }

    /// Accepts a mapping whose keys are all in `table`; others are faults.
    pub fn checked_mapping<'a>(
        &mut self,
        node: &'a Node,
        pointer: &'a str,
        table: &Table<'_>,
    ) -> Option<Mapping<'a>> {
        let Some(object) = node.as_object() else {
            self.report_no_mapping(pointer, node, table);
            return None;
        };
        for (key, _) in object.iter() {
            self.check_key(key, pointer, table);
        }
        Some(Mapping { object, pointer })
    }

    /// Records that a value is not a mapping. A key of the mapping is shown; any other text may be a secret.
    fn report_no_mapping(&mut self, pointer: &str, got: &Node, table: &Table<'_>) {
        if let Some(key) = got.as_str().filter(|text| table.has(text)) {
            let message = format!("expected a mapping, got the text: `{key}`");
            let help = format!("write `{{{key}: …}}`, or `{{{key}: {{}}}}` where all is as usual");
            return self.report_fault(SettingCode::WrongValue, pointer, message, help);
        }
        let keys = table.names().collect::<Vec<_>>().join("`, `");
        self.report_wrong_type(pointer, "a mapping", got, &format!("its keys are `{keys}`"));
    }

    /// A text; `None` if the key is missing or has another value.
    pub fn string<'a>(&mut self, mapping: Mapping<'a>, key: &str) -> Option<&'a str> {
        let node = mapping.object.get(key)?;
        let text = node.as_str();
        if text.is_none() {
            self.report_missing_text(&member_pointer(mapping, key), "a text", node);
        }
        text
    }

    /// A text; a missing key is a fault.
    pub fn required_string<'a>(&mut self, mapping: Mapping<'a>, key: &str) -> Option<&'a str> {
        self.report_missing_key(mapping, key);
        self.string(mapping, key)
    }

    /// Reports a required key that is missing.
    pub fn report_missing_key(&mut self, mapping: Mapping<'_>, key: &str) {
        if !mapping.object.contains(key) && !self.is_reported_as_misspelt(mapping, key) {
            let message = format!("expected the key `{key}`, got none");
            let help = format!("add `{key}: …`");
            self.report_fault(SettingCode::MissingKey, mapping.pointer, message, help);
        }
    }

    /// A text, or the value of the environment variable that it consists of: `env:NAME`.
    pub fn string_or_variable(&mut self, mapping: Mapping<'_>, key: &str) -> Option<String> {
        let text = self.string(mapping, key)?;
        self.text_or_variable(text, || member_pointer(mapping, key))
    }

    /// A literal text or, as `env:NAME`, the value of a variable.
    pub fn text_or_variable(&mut self, text: &str, at: impl Fn() -> String) -> Option<String> {
        let Some(name) = text.strip_prefix("env:") else { return Some(text.to_owned()) };
        if self.effects.fetching_permission().is_none() {
            let message =
                format!("expected a value, got a variable, which is not read here: `{name}`");
            self.report_fault(
                SettingCode::MissingVariable,
                at(),
                message,
                "write the value itself",
            );
            return None;
        }
        let value = (self.variables.0)(name);
        if let Some(value) = &value {
            self.looked_up.add_value(name, value);
            let at = at();
            if self.built.is_some_and(|built| at.starts_with(built)) {
                self.texts.add(format!("{at}={value}").as_bytes());
            }
        }
        if value.is_none() {
            let message = format!("expected the environment variable `{name}`, got none");
            self.report_fault(
                SettingCode::MissingVariable,
                at(),
                message,
                "set it, or write the value itself",
            );
        }
        value
    }

    /// A list of texts; empty if the key is missing.
    pub fn strings<'a>(&mut self, mapping: Mapping<'a>, key: &str) -> Vec<&'a str> {
        let Some(node) = mapping.object.get(key) else { return Vec::new() };
        let pointer = member_pointer(mapping, key);
        let Some(items) = node.as_array() else {
            self.report_wrong_type(
                &pointer,
                "a list of texts",
                node,
                "put it into brackets: `[…]`",
            );
            return Vec::new();
        };
        let mut texts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text),
                None => {
                    self.report_missing_text(&format!("{pointer}/{at}"), "a text", item);
                }
            }
        }
        texts
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, mapping: Mapping<'_>, key: &str) -> Option<bool> {
        let node = mapping.object.get(key)?;
        let value = node.as_bool();
        if value.is_none() {
            self.report_wrong_type_with_value(
                &member_pointer(mapping, key),
                "true or false",
                node,
                FOR_DEFAULT,
            );
        }
        value
    }

    /// Reads one of the words, and returns its value.
    pub fn word<T: Copy>(
        &mut self,
        mapping: Mapping<'_>,
        key: &str,
        words: &[(&str, T)],
        help: &str,
    ) -> Option<T> {
        let node = mapping.object.get(key)?;
        let matching_word = words.iter().find(|(word, _)| node.as_str() == Some(word));
        if matching_word.is_none() {
            let words: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let expected = match &*words {
                [words @ .., last] if !words.is_empty() => {
                    format!("{} or {last}", words.join(", "))
                }
                words => words.concat(),
            };
            self.report_wrong_type_with_value(&member_pointer(mapping, key), &expected, node, help);
        }
        matching_word.map(|(_, value)| *value)
    }

    /// Corrects the help of a fault of a required key, which has no default.
    pub fn require(&mut self, mapping: Mapping<'_>, key: &str) {
        let last = self.complaints.last_mut();
        if let Some(fault) = last.filter(|fault| fault.help == FOR_DEFAULT)
            && fault.pointer == member_pointer(mapping, key)
        {
            "for example `100`; the key has no default".clone_into(&mut fault.help);
        }
    }

    /// True if an unknown key of a mapping was reported as a misspelling of this one.
    pub fn is_reported_as_misspelt(&self, mapping: Mapping<'_>, key: &str) -> bool {
        let is_told = |pointer: &str| {
            let mut told = self.complaints.iter();
            told.any(|complaint| {
                complaint.code == SettingCode::UnknownKey.as_str() && complaint.pointer == pointer
            })
        };
        let mut keys = mapping.object.iter().map(|(name, _)| &**name);
        keys.any(|name| nearest(name, [key]).is_some() && is_told(&member_pointer(mapping, name)))
    }

    /// Records a key of a feature that is not in this build.
    pub fn report_absent_feature(&mut self, feature: &str, key: &str, pointer: &str) {
        let message = format!("`{key}` needs a build of callgate with the feature `{feature}`");
        let help = format!("build it with the feature `{feature}`, or remove the key");
        self.report_fault(SettingCode::MissingFeature, pointer, message, help);
    }

    fn check_key(&mut self, key: &str, pointer: &str, table: &Table<'_>) {
        let place = format!("{pointer}/{}", pointer_segment(key));
        if let Some(feature) = table.absent_feature(key) {
            return self.report_absent_feature(&feature, key, &place);
        }
        if table.has(key) {
            return;
        }
        let message = format!("expected a key of {}, got: `{key}`", table.name);
        let all = || format!("its keys are `{}`", table.names().collect::<Vec<_>>().join("`, `"));
        let help = nearest_help(key, table.names(), all);
        self.report_fault(SettingCode::UnknownKey, place, message, help);
    }
}

const FOR_DEFAULT: &str = "leave it out for the default";

/// The help about a name that is none of these: the one that it most likely means, else other words.
pub fn nearest_help<'a>(
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(name, names).map_or_else(otherwise, |nearest| format!("did you mean `{nearest}`?"))
}

/// The pointer of a member.
pub fn member_pointer(mapping: Mapping<'_>, key: &str) -> String {
    format!("{}/{}", mapping.pointer, pointer_segment(key))
}
