//! Collections of Postman (format 2.0 and 2.1): requests in folders, with saved responses.

use std::{cell::Cell, collections::BTreeMap};

use callgate_tool::Value;

use super::Source;
use crate::{
    body::{Body, Part},
    error::{self, Error},
    exchange::{Exchange, Message, Response},
    redact::{is_secret_input, mask_named_secrets},
    security::Scheme,
};

/// The requests of a collection, each once for every saved response; `place` names it for a person.
///
/// # Errors
/// When the text is no collection.
pub fn read_postman_collection(text: &str, place: &str) -> Result<Source, Error> {
    let unreadable =
        || error::unreadable(place, "a collection of Postman (2.0 or 2.1): JSON with `item`");
    let collection = Value::parse(text.trim_start_matches('\u{feff}'))
        .map_err(|fault| unreadable().with_source(fault))?;
    let items = collection.get("item").and_then(Value::as_array).ok_or_else(unreadable)?;
    let variables = collection.get("variable").and_then(Value::as_array).into_iter().flatten();
    let variables = variables.filter_map(|variable| {
        Some((variable["key"].as_str()?.to_owned(), variable["value"].as_str()?.to_owned()))
    });
    let variables: BTreeMap<_, _> = variables.collect();
    let secrets = variables.iter().filter(|(name, _)| is_secret_input(name));
    let secrets = secrets.map(|(_, value)| value.clone()).collect();
    let room = Cell::new(LONGEST_FILLED);
    let mut reading = Reading { variables, secrets, room, source: Source::default() };
    let auth = collection.get("auth").unwrap_or(&Value::Null);
    reading.read_items(items, place, auth, 0);
    if reading.room.get() == 0 {
        let note = format!("{place}: its variables are too long together: some stand as they are");
        reading.source.notes.push(note);
    }
    Ok(reading.source)
}

/// Deeper folders are left out.
const DEEPEST: usize = 32;
/// Variables within variables are filled in to this depth.
const DEEPEST_VARIABLE: usize = 8;
/// The bytes that variables may take in all texts of a collection: each may hold others many times.
const LONGEST_FILLED: usize = 4 * 1024 * 1024;

struct Reading {
    variables: BTreeMap<String, String>,
    /// The values of variables with names of secrets.
    secrets: Vec<String>,
    /// The bytes that are left for values of variables.
    room: Cell<usize>,
    source: Source,
}

impl Reading {
    /// Reads the requests of a folder. A credential that is set for a folder is that of its requests.
    fn read_items(&mut self, items: &[Value], place: &str, auth: &Value, depth: usize) {
        for item in items {
            // The name of a request is its address where nobody wrote another one.
            let name = mask_named_secrets(item["name"].as_str().unwrap_or("a request"));
            let place = format!("{place}, `{name}`");
            match item.get("item").and_then(Value::as_array) {
                Some(_) if depth >= DEEPEST => {
                    self.source.record_left_out(&place, "folders are too deep");
                }
                Some(items) => self.read_items(items, &place, auth, depth + 1),
                None => self.read_request(item, &place, auth),
            }
        }
    }

    fn read_request(&mut self, item: &Value, place: &str, auth: &Value) {
        let responses =
            item.get("response").and_then(Value::as_array).map_or([].as_slice(), Vec::as_slice);
        let alone = [Value::Null];
        let responses = if responses.is_empty() { alone.as_slice() } else { responses };
        for response in responses {
            let request = response.get("originalRequest").unwrap_or_else(|| &item["request"]);
            let own = item["request"].get("auth").filter(|own| !own.is_null());
            match self.read_exchange(request, response, place) {
                Ok(mut exchange) => {
                    exchange.secrets.extend(self.secrets.iter().cloned());
                    self.add_credential_scheme(&mut exchange, own.unwrap_or(auth), place);
                    self.source.exchanges.push(exchange);
                }
                Err(why) => self.source.record_left_out(place, &why.to_string()),
            }
        }
    }

    fn read_exchange(
        &self,
        request: &Value,
        response: &Value,
        place: &str,
    ) -> Result<Exchange, Error> {
        let url = &request["url"];
        let address = url
            .as_str()
            .or_else(|| url["raw"].as_str())
            .or_else(|| request.as_str())
            .unwrap_or_default();
        let address = self.fill_variables(address);
        let mut exchange =
            Exchange::from_address(request["method"].as_str().unwrap_or("GET"), &address, place)?;
        for variable in url.get("variable").and_then(Value::as_array).into_iter().flatten() {
            let value = variable["value"]
                .as_str()
                .map(|value| self.fill_variables(value))
                .filter(|value| !value.is_empty());
            let segment = exchange
                .segments
                .iter_mut()
                .find(|segment| segment.name.as_deref() == variable["key"].as_str());
            if let (Some(segment), Some(value)) = (segment, value) {
                segment.text = value;
            }
        }
        let headers = self.enabled_pairs(request.get("header"));
        exchange.request = Message::read(&headers, &[]);
        exchange.request.body = self.read_body(&request["body"], &exchange.request);
        let status = response
            .get("code")
            .and_then(Value::as_u64)
            .and_then(|status| u16::try_from(status).ok());
        exchange.response = status.map(|status| {
            let body = response["body"].as_str().unwrap_or_default();
            Response {
                status,
                message: Message::read(
                    &self.enabled_pairs(response.get("header")),
                    body.as_bytes(),
                ),
            }
        });
        Ok(exchange)
    }

    fn read_body(&self, body: &Value, request: &Message) -> Option<Body> {
        match body["mode"].as_str()? {
            "raw" => {
                let text =
                    self.fill_variables(body["raw"].as_str().filter(|text| !text.is_empty())?);
                Some(Body::read(request.header_by_lowercase_name("content-type"), text.as_bytes()))
            }
            "urlencoded" => Some(Body::Form(self.enabled_pairs(body.get("urlencoded")))),
            "formdata" => {
                let parts = body.get("formdata").and_then(Value::as_array).into_iter().flatten();
                let part = |part: &Value| {
                    let is_file = part["type"] == *"file";
                    let text = (!is_file)
                        .then(|| self.fill_variables(part["value"].as_str().unwrap_or_default()));
                    Some(Part { name: part["key"].as_str()?.to_owned(), text })
                };
                Some(Body::Multipart(parts.filter_map(part).collect()))
            }
            "file" => Some(Body::Binary("application/octet-stream".to_owned())),
            _ => None,
        }
    }

    /// The way in which a credential is carried that is set beside the request, and its values, which responses may repeat.
    fn add_credential_scheme(&mut self, exchange: &mut Exchange, auth: &Value, place: &str) {
        let setting = |name: &str| {
            let settings = auth.get("apikey")?.as_array()?;
            settings.iter().find(|setting| setting["key"] == *name)?["value"].as_str()
        };
        for setting in
            auth.as_object().into_iter().flatten().filter_map(|(_, kind)| kind.as_array())
        {
            let secrets = setting.iter().filter(|setting| {
                let name = setting["key"].as_str().unwrap_or_default();
                name == "value" || is_secret_input(name)
            });
            let secrets = secrets.filter_map(|setting| setting["value"].as_str());
            exchange.secrets.extend(secrets.map(|secret| self.fill_variables(secret)));
        }
        let scheme = match auth["type"].as_str() {
            None | Some("noauth") => return,
            Some("basic") => Scheme::Basic,
            Some("bearer" | "oauth2" | "jwt") => Scheme::Bearer,
            Some("apikey") => {
                let place = if setting("in") == Some("query") { "query" } else { "header" };
                Scheme::Key(place, setting("key").unwrap_or("Authorization").to_owned())
            }
            Some(other) => {
                let note = format!("{place}: a credential of the kind `{other}` is not drafted");
                return self.source.notes.push(note);
            }
        };
        exchange.schemes.insert(scheme);
    }

    fn enabled_pairs(&self, list: Option<&Value>) -> Vec<(String, String)> {
        let entries = list
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|entry| entry["disabled"] != true);
        let pair = |entry: &Value| {
            Some((
                entry["key"].as_str()?.to_owned(),
                self.fill_variables(entry["value"].as_str().unwrap_or_default()),
            ))
        };
        entries.filter_map(pair).collect()
    }

    /// A text with the values of the collection's variables.
    fn fill_variables(&self, text: &str) -> String {
        self.fill_nested_variables(text, 0)
    }

    /// Takes the room for a value of a variable.
    fn take_value_room(&self, value: &str) -> bool {
        let room = self.room.get().saturating_sub(value.len().max(1));
        self.room.set(room);
        room > 0
    }

    fn fill_nested_variables(&self, text: &str, depth: usize) -> String {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, (name, after))) = rest
            .split_once("{{")
            .and_then(|(before, after)| Some((before, after.split_once("}}")?)))
        {
            filled.push_str(before);
            match self
                .variables
                .get(name)
                .filter(|value| depth < DEEPEST_VARIABLE && self.take_value_room(value))
            {
                Some(value) => filled.push_str(&self.fill_nested_variables(value, depth + 1)),
                None => filled.extend(["{{", name, "}}"]),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }
}
