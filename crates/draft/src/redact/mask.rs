//! Masks secrets in every text of an exchange.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use callgate_secret::Ranges;
use callgate_tool::{Number, Object, Value};

use super::{
    MASKED,
    scan::{secret_value_ranges, unescaped_texts},
    secret_name::{VALUE_MEMBERS, is_secret_member, is_secret_pair},
};
use crate::{
    body::Body,
    exchange::{Exchange, Message},
    text::{is_fraction, is_web_token, looks_random},
};

/// Beginnings of keys that services give out, by which they are recognized wherever they stand.
const KEY_BEGINNINGS: [&str; 15] = [
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "whsec_",
    "sk-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "ya29.",
];

/// The secrets of all exchanges, which are all looked for in one pass.
pub(super) struct Mask {
    /// `None` where there are more than can be looked for, so that no text stays.
    secrets: Option<AhoCorasick>,
    /// The length of the longest secret that begins with each of the patterns.
    lengths: Vec<usize>,
}

/// More spellings of secrets are not looked for: nobody has as many, and each takes memory.
const MOST_SECRETS: usize = 40_000;

/// The bytes of a secret that are looked for. Where more are equal, the rest is the rest of the secret; and as patterns are short,
/// only as many of them end at one place of a text.
const LONGEST_PATTERN: usize = 32;

/// Shorter secrets are looked for as they are alone.
const SHORTEST_SPELLED: usize = 6;

impl Mask {
    pub(super) fn new(secrets: &BTreeSet<String>) -> Self {
        let spellings: Vec<_> =
            secrets.iter().flat_map(|secret| secret_spellings(secret)).collect();
        let mut lengths_by_pattern = BTreeMap::<&[u8], usize>::new();
        for secret in spellings.iter().map(Vec::as_slice) {
            let pattern = secret.get(..LONGEST_PATTERN).unwrap_or(secret);
            let length = lengths_by_pattern.entry(pattern).or_default();
            *length = secret.len().max(*length);
        }
        let (patterns, lengths): (Vec<_>, Vec<_>) = lengths_by_pattern.into_iter().unzip();
        // The other kind takes memory for each byte that may follow each byte.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let is_small = patterns.len() <= MOST_SECRETS;
        let secrets = is_small.then(|| AhoCorasick::builder().kind(kind).build(patterns).ok());
        Self { secrets: secrets.flatten(), lengths }
    }

    pub(super) fn mask_exchange(&self, exchange: &mut Exchange) {
        exchange.visit_texts(|text| self.mask_secret_looking(text));
        for segment in &mut exchange.segments {
            segment.name = segment.name.take().filter(|name| !name.contains(MASKED));
        }
        self.mask_text(&mut exchange.place);
        self.mask_message_body(&mut exchange.request);
        if let Some(response) = &mut exchange.response {
            self.mask_message_body(&mut response.message);
        }
    }

    fn mask_message_body(&self, message: &mut Message) {
        match &mut message.body {
            Some(Body::Json(_, value)) => self.mask_json(value, false),
            Some(Body::Form(pairs)) => {
                for (name, value) in pairs {
                    self.mask_pair(name, Some(value));
                }
            }
            Some(Body::Multipart(parts)) => {
                for part in parts {
                    self.mask_pair(&mut part.name, part.text.as_mut());
                }
            }
            Some(Body::Text(_, text)) => self.mask_secret_looking(text),
            Some(Body::Binary(_) | Body::Unreadable(_)) | None => {}
        }
    }

    fn mask_pair(&self, name: &mut String, value: Option<&mut String>) {
        if let Some(value) = value {
            self.mask_whole_or_secrets(value, is_secret_member(name));
        }
        self.mask_secret_looking(name);
    }

    /// Masks what is secret in a value; all leaves where it stands below the name of a secret. Of numbers a number stays, so that the
    /// draft has their type; truth values hide nothing.
    fn mask_json(&self, value: &mut Value, is_below: bool) {
        match value {
            Value::Array(items) => {
                for item in items {
                    self.mask_json(item, is_below);
                }
            }
            Value::Object(members) => self.mask_members(members, is_below),
            Value::String(text) => self.mask_whole_or_secrets(text, is_below),
            Value::Number(number) if is_below || self.has_secret(&number.digits()) => {
                let zero = if is_fraction(&number.digits()) { "0.0" } else { "0" };
                *value = Number::from_digits(zero).map_or(Value::Null, Value::Number);
            }
            Value::Bool(_) | Value::Null | Value::Number(_) => {}
        }
    }

    /// Masks values, and names that are secrets, such as the keys of a map; those are numbered.
    fn mask_members(&self, members: &mut Object, is_below: bool) {
        let mut n_masked = 0_usize;
        let is_pair = is_secret_pair(members);
        let masked = std::mem::take(members).into_iter().map(|(mut name, mut value)| {
            let is_value = is_pair && VALUE_MEMBERS.contains(&name.as_str());
            self.mask_json(&mut value, is_below || is_value || is_secret_member(&name));
            let is_key = is_below && !is_letters_and_dashes(&name);
            self.mask_whole_or_secrets(&mut name, is_key);
            if name.contains(MASKED) {
                n_masked += 1;
                name = format!("{MASKED}{n_masked}");
            }
            (name, value)
        });
        *members = masked.collect();
    }

    fn mask_whole_or_secrets(&self, value: &mut String, is_secret: bool) {
        if is_secret && !value.is_empty() {
            MASKED.clone_into(value);
        } else {
            self.mask_secret_looking(value);
        }
    }

    /// Masks a whole value that looks like a secret, or what is secret within it; a text that is JSON is masked as such.
    pub(super) fn mask_secret_looking(&self, text: &mut String) {
        if looks_random(text) || is_token_or_key(text) {
            MASKED.clone_into(text);
        } else if let Some(value) = parse_json_container(text) {
            let mut masked = value.clone();
            self.mask_json(&mut masked, false);
            if masked != value {
                *text = masked.to_string();
            }
        } else {
            self.mask_text(text);
        }
    }

    fn has_secret(&self, text: &str) -> bool {
        self.secrets.as_ref().is_none_or(|secrets| secrets.is_match(text))
    }

    /// Masks what is secret within a text: secrets may lie within others, or begin where another has not ended.
    pub(super) fn mask_text(&self, text: &mut String) {
        let Some(secrets) = &self.secrets else {
            MASKED.clone_into(text);
            return;
        };
        let mut ranges = Ranges::default();
        for pattern in secrets.find_overlapping_iter(&*text) {
            let length = self.lengths.get(pattern.pattern().as_usize()).copied().unwrap_or(0);
            let end = pattern.start().saturating_add(length);
            ranges.push(pattern.start(), text.ceil_char_boundary(end));
        }
        ranges.extend(secret_value_ranges(text).into_iter().map(|range| (range.start, range.end)));
        let mut start = 0_usize;
        for word in text.split_inclusive(is_between_keys) {
            let key = word.trim_end_matches(is_between_keys);
            if is_token_or_key(key) {
                ranges.push(start, start.saturating_add(key.len()));
            }
            start = start.saturating_add(word.len());
        }
        if let Some(masked) = ranges.masked_bytes(text.as_bytes()) {
            *text = String::from_utf8_lossy(&masked).into_owned();
        }
        // What only escapes hide is not cut out of them.
        if unescaped_texts(text).any(|plain| self.has_secret(&plain) || has_named_secret(&plain)) {
            MASKED.clone_into(text);
        }
    }
}

/// A secret as a service may repeat it. Spellings of a short one stand in any text.
fn secret_spellings(secret: &str) -> Vec<Vec<u8>> {
    if secret.len() < SHORTEST_SPELLED {
        return vec![secret.as_bytes().to_vec()];
    }
    callgate_secret::spellings(secret.as_bytes()).iter().map(|spelling| spelling.to_vec()).collect()
}

fn has_named_secret(text: &str) -> bool {
    !secret_value_ranges(text).is_empty()
}

/// An object or a list that a text is.
pub(super) fn parse_json_container(text: &str) -> Option<Value> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    is_json.then(|| Value::parse(text).ok()).flatten()
}

/// True for a name that is no key of a map of secrets.
fn is_letters_and_dashes(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
}

fn is_between_keys(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// True for a web token, and for a key as a service gives it out.
fn is_token_or_key(word: &str) -> bool {
    let is_long = word.len() >= 16 && word.bytes().any(|byte| byte.is_ascii_digit());
    is_web_token(word)
        || (is_long && KEY_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)))
}
