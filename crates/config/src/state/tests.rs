//! Each refusal of `state`, at its key.

#![cfg(feature = "redis")]

use super::*;
use crate::Config;

/// Checks the pointer and the message of the first finding of a `state`.
#[track_caller]
fn check(state: &str, pointer: &str, expected: &str) {
    let text = format!("state: {state}\ntoolsets: {{a: {{openapi: a.yaml}}}}\n");
    let error = Config::from_text(&text, "").unwrap_err();
    let finding = &error.findings()[0];
    assert_eq!(finding.pointer, pointer, "{error}");
    assert!(finding.message.contains(expected), "{error}");
    assert!(!error.to_string().contains("canary"), "{error}");
}

#[test]
fn a_state_names_a_file_or_a_server_and_only_what_belongs_to_it() {
    let redis = "redis: {url: 'redis://r'}, key: 'env:K'";
    check("{key: 'env:K'}", "/state", "expected one of `file` and `redis`, got none");
    check(&format!("{{file: a, {redis}}}"), "/state", "got both");
    check("{redis: {url: 'redis://r'}}", "/state", "`key` beside `redis`");
    check(&format!("{{{redis}, bytes: 1GiB}}"), "/state/bytes", "`bytes` is for `file`");
    check("{file: a, prefix: b}", "/state/prefix", "`prefix` is for `redis`");
    for prefix in ["'{a}'", "''", "'a:b'"] {
        check(&format!("{{{redis}, prefix: {prefix}}}"), "/state/prefix", "letters, digits");
    }
}

#[test]
fn an_invalid_server_address_is_refused_and_not_shown() {
    let texts = "http://r redis:///1 redis:// redis://user:canary@r redis://r/canary
        redis://r?canary=1 redis://r/1/2 redis://r:0x1 r:6379";
    for url in texts.split_whitespace() {
        let state = format!("{{redis: {{url: '{url}'}}, key: 'env:K'}}");
        check(&state, "/state/redis/url", "expected the address of a Redis server");
    }
    let plain = "{redis: {url: 'redis://r', tls: {ca: [ca.pem]}}, key: 'env:K'}";
    check(plain, "/state/redis/url", "begins with `rediss:`");
    let nameless = "{redis: {url: 'redis://localhost', user: a}, key: 'env:K'}";
    check(nameless, "/state/redis", "expected the key `password`");
}

#[test]
fn several_servers_are_those_of_one_set_and_replicas_are_waited_for_shortly() {
    let redis = |keys: &str| format!("{{redis: {{{keys}}}, key: 'env:K'}}");
    check(&redis("user: a"), "/state/redis", "one of `url`, `sentinel` and `cluster`, got none");
    let both = redis("url: 'redis://r', cluster: ['redis://r']");
    check(&both, "/state/redis", "got several");
    check(&redis("cluster: []"), "/state/redis/cluster", "expected");
    check(&redis("cluster: ['redis://a', 'rediss://b']"), "/state/redis/cluster", "all with");
    check(&redis("cluster: ['redis://a/1']"), "/state/redis/cluster/0", "expected the address");
    let nameless = redis("sentinel: {nodes: ['redis://a:26379']}");
    check(&nameless, "/state/redis/sentinel", "expected the key `master`");
    let wait = |durability: &str| redis(&format!("url: 'redis://r', durability: {durability}"));
    check(&wait("{timeout: 1s, wait: 1}"), "/state/redis/durability/timeout", "up to 300 ms");
    check(&wait("{timeout: 100ms}"), "/state/redis/durability", "expected the key `wait`");
    check(&wait("{wait: 0}"), "/state/redis/durability/wait", "expected");
}

#[test]
fn an_address_has_a_port_and_a_database_unless_it_says_others() {
    let url = |text: &str| {
        let text = format!(
            "state: {{redis: {{url: '{text}'}}, key: 'env:K'}}\ntoolsets: {{a: {{openapi: a.yaml}}}}"
        );
        let state = Config::from_text(&text, "").unwrap().state.unwrap();
        let StateEngine::Redis(redis) = state.engine else { panic!("it is a server") };
        let RedisNodes::Single(url) = redis.servers else { panic!("it is one") };
        let RedisUrl { host, port, database, is_secure } = url;
        (host, port, database, is_secure)
    };
    assert_eq!(url("redis://r"), ("r".to_owned(), 6379, 0, false));
    assert_eq!(url("rediss://r.example:6380/2"), ("r.example".to_owned(), 6380, 2, true));
    assert_eq!(url("redis://[::1]/"), ("[::1]".to_owned(), 6379, 0, false));
    assert_eq!(url("redis://10.0.0.1:1"), ("10.0.0.1".to_owned(), 1, 0, false));
}
