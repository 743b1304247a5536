//! The key `references` of a toolset: the origins of documents that its description may refer to.

use callgate_settings::{Kind, SettingCode, forms, member_pointer};
use url::{Host, Url};

forms! {
    struct References => Vec<Url>, Kind::List(&Kind::Address), |reader, mapping, key| {
        let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
        let Some(items) = node.as_array() else {
            reader.report_wrong_type(&pointer, "a list of origins", node, "`[https://specs.example.com]`");
            return None;
        };
        let mut origins = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item.as_str().and_then(public_reference_origin) {
                Some(origin) => origins.push(origin),
                None => reader.report_fault(
                    SettingCode::WrongValue,
                    format!("{pointer}/{index}"),
                    "expected a public origin: `https://`, the name of a host, and perhaps a port",
                    "for example `https://specs.example.com`",
                ),
            }
        }
        Some(origins)
    };
}

/// An origin that references may lead to, in comparable form: https, a public name and perhaps a port. `None` for
/// anything else.
fn public_reference_origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    (is_bare && is_public_https(&url)).then_some(url)
}

/// Returns true if an address is https on a host whose name is not this machine's.
fn is_public_https(url: &Url) -> bool {
    let Some(Host::Domain(host)) = url.host() else { return false };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_local = host == "localhost" || host.ends_with(".localhost") || host.is_empty();
    url.scheme() == "https" && !is_local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(
            public_reference_origin(text).map(|url| url.origin().ascii_serialization()).as_deref(),
            expected,
            "{text}"
        );
    }

    #[test]
    fn an_origin_of_references_must_be_https_with_a_public_name() {
        check("https://specs.example.com", Some("https://specs.example.com"));
        check("https://Specs.Example.com:8443/", Some("https://specs.example.com:8443"));
        let texts = "http://specs.example.com https://specs.example.com/a
            https://specs.example.com?a https://user@specs.example.com https://127.0.0.1
            https://2130706433 https://0x7f.1 https://[::1] https://[::ffff:127.0.0.1]
            https://169.254.169.254 https://localhost https://localhost. https://a.localhost
            specs.example.com file:///etc";
        for text in texts.split_whitespace() {
            check(text, None);
        }
    }
}
