//! Keys that need a feature of callgate: an error that names it where it is not built in. The key `keyring` alone says nothing:
//! what needs its feature is a secret `keyring:…`.
#![cfg(test)]

use callgate_config::Config;

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
