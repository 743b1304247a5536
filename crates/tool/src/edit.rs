//! An operator's changes to one tool: its name and texts, and the arguments that a model neither sees nor gives. The owner of
//! each kind of tool applies them; here are the changes themselves and the faults that every kind reports alike.

use std::collections::BTreeMap;

use crate::{Effect, Object, Value, misspells, nearest, pointer_segment};

/// An operator's changes to one tool. Arguments have the names that the tool's declaration gives them.
///
/// ```
/// use callgate_tool::{ToolEdit, json};
///
/// let edit = ToolEdit {
///     name: Some("find_orders".to_owned()),
///     hide: vec!["trace".to_owned()],
///     fix: [("tenant".to_owned(), json!("acme"))].into(),
///     ..ToolEdit::default()
/// };
/// assert_eq!(edit.keys(), ["name", "hide", "fix"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolEdit {
    /// The name, in place of the part after the toolset's prefix.
    pub name: Option<String>,
    /// The purpose, in place of the description's texts.
    pub description: Option<String>,
    /// The effect that models, searches and approvals go by. It never makes a call safe to repeat.
    pub effect: Option<Effect>,
    /// Arguments that the model neither sees nor gives.
    pub hide: Vec<String>,
    /// Hidden arguments with the values that are always sent.
    pub fix: BTreeMap<String, Value>,
    /// The values of arguments that the model leaves out.
    pub defaults: BTreeMap<String, Value>,
    /// The texts about arguments.
    pub describe: BTreeMap<String, String>,
    /// Arguments of calls that a model can follow.
    pub examples: Vec<Object>,
}

/// A change that cannot be made.
///
/// ```
/// use callgate_tool::{EditFault, EditFaultKind};
///
/// let fault = EditFault::unknown_argument("/hide/0", "limt", ["limit", "status"]);
/// assert_eq!((fault.kind, fault.help.as_str()), (EditFaultKind::Misspelt, "did you mean `limit`?"));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct EditFault {
    /// The JSON pointer of the change, relative to the changes of the tool; empty for all of them.
    pub pointer: String,
    /// The kind of the fault.
    pub kind: EditFaultKind,
    /// The expected and the given value.
    pub message: String,
    /// The remedy.
    pub help: String,
}

/// The kind of a change that cannot be made.
///
/// ```
/// use callgate_tool::EditFaultKind;
///
/// /// True if a start of the program goes on.
/// fn is_warning(kind: EditFaultKind) -> bool {
///     kind == EditFaultKind::Gone
/// }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum EditFaultKind {
    /// The tool or the argument does not exist, and no other name differs in one or two letters alone.
    Gone,
    /// The tool or the argument does not exist; another name differs in one or two letters.
    Misspelt,
    /// The new name is not a name of a tool.
    Name,
    /// The new name is that of another tool.
    Taken,
    /// The change is not possible, or its value does not fit.
    Unfit,
    /// The change has no effect.
    Unused,
}

impl EditFaultKind {
    /// The kind of a name that does not exist, beside the nearest one that does.
    #[doc(hidden)]
    pub fn misspelt_or_gone(name: &str, near: Option<&str>) -> Self {
        if near.is_some_and(|near| misspells(name, near)) { Self::Misspelt } else { Self::Gone }
    }
}

impl ToolEdit {
    /// The keys of the changes, in the order of a configuration.
    pub fn keys(&self) -> Vec<&'static str> {
        let said = [
            ("name", self.name.is_some()),
            ("description", self.description.is_some()),
            ("effect", self.effect.is_some()),
            ("hide", !self.hide.is_empty()),
            ("fix", !self.fix.is_empty()),
            ("defaults", !self.defaults.is_empty()),
            ("describe", !self.describe.is_empty()),
            ("examples", !self.examples.is_empty()),
        ];
        said.into_iter().filter(|(_, is_said)| *is_said).map(|(key, _)| key).collect()
    }

    /// True if the model neither sees nor gives an argument.
    pub fn hides(&self, argument: &str) -> bool {
        self.fix.contains_key(argument) || self.hide.iter().any(|hidden| hidden == argument)
    }

    /// The operator's own value of an argument, fixed or default.
    pub fn value(&self, argument: &str) -> Option<&Value> {
        self.fix.get(argument).or_else(|| self.defaults.get(argument))
    }

    /// The names of all arguments that the changes concern, each with the pointer of its change.
    #[doc(hidden)]
    pub fn changed_arguments(&self) -> impl Iterator<Item = (String, &str)> {
        let hidden = self.hide.iter().enumerate();
        let hidden = hidden.map(|(at, name)| (format!("/hide/{at}"), name.as_str()));
        let named = |key: &'static str, name: &str| format!("/{key}/{}", pointer_segment(name));
        let fixed = self.fix.keys().map(move |name| (named("fix", name), name.as_str()));
        let defaults =
            self.defaults.keys().map(move |name| (named("defaults", name), name.as_str()));
        let texts = self.describe.keys().map(move |name| (named("describe", name), name.as_str()));
        hidden.chain(fixed).chain(defaults).chain(texts)
    }

    /// The pointer of the change that gives or hides an argument.
    #[doc(hidden)]
    pub fn hide_or_value_pointer(&self, argument: &str) -> String {
        let is_text = |pointer: &str| pointer.starts_with("/describe/");
        let mut pointers: Vec<_> = self
            .changed_arguments()
            .filter(|(pointer, name)| *name == argument && !is_text(pointer))
            .map(|(pointer, _)| pointer)
            .collect();
        pointers.pop().unwrap_or_default()
    }

    /// The changes that contradict each other or have no effect beside others.
    #[doc(hidden)]
    pub fn contradictions(&self) -> Vec<EditFault> {
        let mut faults = Vec::new();
        for name in self.defaults.keys().filter(|name| self.fix.contains_key(*name)) {
            let pointer = format!("/defaults/{}", pointer_segment(name));
            let message = format!("expected `{name}` under `fix` or `defaults`, got both");
            faults.push(EditFault::impossible_change(
                pointer,
                message,
                "`fix` hides it, `defaults` does not",
            ));
        }
        for name in self.describe.keys().filter(|name| self.hides(name)) {
            faults.push(EditFault {
                pointer: format!("/describe/{}", pointer_segment(name)),
                kind: EditFaultKind::Unused,
                message: format!("expected an argument that the model sees, got: `{name}`"),
                help: "remove it: the argument is hidden".to_owned(),
            });
        }
        faults
    }
}

impl EditFault {
    /// The fault of an argument that the tool does not have.
    pub fn unknown_argument<'a>(
        pointer: impl Into<String>,
        name: &str,
        argument_names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let argument_names: Vec<&str> = argument_names.into_iter().collect();
        let near = nearest(name, argument_names.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if argument_names.is_empty() => "remove it: the tool has no arguments".to_owned(),
            None => {
                format!("correct it or remove it; its arguments are {}", name_list(&argument_names))
            }
        };
        Self {
            pointer: pointer.into(),
            kind: EditFaultKind::misspelt_or_gone(name, near),
            message: format!("expected an argument of the tool, got: `{name}`"),
            help,
        }
    }

    /// The fault of a change that is not possible.
    pub fn impossible_change(
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (pointer, message, help) = (pointer.into(), message.into(), help.into());
        Self { pointer, kind: EditFaultKind::Unfit, message, help }
    }

    /// The fault with another kind.
    #[doc(hidden)]
    #[must_use]
    pub fn with_kind(self, kind: EditFaultKind) -> Self {
        Self { kind, ..self }
    }

    /// The fault of a hidden argument that the service requires and nothing supplies.
    #[doc(hidden)]
    pub fn missing_hidden_value(pointer: impl Into<String>, name: &str) -> Self {
        let message = format!(
            "expected an argument that a call can do without, got a required one that has no default that is sent: `{name}`"
        );
        let help = format!("give it a value: `fix: {{{name}: …}}`");
        Self::impossible_change(pointer, message, help)
    }
}

fn name_list(names: &[&str]) -> String {
    let first: Vec<_> = names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        n_more => format!(" and {n_more} more"),
    };
    first.join(", ") + &more
}

const MOST_LISTED: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn every_argument_of_an_edit_has_the_pointer_of_its_change() {
        let edit = ToolEdit {
            hide: vec!["a".to_owned(), "b".to_owned()],
            fix: [("c/d".to_owned(), json!(1))].into(),
            defaults: [("e".to_owned(), json!(2))].into(),
            describe: [("f~".to_owned(), "F".to_owned())].into(),
            ..ToolEdit::default()
        };
        let found: Vec<_> =
            edit.changed_arguments().map(|(pointer, name)| format!("{pointer} {name}")).collect();
        assert_eq!(
            found,
            ["/hide/0 a", "/hide/1 b", "/fix/c~1d c/d", "/defaults/e e", "/describe/f~0 f~"]
        );
        assert_eq!(
            (edit.hide_or_value_pointer("b"), edit.hide_or_value_pointer("e")),
            ("/hide/1".into(), "/defaults/e".into())
        );
        assert!(edit.hides("c/d") && edit.hides("a") && !edit.hides("e"));
    }

    #[test]
    fn an_argument_is_not_fixed_and_a_default_at_once_and_a_hidden_one_has_no_text() {
        let edit = ToolEdit {
            fix: [("a".to_owned(), json!(1))].into(),
            defaults: [("a".to_owned(), json!(2))].into(),
            describe: [("a".to_owned(), "A".to_owned())].into(),
            ..ToolEdit::default()
        };
        let found = edit.contradictions();
        let found: Vec<_> = found.iter().map(|fault| (&*fault.pointer, fault.kind)).collect();
        assert_eq!(
            found,
            [("/defaults/a", EditFaultKind::Unfit), ("/describe/a", EditFaultKind::Unused)]
        );
    }
}
