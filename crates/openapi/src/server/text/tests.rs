//! Tests rows of addresses, and that a usable address consists of what was written.

use proptest::{prelude::*, sample::select};

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let got = match parse_absolute(text) {
        Ok(Some(Address { url, doubt })) => {
            format!("{url}{}", if doubt.is_some() { " doubted" } else { "" })
        }
        Ok(None) => "relative".to_owned(),
        Err(InvalidAddress(message)) => message,
    };
    assert!(
        got == expected || got.starts_with("expected") && got.contains(expected),
        "{text}: {got}"
    );
}

#[test]
fn an_address_is_used_as_written_or_refused() {
    for (text, expected) in [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("HTTPS://API.example.com:443", "https://api.example.com/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://a_b.example.com./", "https://a_b.example.com./"),
        ("https://a.example/ä%2F", "https://a.example/%C3%A4%2F"),
        (" https://a.example", "https://a.example/ doubted"),
        ("https://a.example/v1/../v2", "https://a.example/v2 doubted"),
        ("https://a.example/%2e%2E/v2", "https://a.example/v2 doubted"),
        ("https://a.example//v2", "https://a.example//v2 doubted"),
        ("/v1", "relative"),
        ("api.example.com/v1", "relative"),
        ("https://https://a.example", "one scheme"),
        ("https://https//a.example", "one scheme"),
        ("https:/a.example", "`//` and a host"),
        ("https:a.example", "`//` and a host"),
        ("https:///a.example", "with a host"),
        ("https://", "with a host"),
        ("https://:80", "with a host"),
        ("localhost:8000", "with `http` or `https`"),
        ("ftp://a.example", "got: `ftp`"),
        ("https://u:p@a.example", "got one with it"),
        ("https://a.example\\@b.example", "got one with it"),
        ("https://a.example\\b", "without `\\\\`"),
        ("https://a.exa\tmple", "without `\\t`"),
        ("https://a.example/a b", "without ` `"),
        ("https://a.example/\u{200b}", "without `\\u{200b}`"),
        ("https://a%2eexample", "without `%`"),
        ("https://*.example.com", "without `*`"),
        ("https://a..example", "between its dots"),
        ("https://bücher.example", "`xn--…`"),
        ("https://ａ.example", "`xn--…`"),
        ("https://0x7f.1", "four decimal numbers"),
        ("https://2130706433", "four decimal numbers"),
        ("https://127.1", "four decimal numbers"),
        ("https://0177.0.0.1", "four decimal numbers"),
        ("https://1.2.3.4.", "four decimal numbers"),
        ("https://[fe80::1%25eth0]", "IPv6"),
        ("https://::1", "IPv6"),
        ("https://a.example:0", "a port"),
        ("https://a.example:99999", "a port"),
        ("https://a.example:+80", "a port"),
        ("https://a.example:{port}", "without `{`"),
        ("https://a.example?x=1", "without query"),
        ("https://a.example#f", "without query"),
        ("https://a.example/%zz", "digits"),
        ("https://a.example/[x]", "no `[`"),
        ("{{baseUrl}}/v1", "relative"),
        ("https://{{host}}/v1", "a placeholder of Postman"),
        ("https://<your-host>/v1", "that nobody filled in"),
        ("https://${HOST}/v1", "that nobody filled in"),
        ("https://%7Btenant%7D.example.com", "that nobody filled in"),
    ] {
        check(text, expected);
    }
}

#[test]
fn a_relative_address_is_below_the_description() {
    let base = Url::parse("https://a.example/docs/api.json?x=1").unwrap();
    for (text, expected) in [
        ("/v1", Some("https://a.example/v1")),
        ("v1/", Some("https://a.example/docs/v1/")),
        ("v1.0", Some("https://a.example/docs/v1.0")),
        ("../v1", Some("https://a.example/v1")),
        (".", Some("https://a.example/docs/")),
        ("", Some("https://a.example/")),
        ("//b.example:81/v1", Some("https://b.example:81/v1")),
        ("api.example.com/v1", None),
        ("localhost/v1", None),
        ("/\\b.example", None),
        ("\\\\b.example", None),
        ("/https://b.example", None),
        ("//u@b.example", None),
        ("?x", None),
        ("/a\tb", None),
        ("{{baseUrl}}", None),
    ] {
        let got = parse_relative(text, &base).ok().map(|address| address.url.to_string());
        assert_eq!(got.as_deref(), expected, "{text}");
    }
}

#[test]
fn a_faulty_server_url_is_suggested_in_its_corrected_form() {
    for (text, expected) in [
        ("api.example.com/v1", Some("https://api.example.com/v1")),
        ("localhost:8000", Some("http://localhost:8000")),
        ("https:/api.example.com", Some("https://api.example.com")),
        ("https://https://api.example.com", Some("https://api.example.com")),
        ("https:\\\\api.example.com", Some("https://api.example.com")),
        ("https://bücher.example", Some("https://xn--bcher-kva.example")),
        ("https://a.example?x=1", None),
        ("u:p@a.example", None),
    ] {
        assert_eq!(suggested_url(text).as_deref(), expected, "{text}");
    }
}

/// Pieces of addresses, and characters that parsers remove, map or split at.
fn piece() -> impl Strategy<Value = String> {
    let texts = r"http https HTTPS ftp : / // :// \ @ u:p@ ? # % %2f %2e%2e %00 a b.example
        api.example.com localhost 127.0.0.1 0x7f.1 017700000001 [::1] [ ] ü ａ 。 ß :80 :443 :0
        {v} { } {{x}} <x> .. . - _ ~ | ^ v1 ' é";
    let pieces: Vec<_> =
        texts.split_whitespace().chain(["\t", "\n", " ", "\u{a0}", "\u{200b}", "\u{ad}"]).collect();
    prop_oneof![8 => select(pieces).prop_map(str::to_owned), 1 => "\\PC"]
}

fn address() -> impl Strategy<Value = String> {
    let pieces = (select(vec!["", "https://"]), prop::collection::vec(piece(), 0..7));
    pieces.prop_map(|(head, pieces)| head.to_owned() + &pieces.concat())
}

/// The address without its white space, the case and the parts that are equal to none.
fn plain(text: &str) -> String {
    let text = text.trim();
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (scheme, authority) = (scheme.to_lowercase(), authority.to_lowercase());
    let usual = if scheme == "http" { ":80" } else { ":443" };
    let authority = authority.strip_suffix(usual).unwrap_or(&authority).trim_end_matches(':');
    let path: Vec<u8> = percent_encoding::percent_decode_str(path).collect();
    let path = if path.is_empty() { b"/".to_vec() } else { path };
    format!("{scheme}://{authority}{}", String::from_utf8_lossy(&path))
}

proptest! {
    #[test]
    fn a_server_url_is_used_exactly_as_written(text in address()) {
        if let Ok(Some(Address { url, doubt })) = parse_absolute(&text) {
            prop_assert!(url.username().is_empty() && url.password().is_none());
            prop_assert!(url.query().is_none() && url.fragment().is_none());
            if doubt.is_none() {
                prop_assert_eq!(plain(url.as_str()), plain(&text));
            }
            prop_assert_eq!(parse_absolute(url.as_str()).unwrap().unwrap().url, url);
        }
    }

    #[test]
    fn a_relative_address_never_leaves_the_description_unless_it_names_a_host(text in address()) {
        let base = Url::parse("https://docs.example.com/api/openapi.json").unwrap();
        if let Ok(address) = parse_relative(&text, &base)
            && parse_absolute(&text) == Ok(None)
            && !text.trim().starts_with("//")
        {
            prop_assert_eq!(address.url.origin(), base.origin());
        }
    }

    #[test]
    fn a_suggested_address_is_usable(text in address()) {
        if let Some(meant) = suggested_url(&text) {
            prop_assert!(parse_absolute(&meant).is_ok_and(|address| address.is_some()), "{}", meant);
        }
    }
}
