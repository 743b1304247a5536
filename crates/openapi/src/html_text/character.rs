//! References to characters: `&amp;`, `&#39;`, `&#x27;`, by the names of HTML (Living Standard §13.5), which `names.txt` lists. In
//! texts a reference ends with a semicolon. In pages some names and all numbers do without, as browsers read them. A reference
//! to no character is text.

use std::{borrow::Cow, sync::LazyLock};

/// The text with its references replaced, each once.
pub(super) fn decode_references(text: &str) -> Cow<'_, str> {
    replaced_references(text, |reference| {
        let (character, length) = leading_reference(reference)?;
        Some((Characters { first: character, second: None }, length))
    })
}

/// The text of a page with its references replaced.
pub(super) fn decode_page_references(text: &str) -> Cow<'_, str> {
    replaced_references(text, leading_page_reference)
}

/// What a reference stands for, and its length, where a text begins with one.
type References = fn(&str) -> Option<(Characters, usize)>;

fn replaced_references(text: &str, reference_at: References) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let alone = (Characters { first: '&', second: None }, 1);
        let (Characters { first, second }, length) = reference_at(reference).unwrap_or(alone);
        decoded.push_str(before);
        decoded.push(first);
        decoded.extend(second);
        rest = reference.get(length..).unwrap_or_default();
    }
    (decoded + rest).into()
}

/// The character that a text begins with a reference to, and the length of the reference, which is never less than the
/// character's.
pub(super) fn leading_reference(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?;
    let end = name.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = name.get(..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => numeric_character(number)?,
        None => match named_characters(name)?.characters {
            Characters { first, second: None } => first,
            // Some are longer than their references, and nobody writes them in words.
            Characters { second: Some(_), .. } => return None,
        },
    };
    Some((character, end + 2))
}

/// The characters that a text of a page begins with a reference to (HTML, "character reference state").
fn leading_page_reference(text: &str) -> Option<(Characters, usize)> {
    let name = text.strip_prefix('&')?;
    let is_number = name.starts_with('#');
    let is_part = |(at, c): &(usize, char)| c.is_ascii_alphanumeric() || is_number && *at == 0;
    let n_name = name.char_indices().take_while(is_part).take(LONGEST).count();
    let name = name.get(..n_name)?;
    let n_end = usize::from(text.get(n_name + 1..)?.starts_with(';'));
    if let Some(number) = name.strip_prefix('#') {
        let (digits, radix) = digits_and_radix(number);
        let n_digits = digits.chars().take_while(|c| c.is_digit(radix)).count();
        let length = name.len() - digits.len() + n_digits;
        let n_end = if n_digits == digits.len() { n_end } else { 0 };
        let first = numeric_character(name.get(1..length)?);
        let first = first.unwrap_or(char::REPLACEMENT_CHARACTER);
        return (n_digits > 0).then_some((Characters { first, second: None }, 1 + length + n_end));
    }
    if n_end > 0
        && let Some(named) = named_characters(name)
    {
        return Some((named.characters, name.len() + 2));
    }
    let shorter = (2..=name.len().min(LONGEST_ALONE)).rev();
    let mut alone = shorter.filter_map(|length| named_characters(name.get(..length)?));
    alone.find(|named| named.is_alone).map(|named| (named.characters, named.name.len() + 1))
}

fn digits_and_radix(number: &str) -> (&str, u32) {
    match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    }
}

/// The character of a number. The controls that pages of Windows write are what they mean there (HTML, "numeric character
/// reference end state").
fn numeric_character(number: &str) -> Option<char> {
    let (digits, radix) = digits_and_radix(number);
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let code = is_number.then(|| u32::from_str_radix(digits, radix).ok())??;
    let in_windows = code.checked_sub(0x80).and_then(|at| usize::try_from(at).ok());
    let of_windows = in_windows.and_then(|at| WINDOWS.chars().nth(at));
    of_windows.or_else(|| char::from_u32(code)).filter(|c| *c != '\0')
}

fn named_characters(name: &str) -> Option<&'static Named> {
    let at = NAMES.binary_search_by(|named| named.name.cmp(name)).ok()?;
    NAMES.get(at)
}

/// One character, or two that are one sign.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Characters {
    first: char,
    second: Option<char>,
}

#[derive(Debug)]
struct Named {
    name: &'static str,
    /// True if a page may leave out the semicolon.
    is_alone: bool,
    characters: Characters,
}

impl Named {
    /// A line of the list: `amp? 26`, where `?` says that the semicolon may be missing.
    fn from_line(line: &'static str) -> Option<Self> {
        let mut parts = line.split(' ');
        let written = parts.next()?;
        let name = written.strip_suffix('?').unwrap_or(written);
        let code = |part: &str| char::from_u32(u32::from_str_radix(part, 16).ok()?);
        let first = code(parts.next()?)?;
        // A space that does not break is a space.
        let first = if SPACES.contains(&first) { ' ' } else { first };
        let characters = Characters { first, second: parts.next().and_then(code) };
        Some(Self { name, is_alone: name.len() < written.len(), characters })
    }
}

/// The names in order.
static NAMES: LazyLock<Vec<Named>> =
    LazyLock::new(|| include_str!("names.txt").lines().filter_map(Named::from_line).collect());

/// The characters between `&` and `;` at most.
const LONGEST: usize = 32;
/// The length of the longest name that may stand without a semicolon.
const LONGEST_ALONE: usize = 6;
const SPACES: [char; 4] = ['\u{a0}', '\u{2002}', '\u{2003}', '\u{2009}'];
/// The characters of windows-1252 from 0x80 to 0x9f.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_all_names_in_order() {
        assert_eq!(NAMES.len(), include_str!("names.txt").lines().count());
        assert!(NAMES.is_sorted_by_key(|named| named.name));
        assert!(NAMES.iter().all(|named| !named.is_alone || named.name.len() <= LONGEST_ALONE));
    }

    #[test]
    fn a_reference_to_no_character_stays_as_it_is_written() {
        assert_eq!(
            decode_references("a&b; &#0; &#xd800; &#+65; &copy=1 &nGt; &eacute;&#8364;"),
            "a&b; &#0; &#xd800; &#+65; &copy=1 &nGt; \u{e9}\u{20ac}"
        );
    }

    #[test]
    fn references_of_a_page_are_read_as_browsers_read_them() {
        for (text, expected) in [
            ("&lang;&Aopf;&nGt;", "\u{27e8}\u{1d538}\u{226b}\u{20d2}"),
            ("&copy2026 &notit; &notin; &amp &AMP;&lt", "\u{a9}2026 \u{ac}it; \u{2209} & &<"),
            (
                "&#150;&#x92;&#65 &#x41g;&#xd800;&#99999999999;",
                "\u{2013}\u{2019}A Ag;\u{fffd}\u{fffd}",
            ),
            ("&nosuch; & &; &# &#x &#; &lan", "&nosuch; & &; &# &#x &#; &lan"),
        ] {
            assert_eq!(decode_page_references(text), expected, "{text}");
        }
    }

    #[test]
    fn no_character_is_longer_than_its_reference() {
        let single = NAMES.iter().filter(|named| named.characters.second.is_none());
        for Named { name, characters, .. } in single {
            assert!(characters.first.len_utf8() <= name.len() + 2, "{name}");
        }
    }
}
