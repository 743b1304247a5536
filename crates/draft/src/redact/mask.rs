//! Masks secrets in every text of an exchange.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use callgate_secret::Ranges;
use callgate_tool::{Object, Value};

use super::{MASKED, credential::is_secret_member};
use crate::{
    body::Body,
    exchange::{Exchange, Message},
    text::{is_web_token, looks_random},
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

/// More secrets are not looked for: nobody has as many, and each takes memory.
const MOST_SECRETS: usize = 20_000;

/// The bytes of a secret that are looked for. Where more are equal, the rest is the rest of the secret; and as patterns are short,
/// only as many of them end at one place of a text.
const LONGEST_PATTERN: usize = 32;

impl Mask {
    pub(super) fn new(secrets: &BTreeSet<String>) -> Self {
        let mut lengths_by_pattern = BTreeMap::<&[u8], usize>::new();
        for secret in secrets.iter().map(String::as_bytes) {
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
        for segment in &mut exchange.segments {
            self.mask_value(&mut segment.text);
        }
        for (_, value) in exchange.query.iter_mut().chain(&mut exchange.request.headers) {
            self.mask_value(value);
        }
        self.mask_message_body(&mut exchange.request);
        if let Some(response) = &mut exchange.response {
            self.mask_message_body(&mut response.message);
        }
    }

    fn mask_message_body(&self, message: &mut Message) {
        match &mut message.body {
            Some(Body::Json(_, value)) => self.mask_json(value),
            Some(Body::Form(pairs)) => {
                for (name, value) in pairs {
                    self.mask_secrets_in_member(name, value);
                }
            }
            Some(Body::Multipart(parts)) => {
                for part in parts {
                    part.text
                        .iter_mut()
                        .for_each(|text| self.mask_secrets_in_member(&part.name, text));
                }
            }
            Some(Body::Text(_, text)) => self.mask_text(text),
            Some(Body::Binary(_) | Body::Unreadable(_)) | None => {}
        }
    }

    fn mask_json(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_json(item)),
            Value::Object(members) => self.mask_members(members),
            Value::String(text) => self.mask_value(text),
            Value::Bool(_) | Value::Null | Value::Number(_) => {}
        }
    }

    /// Masks values, and names that are secrets, such as the keys of a map; those are numbered.
    fn mask_members(&self, members: &mut Object) {
        let mut n_masked = 0_usize;
        let masked = std::mem::take(members).into_iter().map(|(mut name, mut value)| {
            match &mut value {
                Value::String(text) => self.mask_secrets_in_member(&name, text),
                value => self.mask_json(value),
            }
            self.mask_value(&mut name);
            if name.contains(MASKED) {
                n_masked += 1;
                name = format!("{MASKED}{n_masked}");
            }
            (name, value)
        });
        *members = masked.collect();
    }

    fn mask_secrets_in_member(&self, name: &str, value: &mut String) {
        if is_secret_member(name) && !value.is_empty() {
            MASKED.clone_into(value);
        } else {
            self.mask_value(value);
        }
    }

    /// Masks a whole value that looks like a secret, or what is secret within it.
    fn mask_value(&self, text: &mut String) {
        if looks_random(text) || is_key(text) {
            MASKED.clone_into(text);
        } else {
            self.mask_text(text);
        }
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
        let mut start = 0_usize;
        for word in text.split_inclusive(is_between_keys) {
            let key = word.trim_end_matches(is_between_keys);
            if is_key(key) {
                ranges.push(start, start.saturating_add(key.len()));
            }
            start = start.saturating_add(word.len());
        }
        if let Some(masked) = ranges.mask(text.as_bytes()) {
            *text = String::from_utf8_lossy(&masked).into_owned();
        }
    }
}

fn is_between_keys(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// True for a web token, and for a key as a service gives it out.
fn is_key(word: &str) -> bool {
    let is_long = word.len() >= 16 && word.bytes().any(|byte| byte.is_ascii_digit());
    is_web_token(word)
        || (is_long && KEY_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)))
}
