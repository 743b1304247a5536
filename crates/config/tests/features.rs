//! Keys that need a feature of callgate: an error that names it where it is not built in. The key `keyring` alone says nothing:
//! what needs its feature is a secret `keyring:…`.
#![cfg(test)]

use callgate_config::{Config, Environment};

/// The key is refused, by the name of its feature, in builds without it and in no other.
#[track_caller]
fn check(text: &str, feature: &str, is_built_in: bool) {
    let named = format!("needs a build of callgate with the feature `{feature}`");
    let refused = match Config::from_text(text, "") {
        Ok(_) => false,
        Err(error) => {
            let mut findings = error.findings().iter();
            let found = findings.find(|finding| finding.code == "missing-feature");
            found.is_some_and(|finding| finding.message.contains(&named))
        }
    };
    assert_eq!(refused, !is_built_in, "{text}");
}

#[test]
fn a_key_whose_feature_is_off_is_an_error_that_names_it() {
    let (aws, google) = (cfg!(feature = "aws"), cfg!(feature = "google"));
    check("toolsets: {}\nsecrets: {aws: {region: eu-west-1}}", "aws", aws);
    check("toolsets: {}\nsecrets: {gcp: {}}", "google", google);
    let vault = "toolsets: {}\nsecrets: {vault: {address: 'https://v', token: env:T}}";
    check(vault, "vault", cfg!(feature = "vault"));
    let signed = "toolsets: {a: {openapi: a, auth: {aws_sigv4: {service: s3, region: eu}}}}";
    check(signed, "aws", aws);
    check("toolsets: {a: {openapi: a, auth: {google_access_token: {}}}}", "google", google);
    let directory = "projects/p/locations/l/namespaces/n/services/s";
    check(
        &format!("toolsets: {{a: {{openapi: a, service_directory: {directory}}}}}"),
        "google",
        google,
    );
}

/// The codes of what keeps a build from being made in an environment.
fn faults(text: &str, environment: &Environment) -> Vec<&'static str> {
    let built = Config::from_text(text, "").unwrap().build_blocking(environment, None);
    let findings = built.map_err(|error| error.findings().to_vec()).err().unwrap_or_default();
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn examining_a_sidecar_reports_traces_that_this_build_cannot_send() {
    let text = "toolsets: {a: {functions: [{name: f, description: d, input: {type: object}}]}}\ntelemetry: {otlp: 'http://127.0.0.1:4318'}";
    let expected: &[&str] = if cfg!(feature = "otel") { &[] } else { &["missing-feature"] };
    assert_eq!(faults(text, &Environment::new().with_sidecar_examination()), expected);
    assert!(faults(text, &Environment::new()).is_empty(), "a program's own calls have no traces");
}

#[test]
fn examining_a_sidecar_reports_an_open_listener() {
    let text = |listen: &str| {
        format!(
            "toolsets: {{a: {{functions: [{{name: f, description: d, input: {{type: object}}}}]}}}}\nlisten: '{listen}'"
        )
    };
    let examined = Environment::new().with_sidecar_examination();
    for (listen, expected) in [
        ("0.0.0.0:80", &["open-listener"][..]),
        ("[::]:80", &["open-listener"]),
        ("127.0.0.1:80", &[]),
        ("[::1]:80", &[]),
        ("unix:/run/callgate.sock", &[]),
    ] {
        assert_eq!(faults(&text(listen), &examined), expected, "{listen}");
        assert!(faults(&text(listen), &Environment::new()).is_empty(), "{listen}");
    }
    let named = format!("{}\naccess: {{bearer: env:T}}", text("0.0.0.0:80"));
    assert!(faults(&named, &examined).is_empty());
}
