//! Tests environment variables as values of settings that are not secrets.

use callgate_auth::{AuthConfig, TokenEndpoint};
use callgate_settings::Reader;
use callgate_testkit::rows;

use crate::Config;

/// A configuration read with the variables `HOST` (`https://host.example`) and `REGION` (`eu`) and no others.
fn read(toolset: &str) -> Config {
    let text = format!("toolsets:\n  a: {{openapi: a.yaml, {toolset}}}\n");
    let variables = |name: &str| match name {
        "HOST" => Some("https://host.example".to_owned()),
        "REGION" => Some("eu".to_owned()),
        _ => None,
    };
    Config::read_text_with_reader(text.as_bytes(), Reader::with_variable_source(variables)).unwrap()
}

fn oauth(toolset: &str) -> callgate_auth::OAuth2Config {
    let config = read(toolset);
    let Some(AuthConfig::OAuth2(config)) = config.toolsets[0].credentials.auth.clone() else {
        panic!("{toolset}: {config:?}");
    };
    *config
}

#[test]
fn only_a_whole_text_is_read_as_a_reference_to_a_variable() {
    let config =
        read("server: 'env:HOST', server_variables: {region: 'env:REGION', other: 'x env:REGION'}");
    let toolset = &config.toolsets[0];
    assert_eq!(toolset.server.as_ref().unwrap().as_str(), "https://host.example");
    assert_eq!(toolset.server_variables["region"], "eu");
    assert_eq!(toolset.server_variables["other"], "x env:REGION");
    let client = "client_id: 'env:ID', client_secret: 'env:SECRET'";
    let url = oauth(&format!(
        "auth: {{oauth2_client_credentials: {{token_url: 'env:HOST', audience: ['env:REGION', b], {client}}}}}"
    ));
    assert_eq!(url.endpoint, TokenEndpoint::Url("https://host.example".to_owned()));
    assert_eq!(url.audiences, ["eu", "b"]);
    assert_eq!(url.client.unwrap().id.to_string(), "env:ID");
    let issuer =
        oauth(&format!("auth: {{oauth2_client_credentials: {{issuer: 'env:HOST', {client}}}}}"));
    assert_eq!(issuer.endpoint, TokenEndpoint::Issuer("https://host.example".to_owned()));
}

#[test]
fn a_variable_that_is_not_set_is_a_fault_with_its_position() {
    for [toolset, pointer] in rows(
        "
        server: 'env:NONE' => /toolsets/a/server
        server_variables: {region: 'env:NONE'} => /toolsets/a/server_variables/region
        auth: {oauth2_client_credentials: {token_url: 'env:NONE', client_id: a}} => /toolsets/a/auth/oauth2_client_credentials/token_url
        auth: {oauth2_client_credentials: {issuer: 'env:NONE', client_id: a}} => /toolsets/a/auth/oauth2_client_credentials/issuer
        auth: {oauth2_client_credentials: {token_url: 'https://a.example', audience: 'env:NONE', client_id: a}} => /toolsets/a/auth/oauth2_client_credentials/audience
        auth: {google_id_token: {audience: 'env:NONE'}} => /toolsets/a/auth/google_id_token/audience
        ",
    ) {
        let config = read(toolset);
        let error = config.faultless().unwrap_err();
        let [finding] = error.findings() else { panic!("{toolset}: {error}") };
        assert_eq!((finding.code, finding.pointer.as_str()), ("missing-variable", pointer));
    }
}
