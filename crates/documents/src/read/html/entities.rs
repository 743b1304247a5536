//! Character references of HTML: numbers, and the names that texts use. A name that is not in the list stays as it is written.

use std::borrow::Cow;

/// The text with its references replaced.
pub(super) fn decoded_text(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let reference =
            part.split_once(';').and_then(|(name, after)| Some((character(name)?, after)));
        if let Some((character, after)) = reference {
            out.push(character);
            out.push_str(after);
        } else {
            out.push('&');
            out.push_str(part);
        }
    }
    out.into()
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hexadecimal = number.strip_prefix(['x', 'X']);
        let code = match hexadecimal {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        // A zero byte is no text.
        return code.ok().filter(|code| *code != 0).and_then(char::from_u32);
    }
    let at = NAMES.binary_search_by(|(entry, _)| (*entry).cmp(name)).ok()?;
    NAMES.get(at).map(|(_, character)| *character)
}

/// The names of Latin-1, of punctuation and of common signs, in order.
#[rustfmt::skip]
const NAMES: [(&str, char); 151] = [
    ("AElig", '\u{c6}'), ("Aacute", '\u{c1}'), ("Acirc", '\u{c2}'), ("Agrave", '\u{c0}'),
    ("Aring", '\u{c5}'), ("Atilde", '\u{c3}'), ("Auml", '\u{c4}'), ("Ccedil", '\u{c7}'),
    ("Dagger", '\u{2021}'), ("Delta", '\u{394}'), ("Eacute", '\u{c9}'), ("Ecirc", '\u{ca}'),
    ("Egrave", '\u{c8}'), ("Euml", '\u{cb}'), ("Iacute", '\u{cd}'), ("Icirc", '\u{ce}'),
    ("Igrave", '\u{cc}'), ("Iuml", '\u{cf}'), ("Ntilde", '\u{d1}'), ("OElig", '\u{152}'),
    ("Oacute", '\u{d3}'), ("Ocirc", '\u{d4}'), ("Ograve", '\u{d2}'), ("Omega", '\u{3a9}'),
    ("Oslash", '\u{d8}'), ("Otilde", '\u{d5}'), ("Ouml", '\u{d6}'), ("Scaron", '\u{160}'),
    ("Sigma", '\u{3a3}'), ("Uacute", '\u{da}'), ("Ucirc", '\u{db}'), ("Ugrave", '\u{d9}'),
    ("Uuml", '\u{dc}'), ("Yacute", '\u{dd}'), ("aacute", '\u{e1}'), ("acirc", '\u{e2}'),
    ("aelig", '\u{e6}'), ("agrave", '\u{e0}'), ("alpha", '\u{3b1}'), ("amp", '\u{26}'),
    ("apos", '\u{27}'), ("aring", '\u{e5}'), ("asymp", '\u{2248}'), ("atilde", '\u{e3}'),
    ("auml", '\u{e4}'), ("bdquo", '\u{201e}'), ("beta", '\u{3b2}'), ("bull", '\u{2022}'),
    ("ccedil", '\u{e7}'), ("cent", '\u{a2}'), ("check", '\u{2713}'), ("copy", '\u{a9}'),
    ("dagger", '\u{2020}'), ("darr", '\u{2193}'), ("deg", '\u{b0}'), ("delta", '\u{3b4}'),
    ("divide", '\u{f7}'), ("eacute", '\u{e9}'), ("ecirc", '\u{ea}'), ("egrave", '\u{e8}'),
    ("emsp", '\u{2003}'), ("ensp", '\u{2002}'), ("epsilon", '\u{3b5}'), ("eth", '\u{f0}'),
    ("euml", '\u{eb}'), ("euro", '\u{20ac}'), ("frac12", '\u{bd}'), ("frac14", '\u{bc}'),
    ("frac34", '\u{be}'), ("gamma", '\u{3b3}'), ("ge", '\u{2265}'), ("gt", '\u{3e}'),
    ("harr", '\u{2194}'), ("hellip", '\u{2026}'), ("iacute", '\u{ed}'), ("icirc", '\u{ee}'),
    ("iexcl", '\u{a1}'), ("igrave", '\u{ec}'), ("infin", '\u{221e}'), ("iquest", '\u{bf}'),
    ("iuml", '\u{ef}'), ("lArr", '\u{21d0}'), ("lambda", '\u{3bb}'), ("laquo", '\u{ab}'),
    ("larr", '\u{2190}'), ("ldquo", '\u{201c}'), ("le", '\u{2264}'), ("lsquo", '\u{2018}'),
    ("lt", '\u{3c}'), ("mdash", '\u{2014}'), ("micro", '\u{b5}'), ("middot", '\u{b7}'),
    ("minus", '\u{2212}'), ("mu", '\u{3bc}'), ("nbsp", '\u{a0}'), ("ndash", '\u{2013}'),
    ("ne", '\u{2260}'), ("ntilde", '\u{f1}'), ("oacute", '\u{f3}'), ("ocirc", '\u{f4}'),
    ("oelig", '\u{153}'), ("ograve", '\u{f2}'), ("omega", '\u{3c9}'), ("ordf", '\u{aa}'),
    ("ordm", '\u{ba}'), ("oslash", '\u{f8}'), ("otilde", '\u{f5}'), ("ouml", '\u{f6}'),
    ("para", '\u{b6}'), ("part", '\u{2202}'), ("permil", '\u{2030}'), ("phi", '\u{3c6}'),
    ("pi", '\u{3c0}'), ("plusmn", '\u{b1}'), ("pound", '\u{a3}'), ("prod", '\u{220f}'),
    ("quot", '\u{22}'), ("rArr", '\u{21d2}'), ("radic", '\u{221a}'), ("raquo", '\u{bb}'),
    ("rarr", '\u{2192}'), ("rdquo", '\u{201d}'), ("reg", '\u{ae}'), ("rho", '\u{3c1}'),
    ("rsquo", '\u{2019}'), ("sbquo", '\u{201a}'), ("scaron", '\u{161}'), ("sect", '\u{a7}'),
    ("shy", '\u{ad}'), ("sigma", '\u{3c3}'), ("sum", '\u{2211}'), ("sup1", '\u{b9}'),
    ("sup2", '\u{b2}'), ("sup3", '\u{b3}'), ("szlig", '\u{df}'), ("tau", '\u{3c4}'),
    ("theta", '\u{3b8}'), ("thinsp", '\u{2009}'), ("thorn", '\u{fe}'), ("times", '\u{d7}'),
    ("trade", '\u{2122}'), ("uacute", '\u{fa}'), ("uarr", '\u{2191}'), ("ucirc", '\u{fb}'),
    ("ugrave", '\u{f9}'), ("uuml", '\u{fc}'), ("yacute", '\u{fd}'), ("yen", '\u{a5}'),
    ("yuml", '\u{ff}'), ("zwj", '\u{200d}'), ("zwnj", '\u{200c}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn a_reference_to_no_character_stays_as_it_is_written() {
        assert_eq!(
            decoded_text("a&b; &#0; &#xd800; &eacute;&#8364;"),
            "a&b; &#0; &#xd800; \u{e9}\u{20ac}"
        );
    }
}
