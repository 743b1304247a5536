//! Texts of many formats, each with a secret.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let mut ranges = callgate_secret::Ranges::default();
    ranges.extend(secret_value_ranges(text).into_iter().map(|range| (range.start, range.end)));
    let masked = ranges.masked_bytes(text.as_bytes()).unwrap_or_else(|| text.into());
    assert_eq!(String::from_utf8(masked).unwrap(), expected);
}

#[test]
fn a_value_behind_the_name_of_a_secret_is_masked_in_any_format() {
    for (text, expected) in [
        ("a=1&token=x7&b=2", "a=1&token=****&b=2"),
        ("/cb?sig=x7#a", "/cb?sig=****"),
        ("a;jsessionid=x7", "a;jsessionid=****"),
        ("user[pwd]=x7&a[]=1", "user[pwd]=****&a[]=1"),
        ("secrets[db]=x7 a", "secrets[db]=**** a"),
        (r#"{"pin": 1234, "a": 1}"#, r#"{"pin": ****, "a": 1}"#),
        (r#"{\"pin\": \"12\\\"34\", \"a\": 1}"#, r#"{\"pin\": \"****\", \"a\": 1}"#),
        (r#"{"secret": {"a": ["x]7"]}, "a": 1}"#, r#"{"secret": ****, "a": 1}"#),
        (r#"{"name": "password", "value": "x7"}"#, r#"{"name": "password", "value": "****"}"#),
        ("login(user: \"kim\", password: \"x7\")", "login(user: \"kim\", password: \"****\")"),
        ("password: \"\"\"x\"7\"\"\" a", "password: \"\"\"****\"\"\" a"),
        ("query($password: String!) {a}", "query($password: String!) {a}"),
        ("login(password: $password)", "login(password: $password)"),
        ("<a><password>x7</password></a>", "<a><password>****</password></a>"),
        ("<w:Password T=\"a\">x</a>7</w:Password>.", "<w:Password T=\"a\">****</w:Password>."),
        ("<password/><a>b</a>", "<password/><a>b</a>"),
        ("<p name=\"password\">x7</p>", "<p name=\"password\">****</p>"),
        ("<p key='pin' value='x7'/>", "<p key='pin' value='****'/>"),
        ("<u pwd=\"x7\" a=\"b\"/>", "<u pwd=\"****\" a=\"b\"/>"),
        ("Authorization: Bearer x7 y\nA: b", "Authorization: ****\nA: b"),
        ("-H \"Authorization: Basic x7\" a", "-H \"Authorization: ****\" a"),
        ("it is Bearer abc123xyz.", "it is Bearer ****"),
        ("a bearer certificate of the Basic Plan", "a bearer certificate of the Basic Plan"),
        ("run --password x7 --a b", "run --password **** --a b"),
        ("Server=a;Password=x7;User=b", "Server=a;Password=****;User=b"),
        ("password = my x7\na = 1", "password = ****\na = 1"),
        ("values('it''s'), pin='x''7', a", "values('it''s'), pin='****', a"),
        ("secret:\n  a: 1\n  b: x7\nc: d", "secret:\n****c: d"),
        ("pass: |\n  x7\nc: d", "pass: |\n****c: d"),
        ("postgres://kim:x7@a.example/b", "postgres://kim:****@a.example/b"),
        ("https://x7@a.example/b@c", "https://****@a.example/b@c"),
        ("password=null pinned: 1 compass: 2", "password=null pinned: 1 compass: 2"),
        ("token=\"x7", "token=\"****"),
    ] {
        check(text, expected);
    }
}

#[test]
fn a_text_is_read_once_however_many_values_have_no_end() {
    for part in
        "<password |<password>|pin=|token: \"|secret: {|--pin |a://b|pin|bearer a".split('|')
    {
        let text = part.repeat(50_000) + "/>";
        assert!(secret_value_ranges(&text).len() <= 50_000);
    }
}

#[test]
fn escapes_are_removed_as_readers_do() {
    let plain = |text: &str| unescaped_texts(text).last().unwrap_or_default();
    assert_eq!(plain("%2522pin%2522%253A"), "\"pin\":");
    assert_eq!(plain(r"{\u0022pin\u0022: 1}"), "{\"pin\": 1}");
    assert_eq!(plain("&lt;pin&gt;1"), "<pin>1");
    assert_eq!(unescaped_texts("a").count(), 0);
}
