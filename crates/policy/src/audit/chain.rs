//! The chain of lines: each has a number and a code (HMAC-SHA256, RFC 2104) over itself and the previous code. Without the
//! key, nobody can alter, remove or insert a line unnoticed.

use callgate_secret::Secret;
use callgate_tool::hexadecimal;
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;

use crate::{
    digest::{Digest, digest_from_hex},
    error::{self, Error},
};

#[derive(Clone)]
pub(crate) struct ChainKey(Hmac<Sha256>);

impl ChainKey {
    /// # Errors
    /// [`ErrorKind::ShortKey`](crate::ErrorKind::ShortKey)
    pub(crate) fn new(key: &Secret) -> Result<Self, Error> {
        let key = key.expose().as_bytes();
        if key.len() < LEAST_KEY {
            return Err(error::short_key(LEAST_KEY));
        }
        Hmac::new_from_slice(key).map(Self).map_err(|_| error::short_key(LEAST_KEY))
    }

    pub(crate) fn line_mac(&self, previous: &Digest, line: &[u8]) -> Digest {
        let mut mac = self.0.clone();
        mac.update(previous);
        mac.update(line);
        mac.finalize().into_bytes().into()
    }

    pub(crate) fn verifies_line(&self, previous: &Digest, line: &Line<'_>) -> bool {
        let mut mac = self.0.clone();
        mac.update(previous);
        mac.update(line.sealed);
        mac.verify_slice(&line.code).is_ok()
    }

    /// Returns true if both keys make equal codes.
    pub(crate) fn is_same_key(&self, other: &Self) -> bool {
        let (own, code) = (self.line_mac(&START, b""), other.0.clone().chain_update(START));
        code.verify_slice(&own).is_ok()
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) code: Digest,
}

impl Head {
    pub(crate) const NONE: Self = Self { number: 0, code: START };

    pub(crate) fn append_line(&mut self, key: &ChainKey, members: &str, text: &mut String) {
        let start = text.len();
        self.number += 1;
        for part in ["{\"line\":", &self.number.to_string(), ",", members] {
            text.push_str(part);
        }
        let line = text.as_bytes().get(start..).unwrap_or_default();
        self.code = key.line_mac(&self.code, line);
        text.push_str(CODE);
        text.push_str(&hexadecimal(&self.code));
        text.push_str(END);
        text.push('\n');
    }
}

#[derive(Debug)]
pub(crate) struct Line<'a> {
    /// The part of the line before its code.
    sealed: &'a [u8],
    pub(crate) code: Digest,
    pub(crate) record: Record,
}

/// The members of a line that are read again.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    pub(crate) line: u64,
    pub(crate) time: String,
    pub(crate) event: String,
    pub(crate) call: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) principal: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) fingerprint: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) reached: Option<String>,
    pub(crate) previous: Option<String>,
    pub(crate) torn: Option<String>,
}

impl<'a> Line<'a> {
    /// Reads a line from these bytes, without the line break; `None` if they are not a whole line.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        let (sealed, rest) =
            bytes.split_at_checked(bytes.len().checked_sub(CODE.len() + 64 + END.len())?)?;
        let code = rest.strip_prefix(CODE.as_bytes())?.strip_suffix(END.as_bytes())?;
        let code = digest_from_hex(std::str::from_utf8(code).ok()?)?;
        let record = serde_json::from_slice(bytes).ok()?;
        Some(Self { sealed, code, record })
    }

    pub(crate) fn head_after(&self) -> Head {
        Head { number: self.record.line, code: self.code }
    }
}

const CODE: &str = ",\"mac\":\"";
const END: &str = "\"}";
const START: Digest = [0; 32];
/// The least length of a key in bytes: a shorter key can be guessed.
const LEAST_KEY: usize = 16;
