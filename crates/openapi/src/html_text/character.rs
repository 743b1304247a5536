//! References to characters: `&amp;`, `&#39;`, `&#x27;`. A reference ends with a semicolon; unknown names are text.

/// The character that a text begins with a reference to, and the length of the reference.
pub(super) fn character_reference(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?;
    let (at, _) = name.char_indices().take(LONGEST).find(|(_, c)| *c == ';')?;
    let name = name.get(..at)?;
    let length = at + 2;
    let character = match name.strip_prefix('#') {
        Some(number) => numeric_character(number)?,
        None => NAMED.iter().find(|(entry, _)| *entry == name)?.1,
    };
    (character.len_utf8() <= length).then_some((character, length))
}

fn numeric_character(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let code = is_number.then(|| u32::from_str_radix(digits, radix).ok())??;
    char::from_u32(code).filter(|c| *c != '\0')
}

/// The characters between `&` and `;` at most.
const LONGEST: usize = 12;

/// The named characters that occur in prose (HTML Living Standard §13.5). A space that does not break is a space.
const NAMED: [(&str, char); 58] = [
    ("amp", '&'),
    ("apos", '\''),
    ("asymp", '\u{2248}'),
    ("bull", '\u{2022}'),
    ("cent", '\u{a2}'),
    ("copy", '\u{a9}'),
    ("dagger", '\u{2020}'),
    ("darr", '\u{2193}'),
    ("deg", '\u{b0}'),
    ("divide", '\u{f7}'),
    ("emsp", ' '),
    ("ensp", ' '),
    ("equals", '='),
    ("euro", '\u{20ac}'),
    ("frac12", '\u{bd}'),
    ("ge", '\u{2265}'),
    ("gt", '>'),
    ("harr", '\u{2194}'),
    ("hellip", '\u{2026}'),
    ("infin", '\u{221e}'),
    ("laquo", '\u{ab}'),
    ("larr", '\u{2190}'),
    ("lcub", '{'),
    ("ldquo", '\u{201c}'),
    ("le", '\u{2264}'),
    ("lowbar", '_'),
    ("lsqb", '['),
    ("lsquo", '\u{2018}'),
    ("lt", '<'),
    ("mdash", '\u{2014}'),
    ("micro", '\u{b5}'),
    ("middot", '\u{b7}'),
    ("minus", '\u{2212}'),
    ("nbsp", ' '),
    ("ndash", '\u{2013}'),
    ("ne", '\u{2260}'),
    ("num", '#'),
    ("para", '\u{b6}'),
    ("percnt", '%'),
    ("plus", '+'),
    ("plusmn", '\u{b1}'),
    ("pound", '\u{a3}'),
    ("quot", '"'),
    ("rArr", '\u{21d2}'),
    ("raquo", '\u{bb}'),
    ("rarr", '\u{2192}'),
    ("rcub", '}'),
    ("rdquo", '\u{201d}'),
    ("reg", '\u{ae}'),
    ("rsqb", ']'),
    ("rsquo", '\u{2019}'),
    ("sect", '\u{a7}'),
    ("sup2", '\u{b2}'),
    ("thinsp", ' '),
    ("times", '\u{d7}'),
    ("trade", '\u{2122}'),
    ("uarr", '\u{2191}'),
    ("yen", '\u{a5}'),
];
