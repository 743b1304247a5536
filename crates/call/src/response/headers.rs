//! Chooses the headers of an answer that mean something to whoever asked: where a thing is, which version it is, when to
//! come back, and what the description declares. An answer to HEAD has nothing else to say, so all of it is told that is
//! about the thing and not about the connection.

use std::collections::BTreeSet;

use callgate_openapi::Operation;
use callgate_secret::Masker;
use http::{
    HeaderMap, HeaderName, Method,
    header::{
        ALT_SVC, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, DATE, ETAG, LOCATION, RETRY_AFTER,
        SERVER, SET_COOKIE, STRICT_TRANSPORT_SECURITY, TRANSFER_ENCODING, VIA,
    },
};

use crate::{readable::cleaned, wording::clipped};

/// The headers that are shown, names in lower case and in order, without secrets and characters nobody sees.
pub(super) fn shown(
    operation: &Operation,
    headers: &HeaderMap,
    masker: &Masker<'_>,
) -> Vec<(String, String)> {
    let declared: BTreeSet<_> =
        operation.answer_headers.iter().map(|name| name.to_ascii_lowercase()).collect();
    let is_head = operation.method == Method::HEAD;
    let is_meant = |name: &&HeaderName| {
        **name != SET_COOKIE
            && (TELLING.contains(name)
                || (declared.contains(name.as_str()) && **name != CONTENT_TYPE)
                || (is_head && !OF_THE_CONNECTION.contains(name)))
    };
    let mut room = MAX_BYTES;
    let value = |name: &HeaderName| {
        let values = headers.get_all(name).iter();
        let values: Vec<_> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        let text = masker.mask_text(&cleaned(&values.join(", "))).into_owned();
        let text = clipped(&text, room).to_owned();
        room -= text.len();
        (name.as_str().to_owned(), text)
    };
    let names: BTreeSet<&str> = headers.keys().filter(is_meant).map(HeaderName::as_str).collect();
    let names = names.into_iter().filter_map(|name| HeaderName::try_from(name).ok());
    names.collect::<Vec<_>>().iter().map(value).collect()
}

/// What every answer may tell.
const TELLING: [HeaderName; 3] = [ETAG, LOCATION, RETRY_AFTER];
/// What says nothing about the thing that was asked for.
const OF_THE_CONNECTION: [HeaderName; 8] = [
    ALT_SVC,
    CONNECTION,
    CONTENT_ENCODING,
    DATE,
    SERVER,
    STRICT_TRANSPORT_SECURITY,
    TRANSFER_ENCODING,
    VIA,
];
/// Of all values together.
const MAX_BYTES: usize = 4 * 1024;
