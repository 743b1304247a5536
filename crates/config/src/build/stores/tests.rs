//! Tests the table of schemes that a configuration makes.

use callgate_testkit::{check_rows, list};

use crate::{Description, DescriptionOptions, Environment, Loader, Location};

/// The findings about a configuration with these secrets and this key: `code at pointer: message`.
fn findings(secrets: &str, value: &str) -> Vec<String> {
    let toolset = format!("{{openapi: spec.json, auth: {{bearer: {{token: \"{value}\"}}}}}}");
    let text = format!("secrets: {secrets}\ntoolsets: {{t: {toolset}}}\n");
    let location = Location::Text("".into(), text.into_bytes().into());
    let mut config = Loader::new().open(location, &DescriptionOptions::default()).unwrap();
    for toolset in &mut config.toolsets {
        toolset.description = Description::text("{openapi: 3.0.3, paths: {}}");
    }
    let findings = match config.build_blocking(&Environment::new(), None) {
        Ok(built) => built.warnings,
        Err(error) => error.findings().to_vec(),
    };
    findings
        .into_iter()
        .map(|finding| format!("{} at {}: {}", finding.code, finding.pointer, finding.message))
        .collect()
}

#[track_caller]
fn check(secrets: &str, value: &str, expected: &[&str]) {
    assert_eq!(findings(secrets, value), expected, "{secrets} {value}");
}

const VAULT: &str = "{vault: {address: 'https://v:8200', token: 'env:T'}}";
const AWS: &str = "{aws: {region: eu-west-1}}";

#[test]
fn a_configured_store_of_secrets_is_available() {
    check("{}", "env:X", &[]);
    check("{}", "file:x", &[]);
    check("{directory: mounted}", "directory:x", &[]);
    check(VAULT, "vault:a/b#c", &[]);
    check(AWS, "aws:a", &[]);
    check("{vault: {address: 'http://localhost:8200', kubernetes: {role: r}}}", "vault:a/b#c", &[]);
    check("{gcp: {account: machine}}", "gcp:projects/p/secrets/s/versions/1", &[]);
    check("{gcp: {key: 'file:k.json'}}", "projects/p/secrets/s/versions/latest", &[]);
    check("{cache: {time_to_live: 1m, stale: 1m, timeout: 1s}}", "env:X", &[]);
}

#[test]
fn a_reference_to_a_store_that_is_not_configured_is_a_fault_with_scheme_and_key() {
    for (scheme, reference) in [("vault", "vault:a/b#c"), ("aws", "aws:a#b")] {
        let message = format!(
            "secret-store at /toolsets/t/auth/bearer/token: a secret of `{scheme}:` needs the key \
             `secrets.{scheme}`, which is not there"
        );
        check("{}", reference, &[&message]);
    }
    let message = "secret-store at /toolsets/t/auth/bearer/token: a secret of `aws:` needs the key `secrets.aws`, which is not there";
    check(VAULT, "aws:a", &[message]);
}

#[test]
fn each_fault_of_a_store_of_secrets_is_reported_once() {
    check_rows(
        "
        {vault: {}} => vault:a/b#c => missing-key at /secrets/vault: expected the key `address`, got none | wrong-value at /secrets/vault: expected one way to log in, got none
        {vault: {address: 'https://v', token: 'env:T', approle: {role_id: 'env:R', secret_id: 'env:S'}}} => env:X => wrong-value at /secrets/vault: expected one way to log in, got several
        {aws: {region: 'eu/west', access_key_id: 'env:A'}} => aws:a => missing-key at /secrets/aws: expected the key `secret_access_key`, got none | wrong-value at /secrets/aws/region: expected a region such as `eu-west-1`, got: `eu/west`
        ",
        |[secrets, value, expected]| check(secrets, value, &list(expected)),
    );
    for address in ["v:8200", "ftp://v", "https://u:p@v", "https://v/?x=1", "https://v/#x"] {
        let secrets = format!("{{vault: {{address: '{address}', token: 'env:T'}}}}");
        let message = "wrong-value at /secrets/vault/address: expected an address: `https://`, a host, and perhaps a port and a path";
        check(&secrets, "env:X", &[message]);
    }
}

#[test]
fn a_store_must_sign_in_with_a_secret_of_this_machine() {
    check_rows(
        "
        {aws: {region: eu-west-1}, vault: {address: 'https://v', token: 'aws:token'}} => vault/token => aws
        {gcp: {key: 'gcp:projects/p/secrets/s/versions/1'}} => gcp/key => gcp
        {aws: {region: r, tls: {client_certificate: c.pem, client_key: 'aws:key'}}} => aws/tls/client_key => aws
        ",
        |[secrets, place, scheme]| {
            let expected = "expected a secret of this machine, got one of";
            let message = format!("secret-store at /secrets/{place}: {expected} `{scheme}:`");
            check(secrets, "env:X", &[&message]);
        },
    );
}

#[test]
fn the_certificates_of_a_store_are_checked_at_load() {
    for store in [
        "aws: {region: r",
        "gcp: {account: machine",
        "vault: {address: 'https://v', token: 'env:T'",
    ] {
        let pointer = store.split(':').next().unwrap();
        let code = format!("unreadable-file at /secrets/{pointer}/tls/ca/0");
        let found = findings(&format!("{{{store}, tls: {{ca: [none.pem]}}}}}}"), "env:X");
        assert!(found.len() == 1 && found[0].starts_with(&code), "{found:?}");
    }
}

#[test]
fn a_keyring_is_available_only_if_it_is_built_in() {
    let missing = "secret-store at /toolsets/t/auth/bearer/token: secrets of `keyring:` need a build of callgate with the \
        feature `keyring`";
    let expected: &[&str] = if cfg!(feature = "keyring") { &[] } else { &[missing] };
    check("{}", "keyring:pets/rex", expected);
    check("{keyring: {backend: kernel}}", "keyring:pets/rex", expected);
    check("{keyring: {backend: platform}}", "env:X", &[]);
    check(
        "{keyring: {backend: gnome}}",
        "env:X",
        &["wrong-value at /secrets/keyring/backend: expected `platform` or `kernel`, got: `gnome`"],
    );
}

#[test]
fn an_unencrypted_connection_to_a_store_is_a_warning() {
    let message = "plain-http at /secrets/vault/address: secrets travel to this address and back in the clear";
    check("{vault: {address: 'http://vault:8200', token: 'env:T'}}", "vault:a/b#c", &[message]);
    check("{vault: {address: 'http://127.0.0.1:8200', token: 'env:T'}}", "vault:a/b#c", &[]);
}
