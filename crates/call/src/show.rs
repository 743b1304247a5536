//! Shows a finished request as a dry run: credentials as `****`, and an equivalent `curl` command. It never sees a secret:
//! the caller says where credentials stand. Requests come from `request`.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use callgate_secret::MASK;
use callgate_tool::PlannedRequest;
use http::{Method, Request};
use percent_encoding::percent_decode_str;

/// The locations of credentials on a request, present or planned.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct Masked {
    /// The headers.
    pub headers: Vec<MaskedHeader>,
    /// Query parameters: name, and the environment variable that holds the secret.
    pub query: Vec<(String, Option<String>)>,
}

/// A header that holds a credential.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct MaskedHeader {
    /// The name.
    pub name: String,
    /// The text before the secret (`Bearer `).
    pub prefix: String,
    /// The environment variable that holds the secret.
    pub variable: Option<String>,
}

/// The dry run's view of `request`.
pub fn planned_request(request: &Request<Bytes>, masked: &Masked) -> PlannedRequest {
    let query = masked_query_parts(request, masked);
    let headers = masked_header_parts(request, masked);
    let body = request.body();
    PlannedRequest {
        method: request.method().to_string(),
        url: shown_url(request, &query, |part| part_text(part, "")),
        headers: headers.iter().map(|(name, part)| (name.clone(), part_text(part, ""))).collect(),
        body: (!body.is_empty()).then(|| match std::str::from_utf8(body) {
            Ok(text) => text.to_owned(),
            Err(_) => BASE64_STANDARD.encode(body),
        }),
        curl: curl_command(request, &query, &headers),
    }
}

enum TextPart {
    Secret { before: String, variable: Option<String> },
    Text(String),
}

fn part_text(part: &TextPart, quote: &str) -> String {
    match part {
        TextPart::Secret { before, variable: Some(name) } if !quote.is_empty() => {
            // The variable ends the single quotes and stands in double quotes.
            format!("{}{quote}\"${name}\"{quote}", escape_single_quotes(before))
        }
        TextPart::Secret { before, .. } => format!("{before}{MASK}"),
        TextPart::Text(text) if !quote.is_empty() => escape_single_quotes(text),
        TextPart::Text(text) => text.clone(),
    }
}

fn masked_header_parts(request: &Request<Bytes>, masked: &Masked) -> Vec<(String, TextPart)> {
    let mask_of = |name: &str| {
        let mut headers = masked.headers.iter();
        headers.find(|masked| masked.name.eq_ignore_ascii_case(name)).map(secret_part)
    };
    let mut parts: Vec<_> = request
        .headers()
        .iter()
        .map(|(name, value)| {
            let part = mask_of(name.as_str()).unwrap_or_else(|| {
                if value.is_sensitive() {
                    return TextPart::Secret { before: String::new(), variable: None };
                }
                TextPart::Text(String::from_utf8_lossy(value.as_bytes()).into_owned())
            });
            (name.to_string(), part)
        })
        .collect();
    for mask in &masked.headers {
        if !parts.iter().any(|(name, _)| name.eq_ignore_ascii_case(&mask.name)) {
            parts.push((mask.name.to_ascii_lowercase(), secret_part(mask)));
        }
    }
    parts
}

fn secret_part(mask: &MaskedHeader) -> TextPart {
    TextPart::Secret { before: mask.prefix.clone(), variable: mask.variable.clone() }
}

fn masked_query_parts(request: &Request<Bytes>, masked: &Masked) -> Vec<(String, TextPart)> {
    let secret = |variable: &Option<String>| TextPart::Secret {
        before: String::new(),
        variable: variable.clone(),
    };
    let query = request.uri().query().unwrap_or_default();
    let mut parts = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decoded = percent_decode_str(name).decode_utf8_lossy();
        match masked.query.iter().find(|(masked, _)| *masked == decoded) {
            Some((_, variable)) => parts.push((format!("{name}="), secret(variable))),
            None if pair.contains('=') => {
                parts.push((format!("{name}="), TextPart::Text(value.to_owned())));
            }
            None => parts.push((name.to_owned(), TextPart::Text(String::new()))),
        }
    }
    for (name, variable) in &masked.query {
        let mut name_part = String::new();
        crate::style::write_escaped(&mut name_part, name, crate::style::Escape::Unreserved);
        name_part.push('=');
        if !parts.iter().any(|(entry, _)| *entry == name_part) {
            parts.push((name_part, secret(variable)));
        }
    }
    parts
}

fn shown_url(
    request: &Request<Bytes>,
    query: &[(String, TextPart)],
    show: impl Fn(&TextPart) -> String,
) -> String {
    let uri = request.uri();
    let mut url = String::new();
    if let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) {
        url.push_str(scheme);
        url.push_str("://");
        url.push_str(authority.as_str());
    }
    url.push_str(uri.path());
    for (at, (name, part)) in query.iter().enumerate() {
        url.push(if at == 0 { '?' } else { '&' });
        url.push_str(name);
        url.push_str(&show(part));
    }
    url
}

fn curl_command(
    request: &Request<Bytes>,
    query: &[(String, TextPart)],
    headers: &[(String, TextPart)],
) -> String {
    let body = request.body();
    let text = std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'));
    let mut line = String::new();
    if text.is_none() {
        // Binary bytes cannot stand in a command line.
        line.push_str("printf %s ");
        line.push_str(&shell_quoted_text(&BASE64_STANDARD.encode(body)));
        line.push_str(" | base64 -d | ");
    }
    // Without this, curl reads `[`, `]`, `{` and `}` in the address as patterns.
    line.push_str("curl --globoff");
    match *request.method() {
        Method::GET if body.is_empty() => {}
        Method::HEAD => line.push_str(" --head"),
        ref method => {
            line.push_str(" -X ");
            line.push_str(method.as_str());
        }
    }
    line.push_str(" '");
    line.push_str(&shown_url(request, query, |part| part_text(part, "'")));
    line.push('\'');
    for (name, part) in headers {
        line.push_str(" -H '");
        line.push_str(name);
        // curl omits a header that ends with its colon; a semicolon sends it with an empty value.
        match part {
            TextPart::Text(text) if text.is_empty() => line.push(';'),
            _ => {
                line.push_str(": ");
                line.push_str(&part_text(part, "'"));
            }
        }
        line.push('\'');
    }
    match text {
        Some("") => {}
        Some(text) => {
            line.push_str(" --data-raw ");
            line.push_str(&shell_quoted_text(text));
        }
        None => line.push_str(" --data-binary @-"),
    }
    line
}

fn shell_quoted_text(text: &str) -> String {
    format!("'{}'", escape_single_quotes(text))
}

/// `text`, escaped for single quotes.
fn escape_single_quotes(text: &str) -> String {
    text.replace('\'', "'\\''")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(
        method: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: &'static [u8],
    ) -> Request<Bytes> {
        let mut builder = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(Bytes::from_static(body)).unwrap()
    }

    #[test]
    fn credentials_are_masked_in_previews_and_variables_in_curl() {
        let request = request("GET", "https://h.example/pets?a=1&key=x", &[("accept", "*/*")], b"");
        let masked = Masked {
            headers: vec![MaskedHeader {
                name: "Authorization".into(),
                prefix: "Bearer ".into(),
                variable: Some("TOKEN".into()),
            }],
            query: vec![("key".into(), None), ("other key".into(), Some("OTHER".into()))],
        };
        let shown = planned_request(&request, &masked);
        assert_eq!(shown.url, "https://h.example/pets?a=1&key=****&other%20key=****");
        let header = ("authorization".to_owned(), "Bearer ****".to_owned());
        assert_eq!(shown.headers.last(), Some(&header));
        assert_eq!(
            shown.curl,
            "curl --globoff 'https://h.example/pets?a=1&key=****&other%20key='\"$OTHER\"'' \
             -H 'accept: */*' -H 'authorization: Bearer '\"$TOKEN\"''"
        );
    }

    #[test]
    fn a_curl_line_escapes_quotes_and_keeps_empty_headers() {
        let headers = [("content-type", "application/json"), ("x-empty", "")];
        let request = request("POST", "https://h.example/pets", &headers, b"{\"n\":\"it's\"}");
        let shown = planned_request(&request, &Masked::default());
        assert_eq!(
            shown.curl,
            "curl --globoff -X POST 'https://h.example/pets' -H 'content-type: application/json' \
             -H 'x-empty;' --data-raw '{\"n\":\"it'\\''s\"}'"
        );
        assert_eq!(shown.body.as_deref(), Some("{\"n\":\"it's\"}"));
    }

    #[test]
    fn binary_bodies_are_piped_to_curl() {
        let request = request("PUT", "https://h.example/x", &[], b"\xff\0");
        let shown = planned_request(&request, &Masked::default());
        assert_eq!(
            shown.curl,
            "printf %s '/wA=' | base64 -d | curl --globoff -X PUT 'https://h.example/x' --data-binary @-"
        );
    }

    #[test]
    fn a_sensitive_header_is_never_shown_in_a_preview() {
        let mut request = request("GET", "https://h.example/", &[], b"");
        let mut value = http::HeaderValue::from_static("secret");
        value.set_sensitive(true);
        request.headers_mut().insert("x-key", value);
        let shown = format!("{:?}", planned_request(&request, &Masked::default()));
        assert!(!shown.contains("secret"), "{shown}");
    }
}
