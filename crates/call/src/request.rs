//! Builds the finished request from checked inputs: address, headers, body. The finished address is checked again: it is
//! refused if a parser reads another origin, segment or query. `auth` adds credentials later.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use callgate_openapi::{BodyKind, Encoding, Input, InputLocation, Operation, Placement, Style};
use callgate_tool::{Arguments, Fault, Value};
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Uri,
    header::{ACCEPT, CONTENT_TYPE, COOKIE},
};

use crate::{
    body::{Content, body_with_content_type, chosen_media, fields},
    cookie::{check_unescaped_cookie_value, cookie_names, cookie_pairs_writer},
    header::{self, header_value},
    inputs::{Filling, Fillings, Subject, has_body},
    keys::claim_parameter_keys,
    parameter::{text_in_media_type, write_encoded_pair},
    path::{Variable, write_segment},
    plain::{can_append_plain_tails, is_parse_stable_tail, is_unchanged_by_parsing},
    query::{FORM, Pairs},
    querystring::write_querystring,
    stored_results::StoredResults,
    style::{Unwritable, is_empty_or_null},
    wording,
};

#[derive(Debug)]
pub(crate) struct Frame {
    prefix: String,
    /// True if parsing leaves the prefix unchanged, whatever plain tail follows.
    takes_plain_tails: bool,
    /// The query of the path key, escaped like a URL parser escapes it.
    fixed_query: Option<String>,
    accept: HeaderValue,
}

#[derive(Debug)]
pub(crate) struct Ready<'a> {
    pub(crate) operation: &'a Operation,
    pub(crate) subject: Subject<'a>,
    pub(crate) fillings: Fillings<'a>,
    pub(crate) arguments: &'a Arguments,
    pub(crate) kept: StoredResults<'a>,
}

/// The value of `Accept`: JSON first, which a model reads best, then the other types by their weight.
fn accept_header(types: &[Arc<str>]) -> String {
    let (json, other): (Vec<_>, Vec<_>) = types.iter().partition(|one| is_json(one));
    let weight = if json.is_empty() { "" } else { ";q=0.9" };
    let other = other.iter().map(|one| format!("{one}{weight}"));
    json.iter().map(ToString::to_string).chain(other).collect::<Vec<_>>().join(", ")
}

fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

impl Frame {
    pub(crate) fn new(operation: &Operation) -> Self {
        let server = &operation.server.url;
        let prefix = server.as_str().trim_end_matches('/').to_owned();
        let takes_plain_tails = can_append_plain_tails(server, &prefix);
        let fixed_query = operation.fixed_query.as_deref().and_then(|query| {
            let mut url = server.clone();
            url.set_query(Some(query));
            url.query().filter(|query| !query.is_empty()).map(str::to_owned)
        });
        let accept = HeaderValue::from_str(&accept_header(&operation.accept))
            .ok()
            .filter(|accept| !accept.is_empty());
        // A service that declares no media types is asked for the type that a model reads best.
        let accept = accept.unwrap_or(HeaderValue::from_static("application/json, */*;q=0.1"));
        Self { prefix, takes_plain_tails, fixed_query, accept }
    }

    pub(crate) fn request(&self, ready: &Ready<'_>) -> Result<Request<Bytes>, Box<Fault>> {
        claim_parameter_keys(ready.operation, ready.subject, &ready.fillings)?;
        let uri = self.uri(ready)?;
        let (media, bytes) = request_body(ready)?;
        let mut request = Request::new(bytes);
        *request.method_mut() = ready.operation.method.clone();
        *request.uri_mut() = uri;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, self.accept.clone());
        if let Some(media) = media {
            headers.insert(CONTENT_TYPE, media);
        }
        write_headers(headers, ready)?;
        write_cookies(headers, ready)?;
        let size: usize =
            headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if size > MAX_HEADERS {
            let at = longest_argument_name(ready, &[InputLocation::Header, InputLocation::Cookie]);
            return Err(wording::too_long(&at, "headers", MAX_HEADERS));
        }
        Ok(request)
    }

    fn uri(&self, ready: &Ready<'_>) -> Result<Uri, Box<Fault>> {
        let mut url = String::with_capacity(self.prefix.len() + 96);
        url.push_str(&self.prefix);
        write_path(&mut url, ready)?;
        let path_end = url.len();
        url.push('?');
        if let Some(fixed) = &self.fixed_query {
            url.push_str(fixed);
        }
        write_query(&mut url, path_end + 1, ready)?;
        if url.len() == path_end + 1 {
            url.pop();
        }
        if url.len() > MAX_URL {
            let places = [InputLocation::Path, InputLocation::Query, InputLocation::Querystring];
            let at = longest_argument_name(ready, &places);
            return Err(wording::too_long(&at, "an address", MAX_URL));
        }
        // Everything that a model wrote is escaped by now, so a parser must not change anything: neither the origin, nor
        // the base path, nor the number of segments, nor the query.
        let tail = url.get(self.prefix.len()..).unwrap_or_default();
        let is_sure = self.takes_plain_tails && is_parse_stable_tail(tail);
        if !is_sure && !is_unchanged_by_parsing(&url) {
            return Err(wording::address_not_as_described());
        }
        Uri::from_maybe_shared(Bytes::from(url)).map_err(|_| wording::address_not_as_described())
    }
}

fn write_path(url: &mut String, ready: &Ready<'_>) -> Result<(), Box<Fault>> {
    if ready.operation.segments.is_empty() {
        url.push('/');
    }
    for (input, encoding, value) in input_values(ready, InputLocation::Path) {
        if let Encoding::Content { media_type } = encoding {
            text_in_media_type(value, media_type)
                .map_err(|why| wording::unwritable(input.argument.as_str(), why))?;
        }
    }
    for segment in ready.operation.segments.iter() {
        url.push('/');
        let find = |name: &str| {
            let (input, encoding, value) = input_values(ready, InputLocation::Path)
                .find(|(input, ..)| *input.name == *name)?;
            let (value, styled) = match encoding {
                Encoding::Styled(styled) => (Cow::Borrowed(value), Some(styled)),
                Encoding::Content { media_type } => {
                    let text = text_in_media_type(value, media_type).ok()?;
                    (Cow::Owned(Value::String(text.into_owned())), None)
                }
            };
            Some(Variable { name: &input.name, value, styled })
        };
        write_segment(url, segment, find)
            .map_err(|(name, why)| wording::unwritable(path_argument_name(ready, name), why))?;
    }
    Ok(())
}

fn write_query(url: &mut String, start: usize, ready: &Ready<'_>) -> Result<(), Box<Fault>> {
    let n_fixed = url.len();
    for (input, encoding, value) in input_values(ready, InputLocation::Query) {
        let is_first = url.len() == start;
        let mut pairs = if is_first { Pairs::new(url, "&") } else { Pairs::continuing(url, "&") };
        write_encoded_pair(&mut pairs, &input.name, encoding, value)
            .map_err(|why| wording::unwritable(input.argument.as_str(), why))?;
    }
    for (input, filling) in ready.subject.inputs.iter().zip(&ready.fillings) {
        let Placement::Querystring { media_type, encodings } = &input.placement else { continue };
        let Some(Filling { value, .. }) = filling else { continue };
        // OpenAPI 3.2.0 §4.12.1: other query values would be read as a part of it.
        if url.len() > n_fixed {
            return Err(wording::key::whole_query_beside_values(input.argument.as_str()));
        }
        if n_fixed > start && **media_type != *FORM {
            return Err(wording::key::whole_beside_fixed_query(input.argument.as_str()));
        }
        if url.len() > start {
            url.push('&');
        }
        write_querystring(url, media_type, encodings, value)
            .map_err(|why| wording::unwritable(input.argument.as_str(), why))?;
    }
    Ok(())
}

fn write_headers(headers: &mut HeaderMap, ready: &Ready<'_>) -> Result<(), Box<Fault>> {
    for (input, encoding, value) in input_values(ready, InputLocation::Header) {
        let at = input.argument.as_str();
        if ready.operation.withholds_header(&input.name) {
            return Err(wording::key::denied_header(at));
        }
        let name = HeaderName::from_bytes(input.name.as_bytes())
            .map_err(|_| wording::key::denied_header(at))?;
        // No style can write an empty list; a media type may.
        let value = match encoding {
            Encoding::Content { media_type } => text_in_media_type(value, media_type)
                .and_then(|text| header::checked_header_value(&text)),
            Encoding::Styled(_) if is_empty_or_null(value) => continue,
            Encoding::Styled(styled) => header_value(value, styled),
        };
        headers.insert(name, value.map_err(|why| wording::unwritable(at, why))?);
    }
    Ok(())
}

fn write_cookies(headers: &mut HeaderMap, ready: &Ready<'_>) -> Result<(), Box<Fault>> {
    let mut text = cookies_from_header_argument(headers, ready)?;
    for (input, encoding, value) in input_values(ready, InputLocation::Cookie) {
        let at = input.argument.as_str();
        let is_bare = matches!(encoding, Encoding::Styled(styled) if styled.style == Style::Cookie);
        let checked = if is_bare { check_unescaped_cookie_value(value) } else { Ok(()) };
        checked
            .and_then(|()| {
                write_encoded_pair(
                    &mut cookie_pairs_writer(&mut text),
                    &input.name,
                    encoding,
                    value,
                )
            })
            .map_err(|why| wording::unwritable(at, why))?;
        if text.len() > header::MAX_HEADER {
            return Err(wording::unwritable(at, Unwritable::TooLong));
        }
    }
    if !text.is_empty() {
        let value = HeaderValue::from_bytes(text.as_bytes())
            .map_err(|_| wording::address_not_as_described())?;
        headers.insert(COOKIE, value);
    }
    Ok(())
}

/// The cookies of a whole header argument, if the operator allows one. No input may set any of these cookies.
fn cookies_from_header_argument(
    headers: &HeaderMap,
    ready: &Ready<'_>,
) -> Result<String, Box<Fault>> {
    let Some(header) = headers.get(COOKIE) else { return Ok(String::new()) };
    let text = String::from_utf8_lossy(header.as_bytes());
    let text = text.trim_end_matches([';', ' ']);
    let of_inputs =
        || ready.operation.inputs.iter().filter(|input| input.place() == InputLocation::Cookie);
    let is_input = |name: &&str| of_inputs().any(|input| *input.name == **name);
    match cookie_names(text).find(is_input) {
        Some(name) => Err(wording::key::cookie_has_own_argument(name)),
        None => Ok(text.to_owned()),
    }
}

fn request_body(ready: &Ready<'_>) -> Result<(Option<HeaderValue>, Bytes), Box<Fault>> {
    let Some(body) =
        ready.operation.body.as_ref().filter(|_| has_body(ready.subject, &ready.fillings))
    else {
        return Ok((None, Bytes::new()));
    };
    let media = chosen_media(ready.operation, body, ready.arguments)?;
    let content = Content::new(ready.subject, &ready.fillings, body.layout);
    fields::claim_form_fields(ready.operation, body, media, &content)?;
    let schema = ready.operation.arguments_schema();
    let (media_type, bytes) = body_with_content_type(&content, media, schema, ready.kept)?;
    // An empty multipart body has no parts and gets no `Content-Type`.
    let is_nothing = media.kind == BodyKind::Multipart && bytes.is_empty();
    Ok(((!is_nothing).then_some(media_type), bytes))
}

fn input_values<'a>(
    ready: &'a Ready<'a>,
    place: InputLocation,
) -> impl Iterator<Item = (&'a Input, &'a Encoding, &'a Value)> {
    let inputs = ready.subject.inputs.iter().zip(&ready.fillings);
    inputs.filter(move |(input, _)| input.place() == place).filter_map(|(input, filling)| {
        Some((input, input.placement.encoding()?, &*filling.as_ref()?.value))
    })
}

fn path_argument_name<'a>(ready: &'a Ready<'a>, name: &'a str) -> &'a str {
    let mut inputs = ready.subject.inputs.iter();
    let path_input =
        inputs.find(|input| input.place() == InputLocation::Path && *input.name == *name);
    path_input.map_or(name, |input| input.argument.as_str())
}

fn longest_argument_name(ready: &Ready<'_>, places: &[InputLocation]) -> String {
    let inputs = ready.subject.inputs.iter().zip(&ready.fillings);
    inputs
        .filter(|(input, _)| places.contains(&input.place()) && !input.edit.is_hidden)
        .filter_map(|(input, filling)| Some((input, filling.as_ref()?)))
        .max_by_key(|(_, filling)| filling.value.to_string().len())
        .map_or_else(String::new, |(input, _)| input.argument.to_string())
}

/// The longest URL: common servers have buffers of this size for request lines.
const MAX_URL: usize = 8 * 1024;
const MAX_HEADERS: usize = 32 * 1024;
