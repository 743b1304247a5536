//! Tools as Dialogflow and Customer Engagement Suite export them, called over TCP on loopback: which credential arrives,
//! what of an export is told, and what of it is refused. What each message becomes is tested in `config`.

mod foreign;

use crate::prelude::*;

const SCHEMA: &str = "openapi: 3.0.0
info: {title: T, version: '1'}
servers: [{url: 'https://a.example'}]
paths: {/pets: {get: {operationId: listPets, summary: s}}}
";

/// An export of these files, and a configuration whose toolset `pets` has these settings.
fn open(files: &[(&str, String)], settings: &Value) -> Result<Built, config::Error> {
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = temporary_folder(&files);
    let file = folder.path().join("callgate.json");
    fs::write(&file, json!({"toolsets": {"pets": settings}}).to_string()).unwrap();
    build(&loader().file(&file)?)
}

fn dialogflow(authentication: &Value) -> Vec<(&'static str, String)> {
    let spec = json!({"textSchema": SCHEMA, "authentication": authentication});
    let tool = json!({"displayName": "pets", "description": "d", "openApiSpec": spec});
    vec![("agent/tools/pets/pets.json", tool.to_string())]
}

fn key() -> Value {
    json!({"apiKeyConfig": {"keyName": "X-Key", "requestLocation": "HEADER", "apiKey": "canary-key"}})
}

async fn call(built: &Built) -> Outcome {
    let parameters = json!({"token": "canary-token"}).as_object().cloned().unwrap();
    let session = Session::new("s").with_parameters(parameters);
    let call = ToolCall::new("1", "pets-listPets", Arguments::new());
    built.executor.call(&call, &session).await.outcome
}

/// The header or the target in which the credential of an export arrives, with these further settings.
async fn arrived(files: &[(&str, String)], key: &str, mut settings: Value, at: &str) -> String {
    let server = Server::start().await;
    settings["server"] = server.url("").into();
    let name = files[0].0;
    settings[key] = Path::new(name).parent().unwrap().to_str().unwrap().into();
    let built = open(files, &settings).unwrap();
    let told = built.warnings.iter().map(ToString::to_string).collect::<String>();
    assert!(!told.contains("canary"), "{told}");
    let outcome = call(&built).await;
    assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
    let seen = server.last();
    let value = if at == "target" { &seen["target"] } else { &seen["headers"][at] };
    value.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_tool_of_dialogflow_is_called_with_its_own_credential() {
    let own = "dialogflow_tool";
    let none = || json!({});
    assert_eq!(arrived(&dialogflow(&key()), own, none(), "x-key").await, "canary-key");
    let query = json!({"apiKeyConfig": {"keyName": "k", "requestLocation": "QUERY_STRING", "apiKey": "canary"}});
    assert_eq!(arrived(&dialogflow(&query), own, none(), "target").await, "/pets?k=canary");
    let bearer = json!({"bearer_token_config": {"token": "$session.params.token"}});
    let files = dialogflow(&bearer);
    assert_eq!(arrived(&files, own, none(), "authorization").await, "Bearer canary-token");
    assert_eq!(arrived(&dialogflow(&json!({})), own, none(), "target").await, "/pets");
}

/// Both products, and both spellings, against a token endpoint that checks the client.
#[tokio::test]
async fn an_exported_oauth_client_requests_and_renews_its_token() {
    let provider = Provider::start().await;
    provider.behave(|provider, _| provider.issue(json!(3600)));
    let (id, secret) = ("canary client", "canary:secret%");
    let oauth = json!({"oauthConfig": {"oauthGrantType": "CLIENT_CREDENTIAL", "clientId": id, "clientSecret": secret,
        "tokenEndpoint": provider.url("/token"), "scopes": ["read", "list"]}});
    let spelled = json!({"oauth_config": {"oauth_grant_type": 1, "client_id": id, "client_secret": secret,
        "token_endpoint": provider.url("/token"), "scopes": ["read", "list"]}});
    let shop = |authentication: &Value| {
        let mut files = ces(SCHEMA, &json!({}));
        let toolset = json!({"openApiSchema": "toolsets/pets/open_api_toolset/open_api_schema.yaml",
            "apiAuthentication": authentication});
        files[0].1 = json!({"displayName": "pets", "openApiToolset": toolset}).to_string();
        files
    };
    for (key, files) in [
        ("dialogflow_tool", dialogflow(&oauth)),
        ("dialogflow_tool", dialogflow(&spelled)),
        ("ces_toolset", shop(&json!({"oauthConfig": oauth["oauthConfig"]}))),
    ] {
        let folder = Path::new(files[0].0).parent().unwrap().to_str().unwrap();
        let settings = json!({key: folder, "server": provider.url("/v1")});
        let built = open(&files, &settings).unwrap();
        let n_asked = provider.n_asked();
        for _ in 0..2 {
            let outcome = call(&built).await;
            assert!(matches!(outcome, Outcome::Answered(_)), "{key}: {outcome:?}");
        }
        assert_eq!(provider.n_asked(), n_asked + 1, "a token is kept");
        let asked = provider.last();
        assert_eq!(asked.form["grant_type"], "client_credentials");
        assert_eq!(asked.form["scope"], "read list");
        assert_eq!(client(&asked), (id.to_owned(), secret.to_owned()), "{key}");
        provider.revoke();
        let outcome = call(&built).await;
        assert!(matches!(outcome, Outcome::Answered(_)), "{key}: {outcome:?}");
        assert_eq!(provider.n_asked(), n_asked + 2, "a token that is refused is replaced");
    }
    provider
        .behave(|_, _| (StatusCode::UNAUTHORIZED, r#"{"error":"invalid_client"}"#).into_response());
    let settings = json!({"dialogflow_tool": "agent/tools/pets", "server": provider.url("/v1")});
    let Outcome::Failed(fault) = call(&open(&dialogflow(&oauth), &settings).unwrap()).await else {
        panic!("it was called")
    };
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert!(fault.message.contains(": invalid_client"), "{}", fault.message);
    assert!(!format!("{fault:?}").contains("canary"), "{fault:?}");
}

/// The client as it showed itself, in the body or in the header (RFC 6749 §2.3.1).
fn client(asked: &Asked) -> (String, String) {
    let Some(header) = &asked.authorization else {
        return (asked.form["client_id"].clone(), asked.form["client_secret"].clone());
    };
    let pair = BASE64_STANDARD.decode(header.strip_prefix("Basic ").unwrap()).unwrap();
    let pair = String::from_utf8(pair).unwrap();
    let (id, secret) = pair.split_once(':').unwrap();
    let decoded = |text: &str| {
        let form = format!("a={text}");
        let (_, value) = url::form_urlencoded::parse(form.as_bytes()).next().unwrap();
        value.into_owned()
    };
    (decoded(id), decoded(secret))
}

#[tokio::test]
async fn settings_of_the_toolset_win_over_the_export() {
    let own = json!({"auth": {"bearer": {"token": "literal:canary-own"}}});
    let files = dialogflow(&key());
    let got = arrived(&files, "dialogflow_tool", own.clone(), "authorization").await;
    assert_eq!(got, "Bearer canary-own");
    let without = dialogflow(&json!({"oauthConfig": {"oauthGrantType": "CLIENT_CREDENTIAL"}}));
    let got = arrived(&without, "dialogflow_tool", own, "authorization").await;
    assert_eq!(got, "Bearer canary-own");
}

#[tokio::test]
async fn a_schema_beside_the_tool_is_its_description() {
    let tool = json!({"displayName": "x", "openApiSpec": {"authentication": key()}});
    let files = [
        ("agent/tools/pets/pets.json", tool.to_string()),
        ("agent/tools/pets/schema.yaml", SCHEMA.to_owned()),
        ("agent/agent.json", json!({"displayName": "Agent"}).to_string()),
    ];
    assert_eq!(arrived(&files, "dialogflow_tool", json!({}), "x-key").await, "canary-key");
}

/// Exports since August 2025.
#[tokio::test]
async fn a_tool_without_its_secret_is_loaded_and_not_called() {
    let bare = json!({"apiKeyConfig": {"keyName": "X-Key", "requestLocation": "HEADER"}});
    let server = Server::start().await;
    let settings = json!({"dialogflow_tool": "agent/tools/pets/", "server": server.url("")});
    let built = open(&dialogflow(&bare), &settings).unwrap();
    assert!(built.warnings.iter().any(|known| known.code == "import-missing-secret"), "{built:?}");
    let missing = |known: &&callgate::openapi::Diagnostic| known.code == Code::MissingCredential;
    assert_eq!(built.toolsets[0].report.diagnostics.iter().filter(missing).count(), 1);
    let Outcome::Failed(fault) = call(&built).await else { panic!("it was called") };
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert!(fault.message.contains("`auth`"), "{}", fault.message);
    assert_eq!(server.total(), 0);
}

fn ces(schema: &str, environment: &Value) -> Vec<(&'static str, String)> {
    let toolset = json!({"openApiSchema": "toolsets/pets/open_api_toolset/open_api_schema.yaml",
        "apiAuthentication": {}, "serviceDirectoryConfig": null});
    let export = json!({"displayName": "pets", "openApiToolset": toolset, "timeout": "7s"});
    vec![
        ("app/toolsets/pets/pets.json", export.to_string()),
        ("app/toolsets/pets/open_api_toolset/open_api_schema.yaml", schema.to_owned()),
        ("app/environment.json", json!({"toolsets": {"pets": environment}}).to_string()),
    ]
}

#[tokio::test]
async fn a_toolset_of_customer_engagement_suite_is_joined_with_its_environment() {
    let server = Server::start().await;
    let schema = SCHEMA.replace("https://a.example", "$env_var");
    let environment = json!({"openApiToolset": {"url": server.url("/base/")}});
    let settings = json!({"ces_toolset": "app/toolsets/pets"});
    let built = open(&ces(&schema, &environment), &settings).unwrap();
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let outcome = call(&built).await;
    assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
    assert_eq!(server.last()["target"], "/base/pets");
    let unnamed = open(&ces(&schema, &json!({})), &settings).unwrap();
    assert!(unnamed.warnings.iter().any(|known| known.message.contains("$env_var")), "{unnamed:?}");
}

/// A description that puts anything before the operator's address chooses where calls go.
#[tokio::test]
async fn an_environment_replaces_the_scheme_and_host_of_an_exported_server() {
    let server = Server::start().await;
    let environment = json!({"openApiToolset": {"url": "https://a.example"}});
    let own = server.url("");
    for url in
        [format!("{own}/$env_var"), "$env_var.evil.example".into(), "$env_var@evil.example".into()]
    {
        let files = ces(&SCHEMA.replace("https://a.example", &url), &environment);
        let settings = json!({"ces_toolset": "app/toolsets/pets"});
        check_fault(&files, &settings, "import-invalid", "`$env_var` for the whole address");
        let settings = json!({"ces_toolset": "app/toolsets/pets", "server": own});
        let overridden = open(&files, &settings).unwrap();
        let said = |known: &Finding| known.message.contains("$env_var");
        assert!(overridden.warnings.iter().any(said), "{:?}", overridden.warnings);
    }
    assert_eq!(server.total(), 0);
}

/// What is at fault, by its code and a part of its words.
#[track_caller]
fn check_fault(files: &[(&str, String)], settings: &Value, code: &str, words: &str) {
    let error = open(files, settings).unwrap_err();
    let shown = error.to_string();
    let is_it = |known: &Finding| known.code == code && known.severity == Severity::Error;
    assert!(error.findings().iter().any(is_it), "{shown}");
    assert!(shown.contains(words) && !shown.contains("canary"), "{shown}");
}

#[test]
fn an_export_that_cannot_be_imported_is_a_fault() {
    let named = json!({"dialogflow_tool": "agent/tools/pets"});
    let tool = |spec: Value| vec![("agent/tools/pets/pets.json", spec.to_string())];
    let store = tool(json!({"displayName": "f", "dataStoreSpec": {}}));
    check_fault(&store, &named, "exported-tool", "expected an OpenAPI tool");
    check_fault(&tool(json!({"openApiSpec": {}})), &named, "exported-tool", "with its schema");
    check_fault(&[], &named, "exported-tool", "cannot read");
    let both = json!({"dialogflow_tool": "agent/tools/pets", "openapi": "a.yaml"});
    check_fault(
        &dialogflow(&key()),
        &both,
        "wrong-value",
        "expected `dialogflow_tool` or `openapi`",
    );
    check_fault(
        &dialogflow(&key()),
        &json!({"dialogflow_tool": 7}),
        "wrong-value",
        "the path of an",
    );
    let two =
        json!({"apiKeyConfig": {"apiKey": "canary"}, "bearerTokenConfig": {"token": "canary"}});
    check_fault(&dialogflow(&two), &named, "import-invalid", "expected one of its members");
    let broken = vec![("agent/tools/pets/pets.json", "{\"openApiSpec\": canary".to_owned())];
    check_fault(&broken, &named, "exported-tool", "cannot read");
}

/// An export is someone else's: it names no file outside of its own folder.
#[test]
fn a_schema_outside_of_the_app_is_not_read() {
    for name in ["../secret.yaml", "/etc/secret.yaml", "toolsets/../../secret.yaml"] {
        let export = json!({"openApiToolset": {"openApiSchema": name}});
        let files = [
            ("app/toolsets/pets/pets.json", export.to_string()),
            ("secret.yaml", SCHEMA.to_owned()),
        ];
        let error = open(&files, &json!({"ces_toolset": "app/toolsets/pets"})).unwrap_err();
        assert_eq!(error.findings()[0].code, "exported-tool", "{error}");
    }
}

/// Where a configuration may name a file, an export may not.
#[test]
fn a_certificate_of_an_export_is_not_read_as_a_file() {
    let named = json!({"dialogflow_tool": "agent/tools/pets"});
    for certificate in ["config/ca.pem", "../ca.pem"] {
        let tls = json!({"caCerts": [{"displayName": "c", "cert": certificate}]});
        let spec = json!({"textSchema": SCHEMA, "tlsConfig": tls});
        let ca = fs::read_to_string(crate::root().join("config/ca.pem")).unwrap();
        let files = [
            ("agent/tools/pets/pets.json", json!({"openApiSpec": spec}).to_string()),
            ("config/ca.pem", ca.clone()),
            ("ca.pem", ca),
        ];
        check_fault(&files, &named, "import-invalid", "expected certificates");
    }
}

/// Google's accounts: whose token it is is told, and a dry run shows where it goes without asking for one.
#[tokio::test]
async fn tokens_of_exported_google_accounts_are_requested_with_our_own_account() {
    let settings = json!({"dialogflow_tool": "agent/tools/pets", "server": "https://a.example"});
    for authentication in [
        json!({"serviceAgentAuthConfig": {}}),
        json!({"serviceAgentAuthConfig": {"serviceAgentAuth": "ACCESS_TOKEN"}}),
        json!({"serviceAccountAuthConfig": {"serviceAccount": "a@p.iam.gserviceaccount.com"}}),
    ] {
        let built = open(&dialogflow(&authentication), &settings).unwrap();
        let told = built.warnings.iter().filter(|known| known.code == "import-account");
        assert_eq!(told.count(), 1, "{authentication}: {:?}", built.warnings);
        let asked = ToolCall::new("1", "pets-listPets", Arguments::new());
        let planned = built.executor.dry_run(&asked, &Session::default()).await.outcome;
        let Outcome::Planned(plan) = planned else { panic!("{planned:?}") };
        let is_it =
            |(name, value): &&(String, String)| name == "authorization" && value == "Bearer ****";
        let plan = plan.request().unwrap();
        assert_eq!(plan.headers.iter().filter(is_it).count(), 1, "{plan:?}");
    }
}
