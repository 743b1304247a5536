//! Writes lists and nested lists, each level with a separator of its own (Swagger 2.0 §Items Object). Values in an inner
//! list must not hold any of the separators, since a reader decodes the whole text before splitting it.

use callgate_openapi::Style;
use callgate_tool::Value;

use crate::style::{Escape, Unwritable, joint, write_list, write_value};

/// Writes the items of a list of style `outer`; `inner` are the styles of the nested lists, the outer ones first.
pub(crate) fn write_nested_lists(
    out: &mut String,
    items: &[Value],
    outer: Style,
    inner: &[Style],
    escape: Escape,
) -> Result<(), Unwritable> {
    if inner.is_empty() {
        return write_list(out, items, joint(outer, escape), escape);
    }
    let styles: Vec<_> = [outer].iter().chain(inner).copied().collect();
    Lists { styles: &styles, escape }.write_list_level(out, items, 0)
}

pub(crate) fn write_inner_item(
    out: &mut String,
    item: &Value,
    inner: &[Style],
    escape: Escape,
) -> Result<(), Unwritable> {
    match (item, inner.split_first()) {
        (Value::Array(items), Some(_)) if items.is_empty() => Err(Unwritable::Empty),
        (Value::Array(items), Some((style, inner))) => {
            write_nested_lists(out, items, *style, inner, escape)
        }
        _ => write_value(out, item, escape),
    }
}

#[derive(Clone, Copy)]
struct Lists<'a> {
    styles: &'a [Style],
    escape: Escape,
}

impl Lists<'_> {
    fn write_list_level(
        self,
        out: &mut String,
        items: &[Value],
        depth: usize,
    ) -> Result<(), Unwritable> {
        let (outer, rest) = self.styles.split_at_checked(depth).unwrap_or_default();
        let Some((own, inner)) = rest.split_first() else { return Ok(()) };
        if depth > 0 && items.is_empty() {
            return Err(Unwritable::Empty);
        }
        if let Some(separator) = style_separator(*own)
            && items.len() > 1
            && outer.iter().any(|style| style_separator(*style) == Some(separator))
        {
            return Err(Unwritable::Delimiter(separator));
        }
        let joint = joint(*own, self.escape);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push_str(joint.text);
            }
            match item {
                Value::Array(items) if !inner.is_empty() => {
                    self.write_list_level(out, items, depth + 1)?;
                }
                Value::Null => return Err(Unwritable::Null),
                _ => self.write_checked_text(out, item)?,
            }
        }
        Ok(())
    }

    fn write_checked_text(self, out: &mut String, item: &Value) -> Result<(), Unwritable> {
        let text = match item {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut separators = self.styles.iter().filter_map(|style| style_separator(*style));
        if let Some(clash) = separators.find(|separator| text.contains(*separator)) {
            return Err(Unwritable::Delimiter(clash));
        }
        if self.escape == Escape::Verbatim && text.trim_matches([' ', '\t']).len() != text.len() {
            return Err(Unwritable::Edge);
        }
        write_value(out, &Value::String(text), self.escape)
    }
}

/// The separator, which no item of nested lists may hold.
pub(crate) fn style_separator(style: Style) -> Option<char> {
    match style {
        Style::DeepObject => None,
        Style::PipeDelimited => Some('|'),
        Style::SpaceDelimited => Some(' '),
        Style::TabDelimited => Some('\t'),
        Style::Cookie | Style::Form | Style::Label | Style::Matrix | Style::Simple => Some(','),
    }
}
