//! One scalar as written: its text, quotes and tag, and their combined meaning.

use granit_parser::{ScalarStyle, Tag};

use super::super::core_schema::{self, Meaning};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar<'a> {
    pub(crate) text: &'a str,
    pub(crate) style: ScalarStyle,
    pub(crate) tag: Option<&'a Tag>,
}

impl<'a> Scalar<'a> {
    /// The scalar as the name of a member: `200:` and `true:` are texts there.
    pub(crate) fn member_name(self) -> &'a str {
        let plain = self.style == ScalarStyle::Plain && self.tag.is_none();
        if plain && matches!(self.text, "" | "~") { "null" } else { self.text }
    }

    /// Returns true if the scalar is a merge key; `"<<"` in quotes is a name.
    pub(super) fn is_merge_key(self) -> bool {
        let plain = self.style == ScalarStyle::Plain && self.tag.is_none();
        self.text == "<<" && (plain || self.tag.is_some_and(|tag| core_tag(tag) == Some("merge")))
    }

    pub(super) fn meaning(self) -> Meaning<'a> {
        match self.tag.map(core_tag) {
            None if self.style == ScalarStyle::Plain => {
                core_schema::plain_scalar_meaning(self.text)
            }
            Some(Some("bool" | "float" | "int" | "null")) => {
                core_schema::plain_scalar_meaning(self.text)
            }
            Some(None) if self.style == ScalarStyle::Plain && !self.has_non_specific_tag() => {
                core_schema::plain_scalar_meaning(self.text)
            }
            _ => Meaning::Text,
        }
    }

    /// The tag, if it did not decide the meaning of the scalar.
    pub(super) fn ignored_tag(self, meaning: &Meaning<'_>) -> Option<String> {
        let tag = self.tag.filter(|_| !self.has_non_specific_tag())?;
        let decided = matches!(
            (core_tag(tag), meaning),
            (Some("bool"), Meaning::Bool(_))
                | (Some("float"), Meaning::NonFinite | Meaning::Number(_))
                | (Some("int"), Meaning::Number(_))
                | (Some("null"), Meaning::Null)
                | (Some("str"), _)
        );
        (!decided).then(|| tag_text(tag))
    }

    /// Returns true for the tag `!`, which makes the scalar a text (YAML 1.2.2 §6.9.1).
    fn has_non_specific_tag(self) -> bool {
        self.tag.is_some_and(|tag| format!("{}{}", tag.handle(), tag.suffix()) == "!")
    }
}

/// The tag of a list or object, if it differs from the default tag.
pub(super) fn non_default_tag(tag: &Tag, usual: &str) -> Option<String> {
    let non_specific = format!("{}{}", tag.handle(), tag.suffix()) == "!";
    (core_tag(tag) != Some(usual) && !non_specific).then(|| tag_text(tag))
}

/// The prefix that `!!` stands for in YAML's own tags (YAML 1.2.2 §6.8.2.1).
const CORE: &str = "tag:yaml.org,2002:";

fn core_tag(tag: &Tag) -> Option<&str> {
    (tag.handle() == CORE).then(|| tag.suffix())
}

fn tag_text(tag: &Tag) -> String {
    match core_tag(tag) {
        Some(name) => format!("!!{name}"),
        None => format!("{}{}", tag.handle(), tag.suffix()),
    }
}
