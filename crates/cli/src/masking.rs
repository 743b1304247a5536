//! Texts as snippets may show them: a configuration without literal secrets, without values in the place of a secret's
//! reference, and without texts that were pasted elsewhere. Files of other kinds show no line at all.

use callgate::config::Finding;
use callgate_secret::MASK;

/// The text with the rest of each line masked from where a secret may begin. The part before keeps its place.
pub(crate) fn mask_possible_secrets(text: &str, findings: &[Finding]) -> String {
    let mut masked = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let (content, end) = line.split_at(line.trim_end_matches(['\r', '\n']).len());
        match length_before_secret(content, index.saturating_add(1), findings) {
            Some(start) => {
                masked.extend(content.chars().take(start));
                masked.push_str(MASK);
            }
            None => masked.push_str(content),
        }
        masked.push_str(end);
    }
    masked
}

/// A line up to where an address in it has a login or a query, which may be secret.
pub(crate) fn mask_from_login_or_query(line: &str) -> String {
    match addresses(line).find_map(|address| address.start_of_login_or_query()) {
        Some(start) => line.get(..start).unwrap_or_default().to_owned() + MASK,
        None => line.to_owned(),
    }
}

/// Returns true if a text is a description, an overlay or a configuration, or was meant to be one: a line begins with
/// one of their keys, or the text is JSON with one.
pub(crate) fn is_description_or_config(text: &str) -> bool {
    has_mapping_key(text, &KEYS)
}

pub(crate) fn is_part_of_document(text: &str) -> bool {
    is_description_or_config(text) || has_mapping_key(text, &KEYS_OF_PARTS)
}

fn has_mapping_key(text: &str, keys: &[&str]) -> bool {
    let begins = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "{,\u{feff}".contains(c));
        let line = line.trim_start_matches(['"', '\'']);
        let end = line.find(|c: char| !c.is_ascii_alphanumeric() && !"_$-".contains(c));
        let (key, rest) = line.split_at(end.unwrap_or(line.len()));
        rest.trim_start_matches(['"', '\'', ' ']).starts_with(':') && keys.contains(&key)
    };
    text.lines().any(begins) || keys.iter().any(|key| text.contains(&format!("\"{key}\":")))
}

/// The number of characters in a line before the first possible secret.
fn length_before_secret(line: &str, number: usize, findings: &[Finding]) -> Option<usize> {
    let literal = line.split_once(LITERAL);
    let literal = literal.map(|(before, _)| before.chars().count().saturating_add(LITERAL.len()));
    let pasted = findings.iter().filter_map(|finding| {
        let position = finding.position.filter(|position| position.line == number)?;
        let start = position.column.saturating_sub(1);
        let may_hold = |part: &str| finding.pointer.contains(part);
        match finding.code {
            NO_REFERENCE => Some(start),
            UNKNOWN_KEY => Some(length_before_value(line, start)),
            _ if CREDENTIALS.into_iter().any(may_hold) => Some(length_before_value(line, start)),
            _ => None,
        }
    });
    let is_hook = line.contains(WEBHOOK)
        || findings.iter().any(|finding| {
            finding.pointer.contains(WEBHOOK)
                && finding.position.is_some_and(|position| position.line == number)
        });
    let hook = addresses(line).filter(|_| is_hook).find_map(|hook| hook.end_of_first('/'));
    let hook = hook.and_then(|start| Some(line.get(..start)?.chars().count()));
    pasted.chain(literal).chain(length_before_random_word(line)).chain(hook).min()
}

/// The rest of an address behind its scheme, as far as a text in quotes or a line goes.
struct Address<'l> {
    start: usize,
    rest: &'l str,
}

impl Address<'_> {
    /// The place of the login of the address, or of its query.
    fn start_of_login_or_query(&self) -> Option<usize> {
        // An `@` behind the host hides more than it must, and one in a password with a `/` nothing less.
        if self.rest.contains('@') { Some(self.start) } else { self.end_of_first('?') }
    }

    fn end_of_first(&self, mark: char) -> Option<usize> {
        let at = self.rest.find(mark)?;
        self.start.checked_add(at)?.checked_add(mark.len_utf8())
    }
}

/// The addresses in a line, also those in which JSON escapes slashes. One within another is none.
fn addresses(line: &str) -> impl Iterator<Item = Address<'_>> {
    let mut start = 0_usize;
    std::iter::from_fn(move || {
        loop {
            start = start.checked_add(line.get(start..)?.find(':')?)?;
            let rest = line.get(start..)?;
            let mark = ["://", r":\/\/"].into_iter().find(|mark| rest.starts_with(mark));
            start = start.checked_add(mark.map_or(1, str::len))?;
            if mark.is_some() {
                let rest = text_before_closing_quote(line.get(start..)?);
                let address = Address { start, rest };
                start = start.checked_add(rest.len())?;
                return Some(address);
            }
        }
    })
}

/// The text to the quote that ends it: one within a plain text of YAML ends nothing.
fn text_before_closing_quote(rest: &str) -> &str {
    let is_end = |at: &usize| {
        let next = rest.get(at.saturating_add(1)..).unwrap_or_default();
        next.is_empty() || next.starts_with([',', '}', ']', ':', ' '])
    };
    let end = rest.match_indices('"').map(|(at, _)| at).find(is_end);
    end.and_then(|end| rest.get(..end)).unwrap_or(rest)
}

/// The number of characters in a line before the value of the key that begins after `start`, or before `start` if a
/// value begins there.
fn length_before_value(line: &str, start: usize) -> usize {
    let rest: String = line.chars().skip(start).collect();
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
    let inner = quote.map_or(rest.as_str(), |quote| rest.trim_start_matches(quote));
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-$.".contains(c);
    let after = inner.trim_start_matches(is_name);
    let after = quote.map_or(after, |quote| after.trim_start_matches(quote));
    let key = rest.chars().count().saturating_sub(after.chars().count());
    match after.trim_start().strip_prefix(':') {
        Some(value) if value.is_empty() || value.starts_with([' ', '"', '\'']) => {
            start + key + after.chars().count() - value.chars().count()
        }
        _ => start,
    }
}

/// The number of characters in a line before the first word that looks random, like keys and tokens.
fn length_before_random_word(line: &str) -> Option<usize> {
    let mut before = 0;
    for word in line.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && !"_-+~".contains(c)) {
        if is_random_word(word) {
            return Some(before);
        }
        before += word.chars().count();
    }
    None
}

/// Returns true for a long word that changes between letters and digits more often than names do.
fn is_random_word(word: &str) -> bool {
    let kinds: Vec<bool> =
        word.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.is_ascii_digit()).collect();
    let n_changes = kinds.windows(2).filter(|pair| matches!(pair, [one, other] if one != other));
    kinds.len() >= RANDOM_LENGTH && n_changes.count() >= RANDOM_CHANGES
}

const LITERAL: &str = "literal:";

/// The address of a webhook is a secret from its path on.
const WEBHOOK: &str = "webhook";

const NO_REFERENCE: &str = "secret-reference";
/// The code for an unknown key: the intended key may hold a secret.
const UNKNOWN_KEY: &str = "unknown-key";

/// The parts of a pointer below which credentials are written.
const CREDENTIALS: [&str; 4] = ["/auth", "/credentials", "/secrets", "/access"];

const KEYS: [&str; 11] = [
    "auth",
    "body_media",
    "credentials",
    "limits",
    "openapi",
    "overlay",
    "prefix",
    "server",
    "swagger",
    "toolsets",
    "upstream",
];
const KEYS_OF_PARTS: [&str; 12] = [
    "$defs",
    "$ref",
    "allOf",
    "anyOf",
    "components",
    "definitions",
    "description",
    "oneOf",
    "parameters",
    "properties",
    "responses",
    "type",
];

/// Shorter than any random key.
const RANDOM_LENGTH: usize = 16;
/// A name with a date or a version in it changes less often.
const RANDOM_CHANGES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_descriptions_and_configurations_are_shown() {
        for (text, expected) in [
            ("openapi: 3.0.3", true),
            ("# comment\n'swagger' : \"2.0\"", true),
            ("\u{feff}{\"openapi\":\"3.0.3\"}", true),
            ("{\"info\": {}, \"openapi\": \"3.1.0\"}", true),
            ("toolsets: [", true),
            ("API_KEY=canary\nTOKEN=canary", false),
            ("root:canary:0:0:root:/root:/bin/bash\nopenapi_user:x:1:1::/:", false),
            ("-----BEGIN PRIVATE KEY-----\ncanary", false),
            ("password: canary", false),
            ("", false),
        ] {
            assert_eq!(is_description_or_config(text), expected, "{text}");
        }
        assert!(
            is_part_of_document("type: object\nproperties: {}")
                && !is_part_of_document("KEY=canary")
        );
    }

    #[test]
    fn in_a_shown_line_the_value_is_hidden_and_its_key_visible() {
        for (line, start, expected) in [
            ("  tokn: canary", 2, 7),
            ("  'to kn': canary", 2, 2),
            ("{\"tokn\":\"canary\"}", 1, 8),
            ("  token: canary", 9, 9),
            ("  canary:canary", 2, 2),
        ] {
            assert_eq!(length_before_value(line, start), expected, "{line}");
        }
    }

    #[test]
    fn logins_and_queries_of_addresses_are_hidden() {
        for (line, expected) in [
            ("url: redis://u:pw@127.0.0.1:1", "url: redis://****"),
            ("{ url: \"redis://u:p/w@h\", key: 1 }", "{ url: \"redis://****"),
            (r#"{"url": "https:\/\/u:pw@a.example"}"#, r#"{"url": "https:\/\/****"#),
            ("é: 'https://a.example/v1?sig=x'", "é: 'https://a.example/v1?****"),
            ("a: https://a.example/v1, b: kim@a.example", "a: https://****"),
            ("- \"https://a.example/v1\" # kim@a?", "- \"https://a.example/v1\" # kim@a?"),
            ("a: redis://u:p\"w@h", "a: redis://****"),
        ] {
            assert_eq!(mask_from_login_or_query(line), expected);
        }
    }

    #[test]
    fn the_path_of_a_webhook_is_hidden() {
        let text = "approvals: { webhook: { url: \"https://a.example/T0/B0\" } }\nurl: https://a.example/b";
        let expected =
            "approvals: { webhook: { url: \"https://a.example/****\nurl: https://a.example/b";
        assert_eq!(mask_possible_secrets(text, &[]), expected);
    }

    #[test]
    fn words_that_look_random_are_hidden() {
        for (line, expected) in [
            ("prefix: sk-live-51H8xZk2eTq9", Some(8)),
            ("a: ghp_16C7e42F292c6912E7710c838347Ae178B4a", Some(3)),
            ("a: 0d9b1c3e-77aa-4d2f-9c1e-3f2b8a6d5e4c", Some(3)),
            ("openapi: petstore-2024-10-01-public.yaml", None),
            ("server: https://api-eu1.example.com/v1/customers", None),
            ("x-agent-input-parameter: customerIdentifier", None),
            ("limits: {timeout: 30s, response_bytes: 1MiB}", None),
        ] {
            assert_eq!(length_before_random_word(line), expected, "{line}");
        }
    }
}
