//! Messages in the protobuf JSON mapping: members in `lowerCamelCase` or `snake_case`, `null` and the empty text for
//! unset members, enums as names or numbers. An empty message counts as set.

use callgate_tool::pointer_segment;
use callgate_tree::{Node, Object};

use crate::import::{Imported, RemarkKind, text::ExportText};

#[derive(Clone, Debug)]
pub(super) struct Message<'a> {
    object: &'a Object,
    pointer: String,
}

impl<'a> Message<'a> {
    /// The message at the root of a file.
    pub(super) fn root(node: &'a Node, imported: &mut Imported) -> Option<Self> {
        Self::object_or_remark(node, String::new(), imported)
    }

    fn object_or_remark(node: &'a Node, pointer: String, imported: &mut Imported) -> Option<Self> {
        let object = node.as_object();
        if object.is_none() {
            let message = format!("expected an object, got: {}", node.kind());
            imported.add_remark(RemarkKind::Invalid, &pointer, message);
        }
        object.map(|object| Self { object, pointer })
    }

    pub(super) fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The pointer of a member of the message, even if it is missing.
    pub(super) fn member_pointer(&self, name: &str) -> String {
        let written =
            self.member(name).map_or_else(|| name.to_owned(), |(entry, _)| entry.to_owned());
        format!("{}/{}", self.pointer, pointer_segment(&written))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    pub(super) fn node(&self, name: &str) -> Option<&'a Node> {
        self.member(name).map(|(_, node)| node)
    }

    pub(super) fn message(&self, name: &str, imported: &mut Imported) -> Option<Self> {
        Self::object_or_remark(self.node(name)?, self.member_pointer(name), imported)
    }

    pub(super) fn messages(&self, name: &str, imported: &mut Imported) -> Vec<Self> {
        let items = self.member_items(name, imported).iter().enumerate();
        let pointer = self.member_pointer(name);
        items
            .filter_map(|(at, item)| {
                Self::object_or_remark(item, format!("{pointer}/{at}"), imported)
            })
            .collect()
    }

    /// The member as a text; `None` if it is empty.
    pub(super) fn text(&self, name: &str, imported: &mut Imported) -> Option<ExportText<'a>> {
        let node = self.node(name)?;
        let text = node.as_str();
        if text.is_none() {
            let message = format!("expected a text, got: {}", node.kind());
            imported.add_remark(RemarkKind::Invalid, self.member_pointer(name), message);
        }
        if text == Some(ENVIRONMENT) {
            let message = "expected a value of `environment.json` in place of `$env_var`, got none";
            imported.add_remark(RemarkKind::Invalid, self.member_pointer(name), message);
        }
        text.filter(|text| !text.is_empty() && *text != ENVIRONMENT).map(ExportText::new)
    }

    /// A text that must not be empty.
    pub(super) fn required_text(
        &self,
        name: &str,
        imported: &mut Imported,
    ) -> Option<ExportText<'a>> {
        let n_remarks = imported.remarks.len();
        let text = self.text(name, imported);
        if text.is_none() && imported.remarks.len() == n_remarks {
            let message = format!("expected `{name}`, got none");
            imported.add_remark(RemarkKind::Invalid, self.member_pointer(name), message);
        }
        text
    }

    pub(super) fn texts(&self, name: &str, imported: &mut Imported) -> Vec<ExportText<'a>> {
        let items = self.member_items(name, imported);
        let texts: Vec<_> = items.iter().filter_map(Node::as_str).map(ExportText::new).collect();
        if texts.len() < items.len() {
            imported.add_remark(
                RemarkKind::Invalid,
                self.member_pointer(name),
                "expected a list of texts",
            );
        }
        texts
    }

    /// The index of an enum's value among `values`, the first of which means unspecified; `None` for an unknown value.
    pub(super) fn enum_position(
        &self,
        name: &str,
        values: &[&str],
        imported: &mut Imported,
    ) -> Option<usize> {
        let Some(node) = self.node(name) else { return Some(0) };
        let named = node.as_str().map(|text| values.iter().position(|value| *value == text));
        // Numbers of a `Struct` are doubles: 1 may come back as 1.0.
        let numbered = node.as_number().map(|number| {
            let number = number.as_f64();
            (0..values.len()).find(|at| u32::try_from(*at).ok().map(f64::from) == number)
        });
        let index = named.or(numbered).flatten();
        if index.is_none() {
            let message = format!("expected one of `{}`", values.join("`, `"));
            imported.add_remark(RemarkKind::Invalid, self.member_pointer(name), message);
        }
        index
    }

    /// Adds a remark for each unknown member.
    pub(super) fn remark_unknown_members(&self, expected_names: &[&str], imported: &mut Imported) {
        let is_known = |name: &str| {
            expected_names.iter().any(|expected_name| is_camel_or_snake(expected_name, name))
        };
        for (name, node) in self.object.iter().filter(|(name, _)| !is_known(name)) {
            if !matches!(node, Node::Null) {
                let pointer = format!("{}/{}", self.pointer, pointer_segment(name));
                let message = format!("`{name}` means nothing here");
                imported.add_remark(RemarkKind::Ignored, pointer, message);
            }
        }
    }

    /// The set members of a group that allows at most one: `None` if several are set.
    pub(super) fn only_present_member(
        &self,
        names: &[&'static str],
        imported: &mut Imported,
    ) -> Option<&'static str> {
        let mut present_names = names.iter().copied().filter(|name| self.has(name));
        let first = present_names.next()?;
        if let Some(second) = present_names.next() {
            let message = format!("expected one of its members, got `{first}` and `{second}`");
            imported.add_remark(RemarkKind::Invalid, &self.pointer, message);
            return None;
        }
        Some(first)
    }

    fn member_items(&self, name: &str, imported: &mut Imported) -> &'a [Node] {
        let Some(node) = self.node(name) else { return &[] };
        node.as_array().unwrap_or_else(|| {
            let message = format!("expected a list, got: {}", node.kind());
            imported.add_remark(RemarkKind::Invalid, self.member_pointer(name), message);
            &[]
        })
    }

    /// The member under either of its spellings; `null` counts as missing.
    fn member(&self, name: &str) -> Option<(&'a str, &'a Node)> {
        let mut members = self.object.iter().filter(|(_, node)| !matches!(node, Node::Null));
        members
            .find(|(written_name, _)| is_camel_or_snake(name, written_name))
            .map(|(entry, node)| (&**entry, node))
    }
}

/// Returns true if `written` is `camel` in `lowerCamelCase` or in `snake_case`.
fn is_camel_or_snake(camel: &str, written: &str) -> bool {
    camel == written || snake_case(camel) == written
}

fn snake_case(camel: &str) -> String {
    let mut snake = String::with_capacity(camel.len().saturating_add(4));
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The text in an export of Customer Engagement Suite that stands for a value from `environment.json`.
pub(super) const ENVIRONMENT: &str = "$env_var";
