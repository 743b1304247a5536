//! Distinguishes meaningless names from meaningful ones. It looks only at words; the effect of an operation is not
//! known here.

/// Words that name neither a thing nor a purpose.
const VAGUE: [&str; 27] = [
    "action",
    "api",
    "call",
    "create",
    "delete",
    "do",
    "endpoint",
    "execute",
    "fetch",
    "function",
    "get",
    "handle",
    "handler",
    "index",
    "invoke",
    "list",
    "method",
    "op",
    "operation",
    "patch",
    "post",
    "put",
    "request",
    "run",
    "set",
    "test",
    "update",
];

/// A longer name is never vague.
const LONGEST: usize = 200;

/// Returns true if an `operationId` consists of meaningless words: `get`, `operation1`, `api_call`.
pub(crate) fn is_vague(operation_id: &str) -> bool {
    if operation_id.len() > LONGEST {
        return false;
    }
    let words = id_words(operation_id);
    words.iter().all(|word| is_meaningless_word(word)) && !is_post_noun(&words)
}

fn id_words(operation_id: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    for c in operation_id.chars() {
        if (!c.is_alphabetic() || c.is_uppercase()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii() {
            word.extend(Some(c.to_ascii_lowercase()).filter(char::is_ascii_alphabetic));
        } else {
            word.extend(c.to_lowercase().filter(|c| c.is_alphabetic()));
        }
    }
    words.push(word);
    words
}

/// True for a post, which is a thing beside a verb: `getPost`, `post-create`.
fn is_post_noun(words: &[String]) -> bool {
    let is_done = |verb: &str| VERBS.contains(&verb);
    match words {
        [one, other] => (is_done(one) && other == "post") || (one == "post" && is_done(other)),
        _ => false,
    }
}

/// Verbs that need a thing; `do` and `handle` go with the method.
const VERBS: [&str; 7] = ["create", "delete", "fetch", "get", "list", "patch", "update"];

pub(super) fn is_meaningless_word(word: &str) -> bool {
    word.is_empty() || VAGUE.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_of_generic_words_is_vague() {
        for (id, expected) in [
            ("get", true),
            ("operation1", true),
            ("api_call", true),
            ("doPost", true),
            ("getPost", false),
            ("post-create", false),
            ("list_post", false),
            ("post", true),
            ("postPost", true),
            ("apiGetPost", true),
            ("42", true),
            ("getPet", false),
            ("list", true),
            ("pets", false),
            ("a", false),
            ("\u{732b}", false),
        ] {
            assert_eq!(is_vague(id), expected, "{id}");
        }
    }
}
