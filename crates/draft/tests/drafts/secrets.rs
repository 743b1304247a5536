//! No secret is written, wherever an example has it: every format of a value, within every text, in every part of a message.

use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};
use callgate_draft::describe_request;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::*;

const NAMES: &str = "password|api_key|clientSecret|access_token|user-pin|otp|X-Api-Key|db_pass|Authorization|signature|credentials|\
    refreshTokens|passphrase|cvv|jwt|tokens|db_pw|bindPw|master_key|cardNumber|wifi-psk|recovery_codes|smsCode";

/// A text with a secret behind a name, in the format of this number.
fn value_text(format: usize, name: &str, secret: &str) -> String {
    match format {
        0 => json!({name: secret, "a": 1}).to_string(),
        1 => json!({name: {"user": {"a": ["b", secret, true]}}, "a": [1]}).to_string(),
        2 => json!([{"name": name, "in": "body", "value": secret}]).to_string(),
        18 => json!([{"value": secret, "b": 1, "key": name}]).to_string(),
        3 => json!({name: {format!("{secret}-1"): {"a": null}}}).to_string(),
        4 => format!("a=1&{name}={secret}&b=2"),
        5 => format!("https://a.example/cb?a=1&{name}={secret}#b"),
        6 => format!("/a;{name}={secret}/b"),
        7 => format!("<a><w:{name} t=\"b\">{secret}</w:{name}><b>c</b></a>"),
        8 => format!("<a user=\"kim\" {name}='{secret}'/>"),
        9 => format!("mutation {{ login(user: \"kim\", {name}: \"{secret}\") {{ id }} }}"),
        10 => format!("Accept: */*\n{name}: {secret}\nHost: a"),
        11 => format!("user: kim\n{name}:\n  a: 1\n  b: {secret}\nc: 1"),
        12 => format!("run --{name} {secret} --all"),
        13 => format!("mongodb://kim:{secret}@a.example/b"),
        14 => format!("{{\"a\": 1}}\n{{\"{name}\": \"{secret}\"}}\n"),
        15 => format!("Server=a;{name}={secret};User=b"),
        19 => format!("name,{name},note\nann,\"{secret}\",b\n"),
        20 => format!("| user | {name} |\n|---|---|\n| ann | {secret} |"),
        21 => format!("a\t{name}\n1\tb\n2\t{secret}"),
        22 => format!("<input name={name} value={secret}>"),
        23 => format!("<a><field key=\"{name}\"><![CDATA[{secret}]]></field></a>"),
        24 => format!("curl -u app:{secret} https://a.example"),
        25 => format!("{name}:\n{secret}\n"),
        26 => format!("the {name} is {secret}1 today"),
        16 => format!("<p><name>a</name><property name=\"{name}\">{secret}</property></p>"),
        _ => format!("[db]\n{name} = my {secret}\nhost = a"),
    }
}

/// A text within a text of another format.
fn text_around(format: usize, inner: &str) -> String {
    match format {
        0 => json!({"data": inner}).to_string(),
        1 => format!("a=1&next={}", utf8_percent_encode(inner, NON_ALPHANUMERIC)),
        2 => inner.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;"),
        3 => format!("it said {}, then nothing", Value::from(inner)),
        4 => format!("first\n{inner}\nlast"),
        _ => inner.to_owned(),
    }
}

/// An example that has the text in the part of this number.
fn message(part: usize, text: &str) -> (Vec<Exchange>, String) {
    let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let line = text.replace('\n', " ");
    let (mut url, mut head, mut body) =
        ("https://a.example/pets".to_owned(), String::new(), json!({"a": 1}).to_string());
    let mut media_type = "application/json";
    let mut response = json!({"ok": true}).to_string();
    match part {
        0 => body = json!({"note": text}).to_string(),
        1 => text.clone_into(&mut body),
        2 => url = format!("{url}?next={encoded}"),
        3 if !text.contains('\n') => head = format!("X-Note: {line}\n"),
        4 => url = format!("{url}/{encoded}/b"),
        5 => body = format!("a=1&note={encoded}"),
        6 => response = json!([{"said": [text]}]).to_string(),
        7 => text.clone_into(&mut response),
        _ => {
            return (vec![exchange("POST", &url, &json!({"a": 1}), &Value::Null)], text.to_owned());
        }
    }
    match part {
        1 => media_type = "text/plain",
        5 => media_type = "application/x-www-form-urlencoded",
        _ => {}
    }
    let request = format!("POST {url} HTTP/1.1\ncontent-type: {media_type}\n{head}\n{body}");
    let kind = if part == 7 { "application/xml" } else { "application/json" };
    let response = format!("HTTP/1.1 200 OK\ncontent-type: {kind}\n\n{response}");
    (read_http_messages(&request, Some(&response), "a").unwrap().exchanges, String::new())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_in_any_format_within_any_text_in_any_part_is_written(
        secret in "[A-Za-z0-9]{8,24}|[0-9]{8,12}",
        name in prop::sample::select(NAMES.split('|').collect::<Vec<_>>()),
        format in 0..28_usize,
        around in prop::collection::vec(0..6_usize, 0..3),
        part in 0..9_usize,
    ) {
        let text = around.iter().fold(value_text(format, name, &secret), |text, format| text_around(*format, &text));
        let (exchanges, prompt) = message(part, &text);
        let draft = draft(exchanges, &DraftOptions { prompt, ..DraftOptions::default() }).unwrap();
        let written = format!("{draft:?}{}", describe_request(&draft).unwrap());
        prop_assert!(!written.contains(&secret), "{text}\n{written}");
    }

    #[test]
    fn no_option_of_curl_gives_its_value_away(
        secret in "[A-Za-z0-9]{8,24}",
        letters in "[skvLOfi]{0,3}",
        option in prop::sample::select(["-H", "-u", "-U", "-b", "-d", "-A", "--proxy-user", "--user", "--oauth2-bearer", "--other"].as_slice()),
        is_joined in any::<bool>(),
    ) {
        let value = match option {
            "-H" => format!("X-Api-Key:{secret}"),
            "-b" => format!("session={secret}"),
            "-d" => format!("password={secret}"),
            "--oauth2-bearer" => secret.clone(),
            _ => format!("kim:{secret}"),
        };
        let word = match (option.strip_prefix("--"), is_joined) {
            (Some(_), true) => format!("{option}={value}"),
            (None, true) => format!("-{letters}{}{value}", option.trim_start_matches('-')),
            _ => format!("{option} {value}"),
        };
        let source = read_curl_commands(&format!("curl {word} https://a.example/pets"), "a").unwrap();
        let notes = source.notes.join("\n");
        let draft = drafted(source.exchanges);
        prop_assert!(!format!("{notes}{draft:?}").contains(&secret), "{word}\n{notes}\n{draft:#?}");
    }
}

#[test]
fn all_leaves_below_the_name_of_a_secret_are_masked_and_keep_their_type() {
    let input = json!({
        "password": 987_654_321, "secret": {"value": "x7", "n": 1.5, "is_set": true}, "api_keys": ["x7"],
        "credentials": {"user": "kim", "pass": "x7"}, "pin": "1234", "total_tokens": 7,
    });
    let draft = drafted(vec![exchange("POST", "https://a.example/login", &input, &Value::Null)]);
    let expected = json!({
        "password": 0, "secret": {"value": "****", "n": 0.0, "is_set": true}, "api_keys": ["****"],
        "credentials": {"user": "****", "pass": "****"}, "pin": "****", "total_tokens": 7,
    });
    assert_eq!(Value::Object(draft.cases[0].arguments.clone()), expected);
}

#[test]
fn names_that_are_secrets_and_values_of_cookies_that_are_no_settings_are_masked() {
    let request = "GET https://a.example/u?CANARYAIzaKEYNAME&wsdl HTTP/1.1\ncookie: theme=dark; remember=canary-remember\n\n";
    let draft = drafted(read_http_messages(request, None, "a").unwrap().exchanges);
    let written = format!("{draft:?}");
    assert!(!written.contains("CANARY") && !written.contains("canary"), "{written}");
    assert!(written.contains("wsdl") && written.contains("dark"), "{written}");
}

/// A service may repeat a secret in another spelling than that of the request.
#[test]
fn other_spellings_of_a_secret_are_masked() {
    let encoded = STANDARD.encode("api:canary-secret");
    let hexadecimal: String = "canary-secret".bytes().map(|byte| format!("{byte:02x}")).collect();
    let answer = json!({"note": format!("you sent {encoded} and {hexadecimal}")});
    let input = json!({"user": "api", "password": "canary-secret"});
    let draft = drafted(vec![exchange("POST", "https://a.example/login", &input, &answer)]);
    let written = format!("{draft:?}");
    let beginning = encoded.get(8..16).unwrap();
    assert!(!written.contains(beginning) && !written.contains(&hexadecimal), "{written}");
}

#[test]
fn credentials_beside_the_requests_of_a_collection_are_masked_where_a_response_repeats_them() {
    let setting = |key: &str, value: &str| json!({"key": key, "value": value});
    for auth in [
        json!({"type": "basic", "basic": [setting("username", "kim"), setting("password", "canary-1")]}),
        json!({"type": "apikey", "apikey": [setting("key", "X-Key"), setting("value", "canary-1")]}),
        json!({"type": "bearer", "bearer": [setting("token", "{{mine}}")]}),
        json!({"type": "noauth"}),
    ] {
        let request = json!({"method": "GET", "url": "https://a.example/a"});
        let response = json!({"code": 200, "body": "{\"you\": \"canary-1\"}"});
        let collection = json!({"auth": auth, "item": [{"name": "a", "request": request, "response": [response]}],
            "variable": [setting("mine", "canary-1"), setting("myApiKey", "canary-1")]});
        let draft =
            drafted(read_postman_collection(&collection.to_string(), "c").unwrap().exchanges);
        assert!(!format!("{draft:?}").contains("canary"), "{draft:?}");
    }
}

/// Invariant 4: a small file takes neither memory nor time.
#[test]
fn variables_within_variables_take_no_more_than_their_room() {
    let variables: Vec<_> = (0..40)
        .map(|n| json!({"key": format!("v{n}"), "value": format!("{{{{v{}}}}}", n + 1).repeat(20)}))
        .collect();
    let request = json!({"method": "GET", "url": "https://a.example/a?b={{v0}}"});
    let collection = json!({"item": [{"name": "a", "request": request}], "variable": variables});
    let source = read_postman_collection(&collection.to_string(), "c").unwrap();
    assert!(
        source.notes.iter().any(|note| note.contains("too long together")),
        "{:?}",
        source.notes
    );
}

#[test]
fn the_name_of_a_request_in_a_collection_may_be_its_address() {
    let collection = json!({"item": [{"name": "https://a.example/a?token=canary-1", "request": {"method": "GET", "url": "/a"}}]});
    let source = read_postman_collection(&collection.to_string(), "c").unwrap();
    assert!(
        source.notes[0].starts_with("c, `https://a.example/a?token=****` is left out"),
        "{:?}",
        source.notes
    );
}
