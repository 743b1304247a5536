//! Writes query parameters: `form`, `spaceDelimited`, `pipeDelimited`, `deepObject` and the delimited lists of Swagger 2.0.
//! A space is `%20`, never `+`. Values come from `inputs`; `style` decides cases that the specification leaves open.

use callgate_openapi::{Style, Styled};
use callgate_tool::Value;

use crate::{
    lists::{write_inner_item, write_nested_lists},
    style::{
        Escape, Unwritable, is_deeply_empty, is_empty_or_null, joint, unwritable_reason,
        write_escaped, write_members, write_value,
    },
};

/// The media type of a form: it has no parameters (WHATWG URL, §5).
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a Value,
    pub(crate) styled: &'a Styled,
    /// The escaping of the value, and of the name unless it is [`Escape::Verbatim`].
    pub(crate) escape: Escape,
}

#[derive(Debug)]
pub(crate) struct Pairs<'a> {
    out: &'a mut String,
    separator: &'static str,
    first: bool,
}

impl<'a> Pairs<'a> {
    pub(crate) fn new(out: &'a mut String, separator: &'static str) -> Self {
        Self { out, separator, first: true }
    }

    /// Pairs that continue after the text in `out`.
    pub(crate) fn continuing(out: &'a mut String, separator: &'static str) -> Self {
        Self { out, separator, first: false }
    }

    /// Writes a parameter; a value that writes nothing is omitted.
    pub(crate) fn write_parameter(&mut self, pair: Pair<'_>) -> Result<(), Unwritable> {
        if is_empty_or_null(pair.value) {
            return Ok(());
        }
        let Styled { style, explode, items: inner, .. } = pair.styled;
        if *style == Style::DeepObject {
            let mut name = String::new();
            write_escaped(&mut name, pair.name, Escape::Unreserved);
            return self.write_deep_object(&mut name, pair.value, pair.escape);
        }
        match (pair.value, explode) {
            (Value::Array(items), true) => items.iter().try_for_each(|item| {
                self.write_name(pair.name, pair.escape);
                write_inner_item(self.out, item, inner, pair.escape)
            }),
            (Value::Object(members), true) => {
                members.iter().filter(|(_, member)| !member.is_null()).try_for_each(
                    |(name, member)| self.write_exploded_member(name, member, pair.escape),
                )
            }
            (Value::Array(items), false) => {
                self.write_name(pair.name, pair.escape);
                let escape = item_escape(pair.escape);
                write_nested_lists(self.out, items, *style, inner, escape)
            }
            (Value::Object(members), false) => {
                self.write_name(pair.name, pair.escape);
                let escape = item_escape(pair.escape);
                write_members(self.out, members, joint(*style, escape), escape)
            }
            _ => self.write_pair(pair.name, pair.value, pair.escape),
        }
    }

    /// Writes a member of an exploded object: a parameter of its own, whose list is written as one `name=item` after the
    /// other. The specification leaves this open; generated clients write it so, and frameworks read it so.
    fn write_exploded_member(
        &mut self,
        name: &str,
        value: &Value,
        escape: Escape,
    ) -> Result<(), Unwritable> {
        match value {
            Value::Array(items) => {
                items.iter().try_for_each(|item| self.write_pair(name, item, escape))
            }
            _ => self.write_pair(name, value, escape),
        }
    }

    pub(crate) fn write_pair(
        &mut self,
        name: &str,
        value: &Value,
        escape: Escape,
    ) -> Result<(), Unwritable> {
        self.write_name(name, escape);
        write_value(self.out, value, escape)
    }

    pub(crate) fn write_text_pair(&mut self, name: &str, text: &str) {
        self.write_name(name, Escape::Unreserved);
        write_escaped(self.out, text, Escape::Unreserved);
    }

    /// Writes a name, escaped unless the escaping is [`Escape::Verbatim`].
    fn write_name(&mut self, name: &str, escape: Escape) {
        self.write_separator_if_needed();
        let is_bare = escape == Escape::Verbatim;
        write_escaped(self.out, name, if is_bare { escape } else { Escape::Unreserved });
        self.out.push('=');
    }

    fn write_separator_if_needed(&mut self) {
        if !self.first {
            self.out.push_str(self.separator);
        }
        self.first = false;
    }

    /// Writes `a[b][0]=value` for each single value; the reader of arguments limits the depth.
    fn write_deep_object(
        &mut self,
        name: &mut String,
        value: &Value,
        escape: Escape,
    ) -> Result<(), Unwritable> {
        match value {
            Value::Null => Ok(()),
            Value::Array(items) => items.iter().enumerate().try_for_each(|(at, item)| {
                if is_deeply_empty(item) {
                    // Leaving the item out would change the positions of the items after it.
                    return Err(unwritable_reason(item));
                }
                self.write_deep_object_member(name, &at.to_string(), item, escape)
            }),
            Value::Object(members) => members.iter().try_for_each(|(member, value)| {
                self.write_deep_object_member(name, member, value, escape)
            }),
            _ => {
                self.write_separator_if_needed();
                self.out.push_str(name);
                self.out.push('=');
                write_value(self.out, value, escape)
            }
        }
    }

    fn write_deep_object_member(
        &mut self,
        name: &mut String,
        key: &str,
        value: &Value,
        escape: Escape,
    ) -> Result<(), Unwritable> {
        if key.contains(']') {
            // A reader decodes the name before it looks for brackets, and the first one ends the key.
            return Err(Unwritable::Delimiter(']'));
        }
        let length = name.len();
        name.push_str("%5B");
        write_escaped(name, key, Escape::Unreserved);
        name.push_str("%5D");
        let written = self.write_deep_object(name, value, escape);
        name.truncate(length);
        written
    }
}

fn item_escape(escape: Escape) -> Escape {
    if escape == Escape::Reserved { Escape::ReservedItems } else { escape }
}
