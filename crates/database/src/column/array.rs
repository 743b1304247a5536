//! The form in which PostgreSQL takes an array as a text: `{"a","b",NULL}`.

/// The array of these items; `None` is null.
pub(super) fn literal<'t>(items: impl IntoIterator<Item = Option<&'t str>>) -> String {
    let mut literal = String::from("{");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            literal.push(',');
        }
        match item {
            None => literal.push_str("NULL"),
            Some(item) => push_quoted(&mut literal, item),
        }
    }
    literal.push('}');
    literal
}

/// An item in quotes can be any text: `NULL`, the empty text, one with braces.
fn push_quoted(literal: &mut String, item: &str) {
    literal.push('"');
    for character in item.chars() {
        if matches!(character, '"' | '\\') {
            literal.push('\\');
        }
        literal.push(character);
    }
    literal.push('"');
}
