//! The text of a page's bytes: UTF-8 wherever the bytes are, else in the encoding that the page states (HTML, "determining the
//! character encoding"). A page that states none, or has other bytes, is refused: a guess could be wrong in silence.

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};

use crate::read::{Problem, check_zeros_and_lengths, utf8};

pub(super) fn page_text(bytes: &[u8]) -> Result<Cow<'_, str>, Problem> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let stated = marked.or_else(|| stated_encoding(bytes)).filter(|encoding| *encoding != UTF_8);
    let text = match (utf8(bytes), stated) {
        // Its bytes are those of ASCII, and mean something else.
        (Ok(text), stated) if stated != Some(ISO_2022_JP) => {
            Cow::Borrowed(text.trim_start_matches('\u{feff}'))
        }
        (Err(problem), None) => return Err(problem),
        (_, stated) => {
            let encoding = stated.unwrap_or(UTF_8);
            let (text, _, is_torn) = encoding.decode(bytes);
            if is_torn {
                let message = format!("expected `{}`, got other bytes", encoding.name());
                return Err(Problem::new(None, message, "store the file as UTF-8"));
            }
            text
        }
    };
    check_zeros_and_lengths(&text)?;
    Ok(text)
}

/// The encoding that the beginning of a page names, in a `meta` or as XHTML does.
fn stated_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..bytes.len().min(HEAD)).unwrap_or_default();
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let tag = |start: usize| head.get(start..)?.split('>').next();
    let metas =
        head.match_indices("<meta").filter_map(|(at, _)| attribute_value(tag(at)?, "charset"));
    let xml = head.starts_with("<?xml").then(|| attribute_value(tag(0)?, "encoding")).flatten();
    xml.into_iter().chain(metas).find_map(|label| Encoding::for_label(label.as_bytes()))
}

/// The value of a name in a tag: `charset=x`, `charset = "x"`.
fn attribute_value<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(name)?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '/' | '?');
    value.split(is_end).next()
}

/// Where a page has to state its encoding.
const HEAD: usize = 1024;
