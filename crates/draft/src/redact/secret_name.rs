//! The names that mean a secret: of headers, queries and cookies, and of members of bodies. It decides by words of names alone.

use callgate_tool::{Object, Value};

use crate::name::words;

/// Words of names that mean a secret wherever they stand, in lower case and without separators.
const SECRET_WORDS: [&str; 34] = [
    "accesskey",
    "apikey",
    "authcode",
    "authtoken",
    "bindpw",
    "cardnumber",
    "clientsecret",
    "credential",
    "csrf",
    "dbpass",
    "encryptionkey",
    "kennwort",
    "masterkey",
    "mfacode",
    "mnemonic",
    "onetimecode",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwort",
    "privatekey",
    "recoverycode",
    "secret",
    "securitycode",
    "seedphrase",
    "sessid",
    "sessionid",
    "signature",
    "signingkey",
    "smscode",
    "userpass",
    "verificationcode",
    "xsrf",
];
/// Words that mean a secret at the end of a name, and something else within one (`pin` and `pinned`).
const LAST_WORDS: [&str; 17] = [
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cvc",
    "cvv",
    "jwt",
    "mfa",
    "otp",
    "pass",
    "pin",
    "psk",
    "pw",
    "pwd",
    "sig",
    "totp",
    "xauth",
];
/// Names that mean a secret in a header, a query or a cookie, and something else in a body.
const INPUT_NAMES: [&str; 3] = ["key", "session", "sid"];
/// Beginnings of names of lists of tokens. Other names that end so count the tokens of a model.
const TOKEN_KINDS: [&str; 9] =
    ["access", "api", "auth", "bearer", "csrf", "device", "id", "refresh", "session"];
/// Members that hold a name, and those that hold its value.
const NAME_MEMBERS: [&str; 3] = ["key", "name", "field"];
pub(super) const VALUE_MEMBERS: [&str; 3] = ["value", "values", "content"];
/// Tokens that name a place in a list.
const PAGE_WORDS: [&str; 7] = ["page", "next", "prev", "cursor", "sync", "continu", "resume"];
/// Ends of names of identifiers.
const THING_ENDINGS: [&str; 8] = ["id", "ids", "hash", "sha", "digest", "commit", "etag", "ref"];

/// True for the name of a header, a query parameter or a cookie that carries a credential.
pub(crate) fn is_secret_input(name: &str) -> bool {
    let short = lowercase_alphanumerics(name);
    let short = short.strip_prefix('x').unwrap_or(&short);
    is_secret_member(name) || INPUT_NAMES.contains(&short)
}

/// True for the name of a member whose value is secret, and all that is below it.
pub(super) fn is_secret_member(name: &str) -> bool {
    let plain = lowercase_alphanumerics(name);
    let is_token = plain.ends_with("token") && !is_page_name(name);
    is_token
        || SECRET_WORDS.iter().any(|word| plain.contains(word))
        || is_tokens_name(&plain)
        || words(name).last().is_some_and(|word| LAST_WORDS.contains(&word.as_str()))
}

/// True for an object that says the name of a secret beside its value: `{"name": "password", "value": "…"}`.
pub(super) fn is_secret_pair(members: &Object) -> bool {
    let names = NAME_MEMBERS.iter().filter_map(|name| members.get(name).and_then(Value::as_str));
    names.into_iter().any(is_secret_input)
}

/// True where the name ends with the word for a secret: its value is secret even where it is a word. `secret_scanning` only begins so.
pub(super) fn ends_with_secret(name: &str) -> bool {
    let plain = lowercase_alphanumerics(name);
    plain.ends_with("token")
        || SECRET_WORDS.iter().any(|word| plain.ends_with(word))
        || words(name).last().is_some_and(|word| LAST_WORDS.contains(&word.as_str()))
}

/// True for the name of an identifier or of a place in a list, whose values also look as if nobody had typed them.
pub(super) fn is_identifier_name(name: &str) -> bool {
    let plain = lowercase_alphanumerics(name);
    THING_ENDINGS.iter().any(|ending| plain.ends_with(ending)) || is_page_name(name)
}

/// True for the name of a query parameter without a value that is a word, and no key: `wsdl`, `include_old`, `includeDeletedPets`.
pub(super) fn is_flag_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_word = bytes.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_.[]".contains(byte));
    let has_capitals = bytes
        .array_windows()
        .any(|[before, after]| before.is_ascii_uppercase() && after.is_ascii_uppercase());
    is_word && (!has_capitals || bytes.len() <= LONGEST_ACRONYM)
}

fn is_tokens_name(plain: &str) -> bool {
    let kind = plain.strip_suffix("tokens");
    kind.is_some_and(|kind| kind.is_empty() || TOKEN_KINDS.iter().any(|word| kind.ends_with(word)))
}

fn is_page_name(name: &str) -> bool {
    let name = lowercase_alphanumerics(name);
    PAGE_WORDS.iter().any(|word| name.contains(word))
}

fn lowercase_alphanumerics(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Longer names in capitals are keys.
const LONGEST_ACRONYM: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_differ_from_names_with_such_words() {
        let names = "db_pass userPin sms-otp user[pwd] Authorization api_keys tokens refreshTokens X-Auth Set-Cookie JSESSIONID passcode credentials";
        for name in names.split(' ') {
            assert!(is_secret_member(name), "{name}");
        }
        for name in ["compass", "pinned", "max_tokens", "nextPageToken", "author", "key", "bypass"]
        {
            assert!(!is_secret_member(name), "{name}");
        }
        for name in ["wsdl", "WSDL", "includeDeletedPetsAndOwners", "fields[]"] {
            assert!(is_flag_name(name), "{name}");
        }
        assert!(!is_flag_name("CANARYAIzaKEYNAME") && !is_flag_name("k7Qp2Zx9Vb4Nm8Ls3"));
    }
}
