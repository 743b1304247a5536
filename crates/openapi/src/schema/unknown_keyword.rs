//! Reports keywords that restrict values and are not applied: misspelt ones, and those of older drafts. Unknown
//! annotations and extensions do not restrict values.

use callgate_tree::Path;

use super::{Builder, View};
use crate::code::Code;

/// Reports an unknown keyword that reads like one that restricts values.
pub(super) fn report_unknown_keyword(builder: &mut Builder<'_>, keyword: &str, path: &Path<'_>) {
    if builder.view == View::Output || keyword.starts_with("x-") {
        return;
    }
    let Some(help) = keyword_suggestion(keyword) else { return };
    let message = format!("expected a keyword of JSON Schema 2020-12, got: `{keyword}`");
    builder.findings.note(Code::UnknownKeyword, path, message, &help);
}

/// The text to write instead; `None` for a word that is close to no keyword of any draft.
fn keyword_suggestion(keyword: &str) -> Option<String> {
    if let Some((_, help)) = OLDER.iter().find(|(older, _)| *older == keyword) {
        return Some((*help).to_owned());
    }
    let mut keywords = RESTRICTING.iter().chain(&OTHERS);
    if keywords.clone().any(|candidate| *candidate == keyword) {
        return None;
    }
    let is_alike = |candidate: &&&str| {
        folded_letters(candidate).eq(folded_letters(keyword)) || is_misspelt(candidate, keyword)
    };
    keywords.find(is_alike).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// True if a word is a long keyword with one letter wrong, missing, added, or swapped with its neighbour. Shorter
/// keywords are too similar to other words.
fn is_misspelt(keyword: &str, word: &str) -> bool {
    if keyword.len() < LONG || word.len().abs_diff(keyword.len()) > 1 {
        return false;
    }
    let (letters, word): (Vec<char>, Vec<char>) =
        (folded_letters(keyword).collect(), folded_letters(word).collect());
    let same = |(a, b): &(&char, &char)| a == b;
    let n_first = letters.iter().zip(&word).take_while(same).count();
    let n_last = letters.iter().rev().zip(word.iter().rev()).take_while(same).count();
    let n_alike = n_first.saturating_add(n_last);
    let longest = letters.len().max(word.len());
    let is_swapped = letters.len() == word.len()
        && n_alike.saturating_add(2) == letters.len()
        && letters.get(n_first) == word.get(n_first.saturating_add(1))
        && letters.get(n_first.saturating_add(1)) == word.get(n_first);
    n_alike.saturating_add(1) >= longest || is_swapped
}

/// The number of letters from which a keyword's misspellings are detected.
const LONG: usize = 7;

fn folded_letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(char::is_ascii_alphabetic).map(|letter| letter.to_ascii_lowercase())
}

/// The keywords of JSON Schema 2020-12 that restrict values, as far as contradictions between them are found.
pub(super) const RESTRICTING: [&str; 28] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependentRequired",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "type",
];

/// The other keywords of JSON Schema 2020-12 and OpenAPI that restrict values, or say which are sent.
const OTHERS: [&str; 13] = [
    "default",
    "dependentSchemas",
    "discriminator",
    "else",
    "format",
    "if",
    "nullable",
    "pattern",
    "patternProperties",
    "readOnly",
    "then",
    "uniqueItems",
    "writeOnly",
];

/// Keywords of other drafts, with their equivalents in 2020-12.
const OLDER: [(&str, &str); 6] = [
    ("$recursiveRef", "write `$ref`"),
    ("additionalItems", "write `items` beside `prefixItems`"),
    ("dependencies", "write `dependentRequired` or `dependentSchemas`"),
    ("disallow", "write `not`"),
    ("divisibleBy", "write `multipleOf`"),
    ("extends", "write `allOf`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_keywords_are_distinguished_from_other_words() {
        for (keyword, expected) in [
            ("maxlength", Some("did you mean `maxLength`?")),
            ("min_items", Some("did you mean `minItems`?")),
            ("readonly", Some("did you mean `readOnly`?")),
            ("divisibleBy", Some("write `multipleOf`")),
            ("maximun", Some("did you mean `maximum`?")),
            ("minLenght", Some("did you mean `minLength`?")),
            ("additionalProperty", None),
            ("patern", Some("did you mean `pattern`?")),
            ("propertes", Some("did you mean `properties`?")),
            ("reqired", Some("did you mean `required`?")),
            ("maxLength", None),
            ("patterns", Some("did you mean `pattern`?")),
            ("minItem", Some("did you mean `minItems`?")),
            ("example", None),
            ("examples", None),
            ("deprecated", None),
            ("title", None),
            ("contentEncoding", None),
            ("externalDocs", None),
            ("collectionFormat", None),
            ("$comment", None),
        ] {
            assert_eq!(keyword_suggestion(keyword).as_deref(), expected, "{keyword}");
        }
    }
}
