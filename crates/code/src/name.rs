//! Names of tools as names of Python: `pets-getPet` is `pets.getPet`, and names that differ in case, `-`, `_` and `.` alone are one.

/// A text as a name of Python.
pub(crate) fn python_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = text.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// True if both are one name.
pub(crate) fn is_same_folded_name(a: &str, b: &str) -> bool {
    lowercase_without_marks(a).eq(lowercase_without_marks(b))
}

/// True if a parameter of this name is the key under which a service makes a write once.
pub(crate) fn is_idempotency_key_name(parameter: &str) -> bool {
    KEY_NAMES.iter().any(|name| is_same_folded_name(parameter, name))
}

fn lowercase_without_marks(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).flat_map(char::to_lowercase)
}

/// The words that are no names (Python 3.14, "Keywords").
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// The header as services name it (draft-ietf-httpapi-idempotency-key-header), and its older form.
const KEY_NAMES: [&str; 2] = ["Idempotency-Key", "X-Idempotency-Key"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(python_name(text), expected);
        assert!(text.is_empty() || is_same_folded_name(text, expected) || text.contains('/'));
    }

    #[test]
    fn every_text_becomes_a_name() {
        check("getPet", "getPet");
        check("get-pet.v1", "get_pet_v1");
        check("class", "class_");
        check("2fa", "_2fa");
        check("", "_");
        check("X/Y", "X_Y");
    }
}
