//! Selects the meaningful headers of a response: the location of a resource, its version, the time to wait, and headers
//! that the description declares. A response to HEAD has only headers, so all of them that describe the resource and not
//! the connection are shown.

use callgate_openapi::Operation;
use http::{
    HeaderMap, HeaderName, Method,
    header::{
        ALT_SVC, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, DATE, ETAG, LOCATION, RETRY_AFTER,
        SERVER, SET_COOKIE, STRICT_TRANSPORT_SECURITY, TRANSFER_ENCODING, VIA,
    },
};

use super::ReadContext;
use crate::{sanitize::visible_text, shape::ShownHeaders, wording::clipped_text};

/// The headers that are shown, with names in lower case and in order, without secrets and invisible characters.
pub(super) fn shown_headers(
    operation: &Operation,
    headers: &HeaderMap,
    reading: &ReadContext<'_>,
) -> Vec<(String, String)> {
    let mut names = match &reading.shape.headers {
        ShownHeaders::Meaningful => meaningful_header_names(operation, headers),
        ShownHeaders::Named(names) => names.clone(),
    };
    names.retain(|name| *name != SET_COOKIE && headers.contains_key(name));
    names.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
    names.dedup();
    let mut room = MAX_BYTES;
    let shown = |name: HeaderName| {
        let values = headers.get_all(&name).iter();
        let values: Vec<_> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        let text = reading.masker.mask_text(&visible_text(&values.join(", "))).into_owned();
        let text = clipped_text(&text, room).to_owned();
        room -= text.len();
        (name.as_str().to_owned(), text)
    };
    names.into_iter().map(shown).collect()
}

fn meaningful_header_names(operation: &Operation, headers: &HeaderMap) -> Vec<HeaderName> {
    let declared = operation.answer_headers.iter();
    let declared = declared.filter_map(|name| HeaderName::from_bytes(name.as_bytes()).ok());
    // OpenAPI 3.1.1 §4.8.17: a description's `Content-Type` is ignored; the media type is shown elsewhere.
    let mut names: Vec<_> =
        TELLING.into_iter().chain(declared.filter(|name| *name != CONTENT_TYPE)).collect();
    if operation.method == Method::HEAD {
        let is_about = |name: &&HeaderName| !OF_THE_CONNECTION.contains(name);
        names.extend(headers.keys().filter(is_about).cloned());
    }
    names
}

const TELLING: [HeaderName; 3] = [ETAG, LOCATION, RETRY_AFTER];
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
const MAX_BYTES: usize = 4 * 1024;
