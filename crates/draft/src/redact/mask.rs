//! Masks secrets in every text of an exchange.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;
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
}

impl Mask {
    pub(super) fn new(secrets: &BTreeSet<String>) -> Self {
        Self { secrets: AhoCorasick::new(secrets).ok() }
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

    /// Masks what is secret within a text.
    pub(super) fn mask_text(&self, text: &mut String) {
        mask_matches(text, self.secrets.as_ref());
        let keys: BTreeSet<&str> =
            text.split(is_between_keys).filter(|word| is_key(word)).collect();
        if !keys.is_empty() {
            let keys = AhoCorasick::new(keys).ok();
            mask_matches(text, keys.as_ref());
        }
    }
}

/// Masks what stands in any match: secrets may lie within others, or begin where another has not ended.
fn mask_matches(text: &mut String, secrets: Option<&AhoCorasick>) {
    let Some(secrets) = secrets else {
        MASKED.clone_into(text);
        return;
    };
    let mut ranges: Vec<(usize, usize)> =
        secrets.find_overlapping_iter(&*text).map(|it| (it.start(), it.end())).collect();
    if ranges.is_empty() {
        return;
    }
    ranges.sort_unstable();
    let (mut masked, mut rest) = (String::with_capacity(text.len()), 0);
    for (start, end) in ranges {
        if start >= rest {
            masked.push_str(text.get(rest..start).unwrap_or_default());
            masked.push_str(MASKED);
        }
        rest = rest.max(end);
    }
    masked.push_str(text.get(rest..).unwrap_or_default());
    *text = masked;
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
