//! Findings about values of a wrong type. A text is shown only where its place contains no secrets.

use callgate_tree::Node;

use super::Reader;
use crate::code::SettingCode;

impl Reader {
    /// Records a value of the wrong type.
    pub fn report_wrong_type(&mut self, pointer: &str, expected: &str, got: &Node, help: &str) {
        let message = format!("expected {expected}, got: {}", value_description(got));
        self.report_fault(SettingCode::WrongValue, pointer, message, help);
    }

    /// Records a value that is no text: quotes make one of it, unless there is none.
    pub fn report_missing_text(&mut self, pointer: &str, expected: &str, got: &Node) {
        let is_empty = matches!(got, Node::Null);
        let help = if is_empty { "it has no value: write one, or remove it" } else { "quote it" };
        self.report_wrong_type(pointer, expected, got, help);
    }

    /// Records a value of a type that contains no secrets; a short value is shown.
    pub fn report_wrong_type_with_value(
        &mut self,
        pointer: &str,
        expected: &str,
        got: &Node,
        help: &str,
    ) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " .+-_".contains(c);
        let plain =
            got.as_str().filter(|text| text.len() <= MOST_SHOWN && text.chars().all(is_plain));
        let got = plain.map_or_else(|| value_description(got), |text| format!("`{text}`"));
        let message = format!("expected {expected}, got: {got}");
        self.report_fault(SettingCode::WrongValue, pointer, message, help);
    }
}

/// The longest text that is shown in a place without secrets. A secret pasted there by mistake is longer.
const MOST_SHOWN: usize = 12;

/// A value in a message: its type, and a plain scalar. Texts are not shown: one may be a secret.
fn value_description(node: &Node) -> String {
    match node {
        Node::Bool(value) => format!("`{value}`"),
        Node::Number(number) => format!("`{number}`"),
        Node::String(_) => "a text".to_owned(),
        other => format!("a value of type {}", other.kind()),
    }
}
