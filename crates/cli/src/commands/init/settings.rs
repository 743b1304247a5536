//! The settings of the only toolset of a new configuration, from flags, in the words of the configuration. Paths are
//! relative to the working directory; a configuration file in another folder gets absolute paths.

use std::{collections::BTreeMap, path::Path};

use callgate_config::Location;
use callgate_tool::{Object, Value, json};

use super::{
    credential::{pair, shape},
    nameable_location, reference_failure,
};
use crate::{args::InitArguments, exit::Failure};

pub(super) struct Settings<'a> {
    pub(super) arguments: &'a InitArguments,
    pub(super) server: Option<String>,
    pub(super) credentials: &'a BTreeMap<String, Value>,
}

impl Settings<'_> {
    pub(super) fn value(&self, location: &Location) -> Result<Value, Failure> {
        let given = &self.arguments.source.description;
        let place = self.place(nameable_location(location)?);
        let server = self.server.as_deref().map(Value::from);
        let overlays = list(given.overlay.iter().map(|file| self.path(file)));
        let credentials =
            object(self.credentials.clone()).map(|all| self.with_absolute_files(&all));
        let auth = if credentials.is_none() { self.auth()? } else { None };
        let headers = object(given.requests.headers.iter().filter_map(|text| header(text)));
        let ca = list(given.connection.ca.iter().map(|file| self.path(Path::new(file))));
        let allow = list(given.connection.egress_allow.iter().map(|range| range.as_str().into()));
        let rows = [
            ("openapi", Some(place)),
            ("prefix", Some(Value::from(""))),
            ("server", server),
            ("overlays", overlays),
            ("credentials", credentials),
            ("auth", auth.map(|auth| self.with_absolute_files(&auth))),
            ("headers", headers.map(|headers| self.with_absolute_files(&headers))),
            ("tls", ca.map(|ca| json!({"ca": ca}))),
            ("egress", allow.map(|allow| json!({"allow": allow}))),
            ("limits", object(self.limits())),
        ];
        let given = rows.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Ok(Value::Object(given.collect()))
    }

    /// The only credential of an API whose description has no schemes.
    fn auth(&self) -> Result<Option<Value>, Failure> {
        let given = &self.arguments.source.description;
        if let Some(token) = &given.bearer {
            return Ok(Some(json!({"bearer": {"token": (token.as_str())}})));
        }
        let Some(basic) = &given.basic else {
            return match &given.api_key {
                Some(_) => Err(reference_failure(
                    "expected a security scheme of the description that is an API key, got none, or several",
                )),
                None => Ok(None),
            };
        };
        let (user, password) = pair(basic).ok_or_else(|| {
            reference_failure(&format!("expected `USER:REFERENCE`, got {}", shape(basic)))
        })?;
        Ok(Some(json!({"basic": {"username": user, "password": password}})))
    }

    fn limits(&self) -> Object {
        let requests = &self.arguments.source.description.requests;
        let timeout =
            requests.timeout.iter().map(|time| ("timeout".to_owned(), Value::from(time.as_str())));
        let limits = requests.limits.iter().filter_map(|text| text.split_once('='));
        let limits = limits.map(|(name, value)| {
            let value = value.parse::<u32>().map_or_else(|_| Value::from(value), Value::from);
            (name.to_owned(), value)
        });
        limits.chain(timeout).collect()
    }

    fn place(&self, location: &Location) -> Value {
        match location {
            Location::Address(url) => Value::from(url.as_str()),
            Location::File(file) | Location::Text(file, _) => self.path(file),
        }
    }

    fn path(&self, file: &Path) -> Value {
        let full = std::path::absolute(file).ok().filter(|_| !self.arguments.here);
        Value::from(full.as_deref().unwrap_or(file).display().to_string())
    }

    /// The value with absolute paths in references to files.
    fn with_absolute_files(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.clone(), self.with_absolute_files(value)));
                Value::Object(members.collect())
            }
            Value::String(text) => match text.strip_prefix("file:") {
                Some(file) => match self.path(Path::new(file)) {
                    Value::String(file) => Value::from(format!("file:{file}")),
                    other => other,
                },
                None => value.clone(),
            },
            other => other.clone(),
        }
    }
}

fn list(items: impl Iterator<Item = Value>) -> Option<Value> {
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then_some(Value::Array(items))
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Option<Value> {
    let members: Object = members.into_iter().collect();
    (!members.is_empty()).then_some(Value::Object(members))
}

/// A header in a configuration's form. A faulty header was refused before.
fn header(text: &str) -> Option<(String, Value)> {
    let (name, value) = text.split_once(':')?;
    Some((name.trim().to_owned(), Value::from(value.trim())))
}
