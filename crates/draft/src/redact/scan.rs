//! Finds the values that stand behind names of secrets in a text of any format: `name=value`, `"name": "value"`, elements and
//! attributes of XML, arguments of GraphQL, lines of YAML, options of commands, columns of tables, and passwords in addresses. It
//! knows no format as a whole: it reads on from each name, once over the text, and takes rather too much than too little.

mod table;
mod value;

use std::ops::Range;

use self::value::Reader;
use super::{
    MASKED,
    secret_name::{is_secret_input, is_secret_member},
};

/// The places of values that are secret by the names before them, and of passwords in addresses.
pub(super) fn secret_value_ranges(text: &str) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut at = 0;
    while let Some(name) = next_word(text, at) {
        let value = secret_value_behind(text, &name);
        at = value.as_ref().map_or(name.end, |value| value.end.max(name.end));
        values.extend(value.filter(|value| is_unmasked_value(text, value)));
    }
    let others = url_password_ranges(text).chain(table::secret_cells(text));
    values.extend(others.filter(|value| is_unmasked_value(text, value)));
    values
}

/// The texts that a reader may make of a text when it removes escapes, outermost first.
pub(super) fn unescaped_texts(text: &str) -> impl Iterator<Item = String> {
    let plainer = |text: &String| {
        let has_escape = text.contains(['%', '\\', '&']);
        has_escape.then(|| callgate_secret::without_escapes(text)).flatten()
    };
    std::iter::successors(plainer(&text.to_owned()), plainer).take(DEPTH)
}

/// The number of nested escapes that are removed.
const DEPTH: usize = 3;

fn is_word_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn next_word(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at.checked_add(text.get(at..)?.find(is_word_part)?)?;
    let rest = text.get(start..)?;
    let length = rest.find(|c| !is_word_part(c)).unwrap_or(rest.len());
    Some(start..start.checked_add(length)?)
}

/// The value that belongs to a word, if it is the name of a secret or of a way to send one.
fn secret_value_behind(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let (before, word) = (text.get(..name.start)?, text.get(name.clone())?);
    let mut reader = Reader { text, at: name.end };
    if SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) {
        return reader.bearer_credential();
    }
    if USER_OPTIONS.contains(&word) && reader.rest().starts_with([' ', '\t', '=']) {
        return reader.password_of_login();
    }
    let is_input = before.ends_with(['?', '&', ';']);
    let is_secret = if is_input { is_secret_input(word) } else { is_secret_member(word) };
    // `$password: String!` declares a variable of GraphQL.
    if !is_secret || before.ends_with('$') {
        return None;
    }
    if begins_element(before) {
        return reader.element_content(word);
    }
    if word.starts_with("--") && reader.rest().starts_with([' ', '\t']) {
        return Some(reader.command_word());
    }
    reader.named_value(word, before.ends_with('='))
}

/// True for `<` and for `<prefix:`.
fn begins_element(before: &str) -> bool {
    let name = before.strip_suffix(':').map(|prefix| prefix.trim_end_matches(is_word_part));
    name.unwrap_or(before).ends_with('<')
}

/// True for a value that may be secret, and is not masked already.
fn is_unmasked_value(text: &str, value: &Range<usize>) -> bool {
    let value = text.get(value.clone()).unwrap_or_default().trim();
    !value.is_empty() && value != MASKED && !NO_VALUES.contains(&value)
}

/// The passwords of addresses (RFC 3986 §3.2.1), or the whole of what stands before the host where it has no password.
fn url_password_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices("://").filter_map(|(at, separator)| {
        let start = at.checked_add(separator.len())?;
        let rest = text.get(start..)?;
        let is_end = |c: char| c.is_whitespace() || "/?#\"'<>\\".contains(c);
        let authority = rest.get(..rest.find(is_end).unwrap_or(rest.len()))?;
        let (login, _) = authority.rsplit_once('@')?;
        let n_before = login.find(':').and_then(|at| at.checked_add(1));
        let n_before = n_before.filter(|n_before| *n_before < login.len()).unwrap_or(0);
        Some(start.checked_add(n_before)?..start.checked_add(login.len())?)
    })
}

/// Ways to send a credential, which stands behind them (RFC 9110 §11.4).
const SCHEMES: [&str; 2] = ["basic", "bearer"];
/// Options of commands whose value is a user and a password.
const USER_OPTIONS: [&str; 4] = ["--proxy-user", "--user", "-U", "-u"];
/// Words for no value, or for one of two.
const NO_VALUES: [&str; 5] = ["null", "true", "false", "undefined", "None"];

#[cfg(test)]
mod tests;
