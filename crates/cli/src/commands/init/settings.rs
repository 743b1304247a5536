//! The settings of the only toolset of a new configuration, from flags, in the words of the configuration. Paths are
//! relative to the working directory; a configuration file in another folder gets absolute paths.

use std::{collections::BTreeMap, path::Path};

use callgate_config::Location;
use callgate_tool::{Object, Value, json};

use super::{
    credential::{describe_refused_text, split_name_and_reference},
    location_unless_stdin, reference_failure,
};
use crate::{args::InitArguments, exit::Failure};

pub(super) struct Settings<'a> {
    pub(super) arguments: &'a InitArguments,
    pub(super) server: Option<String>,
    pub(super) credentials: &'a BTreeMap<String, Value>,
}

impl Settings<'_> {
    pub(super) fn toolset_settings(&self, location: &Location) -> Result<Value, Failure> {
        let given = &self.arguments.source.description;
        let place = self.description_place(location_unless_stdin(location)?);
        let server = self.server.as_deref().map(Value::from);
        let overlays = nonempty_list(given.overlay.iter().map(|file| self.path_value(file)));
        let credentials =
            nonempty_object(self.credentials.clone()).map(|all| self.with_absolute_files(&all));
        let auth = if credentials.is_none() { self.only_credential()? } else { None };
        let headers =
            nonempty_object(given.requests.headers.iter().filter_map(|text| header_member(text)));
        let ca =
            nonempty_list(given.connection.ca.iter().map(|file| self.path_value(Path::new(file))));
        let allow =
            nonempty_list(given.connection.egress_allow.iter().map(|range| range.as_str().into()));
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
            ("limits", nonempty_object(self.limit_settings())),
        ];
        let given = rows.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Ok(Value::Object(given.collect()))
    }

    /// The only credential of an API whose description has no schemes.
    fn only_credential(&self) -> Result<Option<Value>, Failure> {
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
        let (user, password) = split_name_and_reference(basic).ok_or_else(|| {
            reference_failure(&format!(
                "expected `USER:REFERENCE`, got {}",
                describe_refused_text(basic)
            ))
        })?;
        Ok(Some(json!({"basic": {"username": user, "password": password}})))
    }

    fn limit_settings(&self) -> Object {
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

    fn description_place(&self, location: &Location) -> Value {
        match location {
            Location::Address(url) => Value::from(url.as_str()),
            Location::File(file) | Location::Text(file, _) => self.path_value(file),
        }
    }

    fn path_value(&self, file: &Path) -> Value {
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
                Some(file) => match self.path_value(Path::new(file)) {
                    Value::String(file) => Value::from(format!("file:{file}")),
                    other => other,
                },
                None => value.clone(),
            },
            other => other.clone(),
        }
    }
}

fn nonempty_list(items: impl Iterator<Item = Value>) -> Option<Value> {
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then_some(Value::Array(items))
}

fn nonempty_object(members: impl IntoIterator<Item = (String, Value)>) -> Option<Value> {
    let members: Object = members.into_iter().collect();
    (!members.is_empty()).then_some(Value::Object(members))
}

/// A header in a configuration's form. A faulty header was refused before.
fn header_member(text: &str) -> Option<(String, Value)> {
    let (name, value) = text.split_once(':')?;
    Some((name.trim().to_owned(), Value::from(value.trim())))
}
