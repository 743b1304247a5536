//! The settings of the only toolset of a new configuration, from flags, in the words of the configuration. Paths are
//! relative to the working directory; a configuration file in another folder gets absolute paths.

use std::{collections::BTreeMap, path::Path};

use callgate_config::Location;
use callgate_tool::{Object, Value, json};

use super::{
    credential::{pair, shape},
    named, wrong,
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
        let mut settings = Object::new();
        settings.insert("openapi", self.place(named(location)?));
        settings.insert("prefix", Value::from(""));
        if let Some(server) = &self.server {
            settings.insert("server", Value::from(server.as_str()));
        }
        if !given.overlay.is_empty() {
            let overlays = given.overlay.iter().map(|file| self.path(file));
            settings.insert("overlays", Value::Array(overlays.collect()));
        }
        if !self.credentials.is_empty() {
            let credentials = self.credentials.iter();
            let credentials = credentials.map(|(name, value)| (name.clone(), self.anchored(value)));
            settings.insert("credentials", Value::Object(credentials.collect()));
        } else if let Some(auth) = self.auth()? {
            settings.insert("auth", self.anchored(&auth));
        }
        let headers: Object =
            given.requests.headers.iter().filter_map(|text| header(text)).collect();
        if !headers.is_empty() {
            settings.insert("headers", self.anchored(&Value::Object(headers)));
        }
        if !given.connection.ca.is_empty() {
            let ca = given.connection.ca.iter().map(|file| self.path(Path::new(file)));
            settings.insert("tls", json!({"ca": (Value::Array(ca.collect()))}));
        }
        if !given.connection.egress_allow.is_empty() {
            settings.insert("egress", json!({"allow": (given.connection.egress_allow.clone())}));
        }
        let limits = self.limits();
        if !limits.is_empty() {
            settings.insert("limits", Value::Object(limits));
        }
        Ok(Value::Object(settings))
    }

    /// The only credential of an API whose description has no schemes.
    fn auth(&self) -> Result<Option<Value>, Failure> {
        let given = &self.arguments.source.description;
        if let Some(token) = &given.bearer {
            return Ok(Some(json!({"bearer": {"token": (token.as_str())}})));
        }
        let Some(basic) = &given.basic else {
            return match &given.api_key {
                Some(_) => Err(wrong(
                    "expected a security scheme of the description that is an API key, got none, or several",
                )),
                None => Ok(None),
            };
        };
        let (user, password) = pair(basic)
            .ok_or_else(|| wrong(&format!("expected `USER:REFERENCE`, got {}", shape(basic))))?;
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
    fn anchored(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| (name.clone(), self.anchored(value)));
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

/// A header in a configuration's form. A faulty header was refused before.
fn header(text: &str) -> Option<(String, Value)> {
    let (name, value) = text.split_once(':')?;
    Some((name.trim().to_owned(), Value::from(value.trim())))
}
