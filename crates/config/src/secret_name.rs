//! Recognizes the names of headers whose values are secrets, and values that are credentials whatever the name is. Used
//! for plain texts: a secret that the operator did not mark as one must still not be shown.

/// Returns true if the name of a header, or the text itself, says that the text is a secret.
pub(crate) fn is_secret_header(name: &str, text: &str) -> bool {
    let words = name_words(name);
    let is_about = words.last().is_some_and(|last| ABOUT.contains(&&**last));
    let has_name = !is_about && words.iter().any(|word| is_secret_word(word));
    has_name || is_credential(text)
}

/// The words of a name in lower case: `X-ApiKey` has `x`, `api` and `key`.
fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut was_lower = false;
    let mut ends = true;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            ends = true;
            continue;
        }
        if ends || was_lower && letter.is_uppercase() {
            words.push(String::new());
        }
        (ends, was_lower) = (false, letter.is_lowercase());
        words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
    }
    words
}

/// `apikey` and `authtoken` are written as one word, too.
fn is_secret_word(word: &str) -> bool {
    let word = word.trim_end_matches(|last: char| last.is_ascii_digit());
    let word = word.strip_suffix('s').unwrap_or(word);
    WHOLE.contains(&word)
        || ENDS.iter().any(|end| word.ends_with(end))
        || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

/// `Bearer …`, `Basic …` and the three parts of a JWT.
fn is_credential(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let scheme = words.next().unwrap_or_default();
    let has_scheme =
        SCHEMES.iter().any(|credential_scheme| scheme.eq_ignore_ascii_case(credential_scheme));
    has_scheme && words.next().is_some()
        || text.starts_with("eyJ") && text.matches('.').count() == 2
}

/// Words that are secrets as they stand; other words may end with them: `monkey`.
const WHOLE: [&str; 9] =
    ["auth", "jwt", "key", "otp", "passwd", "pin", "pwd", "secret", "signature"];
/// Ends of words that are secrets, however they begin.
const ENDS: [&str; 9] = [
    "apikey",
    "authkey",
    "accesskey",
    "cookie",
    "credential",
    "passphrase",
    "password",
    "secret",
    "token",
];
const BEGINNINGS: [&str; 2] = ["authoriz", "authentic"];
/// Last words of names that are about a secret and hold none: `X-Token-Type`.
const ABOUT: [&str; 9] = [
    "algorithm",
    "encoding",
    "format",
    "location",
    "method",
    "scheme",
    "type",
    "version",
    "versions",
];
/// Schemes of `Authorization`.
const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "negotiate", "token"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_with_secret_names_have_secret_values() {
        let texts = "X-Api-Key x-apikey ApiKey X-Auth AUTHORIZATION Proxy-Authorization
            X-Auth-Token PRIVATE-TOKEN X-Csrf-Token x_client_secret Cookie2 X-Session-Cookie
            X-Password X-Passwd X-Credentials x-goog-api-key Ocp-Apim-Subscription-Key
            X-Functions-Keys X-Hub-Signature";
        for name in texts.split_whitespace() {
            assert!(is_secret_header(name, "2024-05-01"), "{name}");
        }
    }

    #[test]
    fn headers_with_other_names_have_plain_values() {
        let texts = "X-Api-Version | X-N | X-Tenant | X-Author | X-Monkey | X-Keyboard
            | X-Tokenizer | X-Token-Type | X-Key-Format | X-Authority | X-Spinner
            | Accept-Language | User-Agent |";
        for name in texts.split('|').map(str::trim) {
            assert!(!is_secret_header(name, "2024-05-01"), "{name}");
        }
    }

    #[test]
    fn a_credential_is_a_secret_in_any_header() {
        for text in ["Bearer abc", "basic YTpi", "eyJhbGciOiJub25lIn0.e30.c2ln"] {
            assert!(is_secret_header("X-Custom", text), "{text}");
        }
        for text in ["Bearer", "bearers of news", "a.b.c", "eyJ"] {
            assert!(!is_secret_header("X-Custom", text), "{text}");
        }
    }
}
