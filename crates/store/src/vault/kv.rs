//! The key-value engine: the version of a mount, the place of a secret in it, and the format of its responses
//! (<https://developer.hashicorp.com/vault/api-docs/secret/kv>). Sends nothing.

use callgate_secret::{Error, ErrorKind, Secret, SecretReference};
use http::StatusCode;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    exchange::StoreResponse,
    json::{self, Members},
};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Mount {
    // Ends with a slash.
    path: String,
    pub(super) version: Version,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Version {
    One,
    Two,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Described {
    data: Description,
}

#[derive(Deserialize)]
struct Description {
    path: String,
    #[serde(rename = "type")]
    kind: String,
    options: Option<Options>,
}

#[derive(Deserialize)]
struct Options {
    version: Option<String>,
}

impl Mount {
    pub(super) fn is_prefix_of(&self, path: &str) -> bool {
        path.starts_with(&self.path)
    }

    /// The request path of a secret, below `/v1/`.
    pub(super) fn request_path(&self, path: &str, version: Option<&str>) -> Result<String, Error> {
        let below = path.strip_prefix(&self.path).unwrap_or(path);
        let (mount, below) = (encoded_path(&self.path), encoded_path(below));
        match self.version {
            Version::One if version.is_some() => {
                let message = format!("the vault keeps no versions of secrets in: `{}`", self.path);
                Err(Error::new(ErrorKind::Invalid, message))
            }
            Version::One => Ok(format!("{mount}{below}")),
            Version::Two => {
                // Both ways to write a path are in use; the command accepts both, too.
                let below = below.strip_prefix("data/").unwrap_or(&below);
                let version = version.map(|version| format!("?version={version}"));
                Ok(format!("{mount}data/{below}{}", version.unwrap_or_default()))
            }
        }
    }
}

pub(super) fn mount_lookup_path(path: &str) -> String {
    format!("sys/internal/ui/mounts/{}", encoded_path(path))
}

pub(super) fn mount_of_answer(answer: &StoreResponse, path: &str) -> Result<Mount, Error> {
    match answer.status {
        StatusCode::OK => {}
        // A server without this page does not support version 2 either.
        StatusCode::NOT_FOUND => {
            let first = path.split_once('/').map_or(path, |(first, _)| first);
            return Ok(Mount { path: format!("{first}/"), version: Version::One });
        }
        StatusCode::FORBIDDEN => return Err(read_denied_error(path)),
        status => return Err(unreadable_answer_error(status)),
    }
    let described = json::parse_json::<Described>(answer.body.bytes());
    let Description { path, kind, options } =
        described.ok_or_else(|| unreadable_answer_error(answer.status))?.data;
    if kind != "kv" && kind != "generic" {
        let message =
            format!("secrets of the vault's engine `{kind}` are not supported; `kv` is: `{path}`");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    let is_two = options.and_then(|options| options.version).is_some_and(|version| version == "2");
    Ok(Mount { path, version: if is_two { Version::Two } else { Version::One } })
}

pub(super) fn secret_of_answer(
    answer: &StoreResponse,
    version: Version,
    key: &str,
    reference: &SecretReference,
) -> Result<Secret, Error> {
    match answer.status {
        StatusCode::OK => {}
        StatusCode::FORBIDDEN => return Err(read_denied_error(&reference.to_string())),
        // Version 2 describes a deleted version in the body of this response.
        StatusCode::NOT_FOUND => {
            let message = format!("the vault has no secret, or deleted it: `{reference}`");
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        status => return Err(unreadable_answer_error(status)),
    }
    let malformed = || unreadable_answer_error(answer.status);
    let mut data = json::parse_json::<Data<'_>>(answer.body.bytes()).and_then(|read| read.data);
    if version == Version::Two {
        data = json::parse_json::<Data<'_>>(data.ok_or_else(malformed)?.get().as_bytes())
            .and_then(|read| read.data);
    }
    let members: Members<'_> =
        data.and_then(|data| json::parse_json(data.get().as_bytes())).ok_or_else(malformed)?;
    let Some(value) = members.get(key) else {
        let message = format!("the vault's secret has no such key: `{reference}`");
        return Err(Error::new(ErrorKind::NotFound, message));
    };
    let text_secret = json::secret_of_json_scalar(value).filter(|secret| !secret.is_empty());
    text_secret.ok_or_else(|| {
        let message = format!("the vault's secret must be a text that is not empty: `{reference}`");
        Error::new(ErrorKind::Invalid, message)
    })
}

fn read_denied_error(what: &str) -> Error {
    let message = format!("the vault does not let this token read: `{what}`");
    Error::new(ErrorKind::Denied, message)
}

fn unreadable_answer_error(status: StatusCode) -> Error {
    let message =
        format!("the vault answers {} and nothing that can be understood", status.as_u16());
    Error::new(ErrorKind::Unreadable, message)
}

fn encoded_path(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// The characters that are escaped in a path; slashes between segments are not.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
