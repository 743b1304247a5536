//! References to characters: `&amp;`, `&#39;`, `&#x27;`. A reference ends with a semicolon; one to no character is text.

use std::borrow::Cow;

/// The text with its references replaced, each once.
pub(super) fn decoded_text(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let (character, length) = character_reference(reference).unwrap_or(('&', 1));
        decoded.push_str(before);
        decoded.push(character);
        rest = reference.get(length..).unwrap_or_default();
    }
    (decoded + rest).into()
}

/// The character that a text begins with a reference to, and the length of the reference, which is never less than the
/// character's.
pub(super) fn character_reference(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?;
    let end = name.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = name.get(..end)?;
    let character = if let Some(number) = name.strip_prefix('#') {
        numeric_character(number)?
    } else {
        let at = NAMED.binary_search_by(|(named, _)| (*named).cmp(name)).ok()?;
        NAMED.get(at)?.1
    };
    Some((character, end + 2))
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
const LONGEST: usize = 32;

/// The named characters that occur in texts (HTML Living Standard §13.5), in order. A space that does not break is a space.
#[rustfmt::skip]
const NAMED: [(&str, char); 160] = [
    ("AElig", 'Æ'), ("Aacute", 'Á'), ("Acirc", 'Â'), ("Agrave", 'À'), ("Aring", 'Å'),
    ("Atilde", 'Ã'), ("Auml", 'Ä'), ("Ccedil", 'Ç'), ("Dagger", '‡'), ("Delta", 'Δ'),
    ("Eacute", 'É'), ("Ecirc", 'Ê'), ("Egrave", 'È'), ("Euml", 'Ë'), ("Iacute", 'Í'),
    ("Icirc", 'Î'), ("Igrave", 'Ì'), ("Iuml", 'Ï'), ("Ntilde", 'Ñ'), ("OElig", 'Œ'),
    ("Oacute", 'Ó'), ("Ocirc", 'Ô'), ("Ograve", 'Ò'), ("Omega", 'Ω'), ("Oslash", 'Ø'),
    ("Otilde", 'Õ'), ("Ouml", 'Ö'), ("Scaron", 'Š'), ("Sigma", 'Σ'), ("Uacute", 'Ú'),
    ("Ucirc", 'Û'), ("Ugrave", 'Ù'), ("Uuml", 'Ü'), ("Yacute", 'Ý'), ("aacute", 'á'),
    ("acirc", 'â'), ("aelig", 'æ'), ("agrave", 'à'), ("alpha", 'α'), ("amp", '&'), ("apos", '\''),
    ("aring", 'å'), ("asymp", '≈'), ("atilde", 'ã'), ("auml", 'ä'), ("bdquo", '„'), ("beta", 'β'),
    ("bull", '•'), ("ccedil", 'ç'), ("cent", '¢'), ("check", '✓'), ("copy", '©'), ("dagger", '†'),
    ("darr", '↓'), ("deg", '°'), ("delta", 'δ'), ("divide", '÷'), ("eacute", 'é'), ("ecirc", 'ê'),
    ("egrave", 'è'), ("emsp", ' '), ("ensp", ' '), ("epsilon", 'ε'), ("equals", '='), ("eth", 'ð'),
    ("euml", 'ë'), ("euro", '€'), ("frac12", '½'), ("frac14", '¼'), ("frac34", '¾'), ("gamma", 'γ'),
    ("ge", '≥'), ("gt", '>'), ("harr", '↔'), ("hellip", '…'), ("iacute", 'í'), ("icirc", 'î'),
    ("iexcl", '¡'), ("igrave", 'ì'), ("infin", '∞'), ("iquest", '¿'), ("iuml", 'ï'), ("lArr", '⇐'),
    ("lambda", 'λ'), ("laquo", '«'), ("larr", '←'), ("lcub", '{'), ("ldquo", '“'), ("le", '≤'),
    ("lowbar", '_'), ("lsqb", '['), ("lsquo", '‘'), ("lt", '<'), ("mdash", '—'), ("micro", 'µ'),
    ("middot", '·'), ("minus", '−'), ("mu", 'μ'), ("nbsp", ' '), ("ndash", '–'), ("ne", '≠'),
    ("ntilde", 'ñ'), ("num", '#'), ("oacute", 'ó'), ("ocirc", 'ô'), ("oelig", 'œ'), ("ograve", 'ò'),
    ("omega", 'ω'), ("ordf", 'ª'), ("ordm", 'º'), ("oslash", 'ø'), ("otilde", 'õ'), ("ouml", 'ö'),
    ("para", '¶'), ("part", '∂'), ("percnt", '%'), ("permil", '‰'), ("phi", 'φ'), ("pi", 'π'),
    ("plus", '+'), ("plusmn", '±'), ("pound", '£'), ("prod", '∏'), ("quot", '"'), ("rArr", '⇒'),
    ("radic", '√'), ("raquo", '»'), ("rarr", '→'), ("rcub", '}'), ("rdquo", '”'), ("reg", '®'),
    ("rho", 'ρ'), ("rsqb", ']'), ("rsquo", '’'), ("sbquo", '‚'), ("scaron", 'š'), ("sect", '§'),
    ("shy", '\u{ad}'), ("sigma", 'σ'), ("sum", '∑'), ("sup1", '¹'), ("sup2", '²'), ("sup3", '³'),
    ("szlig", 'ß'), ("tau", 'τ'), ("theta", 'θ'), ("thinsp", ' '), ("thorn", 'þ'), ("times", '×'),
    ("trade", '™'), ("uacute", 'ú'), ("uarr", '↑'), ("ucirc", 'û'), ("ugrave", 'ù'), ("uuml", 'ü'),
    ("yacute", 'ý'), ("yen", '¥'), ("yuml", 'ÿ'), ("zwj", '\u{200d}'), ("zwnj", '\u{200c}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NAMED.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn a_reference_to_no_character_stays_as_it_is_written() {
        assert_eq!(
            decoded_text("a&b; &#0; &#xd800; &#+65; &eacute;&#8364;"),
            "a&b; &#0; &#xd800; &#+65; \u{e9}\u{20ac}"
        );
    }

    #[test]
    fn no_character_is_longer_than_its_reference() {
        for (name, character) in NAMED {
            assert!(character.len_utf8() <= name.len() + 2, "{name}");
        }
    }
}
