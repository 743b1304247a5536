//! A request and what came back, as every source gives them.

use std::collections::BTreeSet;

use callgate_tool::Value;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::{
    body::Body,
    error::{self, Error},
    security::Scheme,
};

/// A request to a service, and its response if that is there.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub(crate) method: String,
    /// Scheme, host and port.
    pub(crate) origin: String,
    pub(crate) segments: Vec<Segment>,
    pub(crate) query: Vec<(String, String)>,
    /// The user and the password of the address or of the command.
    pub(crate) login: Option<(String, String)>,
    /// Ways to carry a credential that the source names, without their values.
    pub(crate) schemes: BTreeSet<Scheme>,
    /// The credentials that the source has beside the request.
    pub(crate) secrets: Vec<String>,
    pub(crate) request: Message,
    pub(crate) response: Option<Response>,
    /// The source, in words for a person.
    pub(crate) place: String,
}

/// A part of a path between two `/`.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Segment {
    pub(crate) text: String,
    /// The name that a person or an export gave to this part.
    pub(crate) name: Option<String>,
}

/// Headers with lower-case names, and a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Body>,
}

#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) message: Message,
}

/// A request in parts, as a person gives it.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// The address, in which `{petId}` may stand for a part of the path.
    pub url: &'a str,
    /// The headers of the request.
    pub headers: &'a [(String, String)],
    /// A body, or the values of the path and of the query where the method has no body.
    pub input: Option<&'a str>,
    /// The body of the response.
    pub output: Option<&'a str>,
    /// The status of the response.
    pub status: u16,
}

impl Default for Given<'_> {
    fn default() -> Self {
        Self { method: "GET", url: "", headers: &[], input: None, output: None, status: 200 }
    }
}

impl Exchange {
    /// An exchange as a person gives it.
    ///
    /// # Errors
    /// When the method, the address or the status is none.
    pub fn from_given(given: Given<'_>) -> Result<Self, Error> {
        Self::from_given_at(given, "the given example")
    }

    /// An exchange as a person gives it; `place` names it where one of several is meant.
    ///
    /// # Errors
    /// When the method, the address or the status is none.
    pub fn from_given_at(given: Given<'_>, place: &str) -> Result<Self, Error> {
        if !(100..600).contains(&given.status) {
            return Err(error::invalid_status(place, given.status));
        }
        let mut exchange = Self::from_address(given.method, given.url, place)?;
        exchange.request.headers = with_lower_names(given.headers);
        if let Some(input) = given.input {
            exchange.fill_from_input(input);
        }
        if given.output.is_some() || given.status != 200 {
            let body = given.output.map(|output| Body::read(None, output.as_bytes()));
            let message = Message { headers: Vec::new(), body };
            exchange.response = Some(Response { status: given.status, message });
        }
        Ok(exchange)
    }

    /// A request without headers and body.
    pub(crate) fn from_address(method: &str, address: &str, place: &str) -> Result<Self, Error> {
        let method = method.to_ascii_uppercase();
        if !METHODS.contains(&method.as_str()) {
            return Err(error::invalid_method(place));
        }
        let url =
            Url::parse(address).map_err(|why| error::invalid_address(place, &why.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(error::invalid_address(place, "its scheme is not `http` or `https`"));
        }
        let login = (url.username(), url.password().unwrap_or_default());
        Ok(Self {
            method,
            origin: url.origin().ascii_serialization(),
            segments: url.path_segments().into_iter().flatten().map(Segment::read).collect(),
            query: url.query_pairs().map(|(name, value)| (name.into(), value.into())).collect(),
            schemes: BTreeSet::new(),
            secrets: Vec::new(),
            login: (login != ("", "")).then(|| (login.0.to_owned(), login.1.to_owned())),
            request: Message::default(),
            response: None,
            place: place.to_owned(),
        })
    }

    /// Visits the texts of the path, and the names and values of the query and of the headers.
    pub(crate) fn visit_texts(&mut self, mut visit: impl FnMut(&mut String)) {
        for (name, value) in self.query.iter_mut().chain(&mut self.request.headers) {
            visit(name);
            visit(value);
        }
        for segment in &mut self.segments {
            visit(&mut segment.text);
            segment.name.iter_mut().for_each(&mut visit);
        }
    }

    /// Refuses a request that is larger than any of a service, whatever its source is.
    pub(crate) fn check_part_counts(&self) -> Result<(), Error> {
        let n_segments = self.segments.len();
        if n_segments > MOST_SEGMENTS {
            return Err(error::too_many(
                &self.place,
                "parts of the path",
                MOST_SEGMENTS,
                n_segments,
            ));
        }
        let headers = &self.request.headers;
        let cookies = headers.iter().filter(|(name, _)| name == "cookie");
        let n_cookies: usize = cookies.map(|(_, value)| value.matches(';').count()).sum();
        let n_values = self.query.len().saturating_add(headers.len()).saturating_add(n_cookies);
        if n_values > MOST_VALUES {
            let what = "values of query, headers and cookies";
            return Err(error::too_many(&self.place, what, MOST_VALUES, n_values));
        }
        Ok(())
    }

    /// Fills named parts of the path from an input; what is left is the body, or the query of a method without one.
    fn fill_from_input(&mut self, input: &str) {
        let mut body = Body::read(None, input.as_bytes());
        let Body::Json(_, Value::Object(members)) = &mut body else {
            self.request.body = Some(body);
            return;
        };
        for segment in &mut self.segments {
            let value = segment.name.as_ref().and_then(|name| members.remove(name));
            if let Some(value) = value {
                segment.text = value.text_or_json();
            }
        }
        if !matches!(self.method.as_str(), "GET" | "HEAD" | "DELETE" | "OPTIONS") {
            self.request.body = Some(body);
            return;
        }
        for (name, value) in &*members {
            let items = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
            self.query.extend(items.iter().map(|item| (name.clone(), item.text_or_json())));
        }
    }
}

impl Segment {
    /// Reads an encoded part: `7`, or a placeholder (`{petId}`, `:petId`, `{{petId}}`, `$PET_ID`), which is no sample.
    fn read(encoded: &str) -> Self {
        let text = percent_decode_str(encoded).decode_utf8_lossy().into_owned();
        let in_braces = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let name = in_braces
            .map(|name| name.trim_start_matches('{').trim_end_matches('}'))
            .or_else(|| text.strip_prefix(':'))
            .or_else(|| text.strip_prefix('$').map(|name| name.trim_matches(['{', '}'])))
            .filter(|name| !name.is_empty() && !name.contains(['{', '}']))
            .map(str::to_owned);
        Self { text, name }
    }

    /// The value of this part, unless it is only a placeholder.
    pub(crate) fn value_unless_placeholder(&self) -> Option<&str> {
        let is_placeholder = self.name.is_some() && self.text.starts_with(['{', ':', '$']);
        (!is_placeholder).then_some(self.text.as_str())
    }
}

impl Message {
    pub(crate) fn header_by_lowercase_name(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.0 == name).map(|header| header.1.as_str())
    }

    /// Reads a message: the media type says how its bytes are read.
    pub(crate) fn read(headers: &[(String, String)], bytes: &[u8]) -> Self {
        let headers = with_lower_names(headers);
        let mut message = Self { headers, body: None };
        if !bytes.is_empty() {
            message.body =
                Some(Body::read(message.header_by_lowercase_name("content-type"), bytes));
        }
        message
    }
}

/// The parts of a path, and the values of query, headers and cookies: no service has as many, and a draft goes into each.
const MOST_SEGMENTS: usize = 100;
const MOST_VALUES: usize = 2000;

/// The methods that a path of a description has (OpenAPI 3.1.1 §4.8.9).
const METHODS: [&str; 8] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];

fn with_lower_names(headers: &[(String, String)]) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
}
