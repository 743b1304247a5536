//! Headers that are no input of an operation.

/// Headers that browsers, clients and proxies set, which are no input of an operation.
const TRANSPORT_HEADERS: [&str; 34] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "age",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "date",
    "dnt",
    "expect",
    "forwarded",
    "from",
    "host",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "origin",
    "postman-token",
    "pragma",
    "priority",
    "referer",
    "save-data",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
    "x-requested-with",
];
const TRANSPORT_BEGINNINGS: [&str; 7] =
    [":", "sec-", "access-control-", "x-forwarded-", "proxy-", "traceparent", "tracestate"];

pub(crate) fn is_transport_header(name: &str) -> bool {
    TRANSPORT_HEADERS.contains(&name)
        || TRANSPORT_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}
