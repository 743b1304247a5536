//! Tests rows for a sidecar's listeners and callers: the values that are read, and each refusal with its place.

use std::time::Duration;

use callgate_tool::Effect;

use super::*;
use crate::Config;

fn read(keys: &str) -> ServingConfig {
    let text = format!("toolsets: {{pets: {{openapi: a.yaml}}}}\n{keys}\n");
    Config::from_text(text, "").unwrap_or_else(|error| panic!("{keys}: {error}")).serving
}

#[track_caller]
fn refused(keys: &str, pointer: &str, says: &str) {
    let text = format!("toolsets: {{pets: {{openapi: a.yaml}}}}\n{keys}\n");
    let error = Config::from_text(text, "").unwrap_err();
    let finding = &error.findings()[0];
    assert_eq!(finding.pointer, pointer, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn listen_is_read_as_one_address_or_a_list() {
    let addresses = |listeners: &[ListenerConfig]| {
        listeners.iter().map(|one| one.address.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(addresses(&read("listen: 127.0.0.1:8410").listen), ["127.0.0.1:8410"]);
    let tls =
        "{address: '[::]:443', tls: {certificate: c.pem, key: 'file:k.pem', client_ca: [ca.pem]}}";
    let serving = read(&format!("listen: [unix:/s, {tls}]\nadmin: {{address: systemd}}"));
    assert_eq!(addresses(&serving.listen), ["unix:/s", "[::]:443"]);
    assert_eq!(addresses(&serving.admin), ["systemd"]);
    let tls = serving.listen[1].tls.as_ref().unwrap();
    assert_eq!(tls.key.to_string(), "file:k.pem");
    assert_eq!(tls.client_ca.len(), 1);
    assert!(serving.access.is_none() && serving.listen[0].tls.is_none());
    refused("listen: '8410'", "/listen", "expected `HOST:PORT`");
    refused("listen: []", "/listen", "one address at least");
    refused("admin: [{tls: {certificate: c, key: 'env:K'}}]", "/admin/0", "`address`");
    refused("listen: {address: 'a:1', tls: {certificate: c}}", "/listen/tls", "`key`");
}

#[test]
fn principals_are_read_with_tokens_and_certificates() {
    let access = read("access: {bearer: env:T}").access.unwrap();
    assert_eq!(access.principals[0].id, "bearer");
    assert_eq!(access.principals[0].rights, Rights::default());
    let agent = "agent: {bearer: [env:NEW, env:OLD], toolsets: [pets]}";
    let ops = "ops: {client_certificate: {san: 'spiffe://a/ops'}, admin: true}";
    let access = read(&format!("access: {{principals: {{{agent}, {ops}}}}}")).access.unwrap();
    let [agent, ops] = &*access.principals else { panic!("{access:?}") };
    assert_eq!((agent.id.as_str(), agent.tokens.len()), ("principal:agent", 2));
    assert!(agent.rights.toolsets.as_ref().unwrap().contains("pets") && !agent.rights.is_admin);
    assert_eq!(ops.certificate, Some(AltName::Uri("spiffe://a/ops".to_owned())));
    assert!(ops.rights.is_admin && ops.rights.toolsets.is_none());
    refused("access: {}", "/access", "got none");
    refused("access: {principals: {a: {admin: true}}}", "/access/principals/a", "got neither");
    refused("access: {bearer: s3cr3t}", "/access/bearer", "");
    refused("access: {principals: {a: {bearer: []}}}", "/access/principals/a/bearer", "one secret");
    refused(
        "access: {principals: {a: {bearer: env:T, toolsets: [pet]}}}",
        "/access/principals/a/toolsets/0",
        "did you mean `pets`?",
    );
}

#[test]
fn an_issuer_needs_an_audience_and_asymmetric_algorithms() {
    let issuer = |more: &str| {
        format!("access: {{jwt: [{{issuer: 'https://idp.example', audience: callgate, {more}}}]}}")
    };
    let access = read(&issuer("toolsets: []")).access.unwrap();
    let read = &access.issuers[0];
    assert_eq!(
        (read.issuer.as_str(), &*read.algorithms),
        ("https://idp.example", &["ES256", "RS256"][..])
    );
    assert_eq!(
        (read.principal_claim.as_str(), &*read.audiences),
        ("sub", &["callgate".to_owned()][..])
    );
    assert!(read.rights.toolsets.as_ref().unwrap().is_empty());
    for algorithm in ["none", "HS256", "rs256"] {
        refused(
            &issuer(&format!("algorithms: [{algorithm}]")),
            "/access/jwt/0/algorithms/0",
            "key pair",
        );
    }
    let jwks = "jwks_uri: 'http://keys.example'";
    refused(&issuer(jwks), "/access/jwt/0/jwks_uri", "`http://` of this machine");
    let none = "access: {jwt: [{issuer: 'https://idp.example'}]}";
    refused(none, "/access/jwt/0", "`audience`");
    let empty = "access: {jwt: [{issuer: 'https://idp.example', audience: []}]}";
    refused(empty, "/access/jwt/0/audience", "one audience");
    let plain = "access: {jwt: [{issuer: 'http://idp.example', audience: a}]}";
    refused(plain, "/access/jwt/0/issuer", "`https://`");
}

#[test]
fn limits_of_serving_have_defaults_and_ranges() {
    assert_eq!(read("").limits, ServingLimits::default());
    let limits = read("limits: {drain: 5s, head_bytes: 32KiB, connections: 7}").limits;
    assert_eq!((limits.drain, limits.head_bytes), (Duration::from_secs(5), 32 << 10));
    assert_eq!(limits.connections, 7);
    refused("limits: {head_bytes: 4KiB}", "/limits/head_bytes", "8192");
    refused("limits: {stream_window: 3GiB}", "/limits/stream_window", "2147483647");
    refused("limits: {request: 5}", "/limits/request", "did you mean `requests`?");
}

#[test]
fn hosts_must_be_names_without_scheme_and_port() {
    assert_eq!(read("hosts: [Callgate.Internal, '[::1]']").hosts, ["callgate.internal", "[::1]"]);
    refused("hosts: ['https://a.example']", "/hosts/0", "without scheme and port");
    refused("hosts: ['a.example:80']", "/hosts/0", "without scheme and port");
}

#[test]
fn a_proxy_must_be_an_http_address_without_user() {
    assert!(read("").proxy.is_none());
    assert!(read("proxy: 'http://proxy.example:3128'").proxy.is_some());
    for wrong in ["https://proxy.example", "http://a:b@proxy.example", "proxy.example:3128"] {
        refused(&format!("proxy: '{wrong}'"), "/proxy", "a forward proxy");
    }
}

#[test]
fn scopes_must_name_toolsets_and_be_legal_in_a_challenge() {
    let issuer = |scopes: &str| {
        let issuer = format!("issuer: 'https://idp.example', audience: a, scopes: {scopes}");
        format!("access: {{jwt: [{{{issuer}}}]}}")
    };
    let access = read(&issuer("{pets: [pets.read, pets.write]}")).access.unwrap();
    assert_eq!(access.issuers[0].scopes["pets"], ["pets.read", "pets.write"]);
    let access = read(&issuer("{pets: pets.call}")).access.unwrap();
    assert_eq!(access.issuers[0].scopes["pets"], ["pets.call"]);
    refused(&issuer("{pet: a}"), "/access/jwt/0/scopes/pet", "did you mean `pets`?");
    for wrong in ["[]", "''", "'a b'", "'a\"b'", "['a\\b']", "7"] {
        refused(&issuer(&format!("{{pets: {wrong}}}")), "/access/jwt/0/scopes/pets", "a scope");
    }
}

#[test]
fn the_public_url_of_the_sidecar_must_be_an_origin() {
    let url = |url: &str| format!("access: {{bearer: env:T, url: '{url}'}}");
    let access = read(&url("https://callgate.example:443/")).access.unwrap();
    assert_eq!(access.url.as_deref(), Some("https://callgate.example"));
    for wrong in
        ["https://a.example/mcp", "https://u@a.example", "https://a.example?q", "ftp://a.example"]
    {
        refused(&url(wrong), "/access/url", "");
    }
}

#[test]
fn public_listing_must_name_toolsets_and_is_no_access_by_itself() {
    let access = read("access: {bearer: env:T, public_listing: [pets]}").access.unwrap();
    assert!(access.public_listing.contains("pets"));
    refused("access: {bearer: env:T, public_listing: [pet]}", "/access/public_listing/0", "pets");
    refused("access: {public_listing: [pets]}", "/access", "got none");
}

#[test]
fn approves_lists_toolsets_effects_and_tools_and_is_no_right_to_call() {
    let lead = "access: {principals: {lead: {bearer: env:T, approves: [pets, write, pets-put]}}}";
    let access = read(lead).access.unwrap();
    let rights = &access.principals[0].rights;
    let entries = [
        Approvable::Toolset("pets".to_owned()),
        Approvable::Effect(Effect::Write),
        Approvable::Tool("pets-put".to_owned()),
    ];
    assert_eq!(rights.approves.0, entries);
    assert!(rights.toolsets.is_none() && !access.four_eyes);
    let issuer = "access: {jwt: [{issuer: 'https://idp.example', audience: a, approves: [read]}]}";
    let access = read(issuer).access.unwrap();
    assert_eq!(access.issuers[0].rights.approves.0, [Approvable::Effect(Effect::Read)]);
    refused(
        "access: {principals: {a: {bearer: env:T, approves: pets}}}",
        "/access/principals/a/approves",
        "",
    );
    let two = "toolsets: {write: {openapi: a.yaml}}\naccess: {principals: {a: {bearer: env:T, approves: [write]}}}";
    let error = Config::from_text(two, "").unwrap_err();
    assert_eq!(error.findings()[0].pointer, "/access/principals/a/approves/0", "{error}");
    assert!(error.to_string().contains("an effect and a toolset"), "{error}");
}

#[test]
fn four_eyes_need_callers_with_one_name_each_and_another_approver() {
    let (kim, lead) = ("kim: {bearer: env:K}", "lead: {bearer: env:L, approves: [pets]}");
    let people = |rest: &str| format!("access: {{four_eyes: true, {rest}}}");
    let idp = |claim: &str, more: &str| {
        format!(
            "{{issuer: 'https://idp.example', audience: {claim}, principal_claim: {claim}{more}}}"
        )
    };
    for fine in [
        people(&format!("principals: {{{kim}, {lead}}}")),
        people(&format!("jwt: [{}]", idp("sub", ", approves: [write]"))),
        people(&format!("principals: {{{lead}}}, jwt: [{}]", idp("sub", ""))),
    ] {
        assert!(read(&fine).access.unwrap().four_eyes, "{fine}");
    }
    for (wrong, says) in [
        (people("bearer: env:T"), "one token for all"),
        (people(&format!("bearer: env:T, principals: {{{kim}, {lead}}}")), "one token for all"),
        (people(&format!("principals: {{{kim}}}")), "who may approve, got nobody"),
        (people(&format!("principals: {{{lead}}}")), "who may approve, got nobody"),
        (people(&format!("jwt: [{}]", idp("sub", ""))), "who may approve, got nobody"),
        (
            people(&format!("jwt: [{}, {}]", idp("sub", ", approves: [pets]"), idp("email", ""))),
            "a person would have two names",
        ),
    ] {
        refused(&wrong, "/access/four_eyes", says);
    }
}
