//! Which credentials a call carries: what the description asks for, solved with what the configuration has, over TCP on
//! loopback. What a service sees is what it was sent, before anything is masked.

mod faults;
mod places;
mod refusals;
mod scopes;

use crate::prelude::*;

use crate::built::toolset_config;

const DESCRIPTION: &str = concat!("\n", include_str!("credentials.yaml"));

const ALL: &str = "credentials:
  key: { api_key: { value: \"literal:canary-key\" } }
  query: { api_key: { value: \"literal:canary query\" } }
  cookie: { api_key: { value: \"literal:canary-cookie\" } }
  token: { bearer: { token: $session.params.token } }
  pair: { basic: { username: user, password: \"literal:canary-password\" } }
  header: { bearer: { token: \"literal:canary-header\" } }
";

fn load(server: &str, away: &str, settings: &str) -> Result<Built, config::Error> {
    toolset(&DESCRIPTION.replace("SERVER", server).replace("AWAY", away), settings)
}

/// The description's own server is the operator's here: loopback is nobody else's to name.
async fn started(settings: &str) -> (Server, Built) {
    let server = Server::start().await;
    let settings = format!("{settings}\ncredential_origins: [\"{}\"]", server.url(""));
    let built = load(&server.url(""), "https://away.example", &settings);
    (server, built.unwrap())
}

fn session() -> Session {
    let parameters = json!({"token": "canary-token"});
    Session::new("s").with_parameters(parameters.as_object().cloned().unwrap())
}

async fn call(built: &Built, tool: &str) -> Outcome {
    let call = ToolCall::new("1", tool, Arguments::new());
    built.executor.call(&call, &session()).await.outcome
}

async fn failed(built: &Built, tool: &str) -> Fault {
    match call(built, tool).await {
        Outcome::Failed(fault) => *fault,
        other => panic!("{tool}: {other:?}"),
    }
}

/// The credentials that arrived: the key's header, `Authorization`, the cookies, and the target.
async fn arrived(server: &Server, built: &Built, tool: &str) -> Vec<String> {
    let outcome = call(built, tool).await;
    assert!(matches!(outcome, Outcome::Answered(_)), "{tool}: {outcome:?}");
    let seen = server.last();
    let headers = ["x-key", "authorization", "cookie"].map(|name| seen["headers"][name].clone());
    let target = seen["target"].clone();
    let all = headers.into_iter().chain([target]);
    all.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn each_operation_is_sent_with_the_credentials_it_requires() {
    let (server, built) = started(ALL).await;
    for (tool, expected) in [
        ("inherited", &["canary-key", "/inherited"][..]),
        ("open", &["/open"]),
        ("optional", &["Bearer canary-token", "/optional"]),
        ("either", &["Bearer canary-token", "/either"]),
        ("both", &["canary-key", "Bearer canary-token", "sid=canary-cookie", "/both"]),
        ("pair", &["Basic dXNlcjpjYW5hcnktcGFzc3dvcmQ=", "/pair"]),
        ("cookie", &["sid=canary-cookie", "/cookie"]),
        ("header", &["Bearer canary-header", "/header"]),
    ] {
        assert_eq!(arrived(&server, &built, tool).await, expected);
    }
}

#[tokio::test]
async fn the_only_security_alternative_with_credentials_is_used() {
    let keys = "credentials: { query: { api_key: { value: \"literal:canary query\" } } }";
    let (server, built) = started(keys).await;
    assert_eq!(arrived(&server, &built, "either").await, ["/either?api%20key=canary%20query"]);
    assert_eq!(arrived(&server, &built, "optional").await, ["/optional"]);
}

/// A token for other scopes does not do.
#[tokio::test]
async fn missing_scopes_are_reported() {
    let token = "token: { oauth2_client_credentials: { token_url: \"https://idp.example/token\", \
                 client_id: c, client_secret: \"literal:canary\", scopes: [list] } }";
    let (server, built) = started(&format!("credentials:\n  {token}")).await;
    let fault = failed(&built, "either").await;
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert!(fault.message.contains("`token` lacks the scopes `read`"), "{}", fault.message);
    let report = &built.toolsets[0].report;
    let told = report.diagnostics.iter().find(|known| known.help.contains("`scopes`")).unwrap();
    assert!(
        told.message
            .contains("scheme `token` with the scopes `read`, got one without them; `GET /either`"),
        "{told:?}"
    );
    let query = "query: { api_key: { value: \"literal:canary\" } }";
    let (server_of_both, both) = started(&format!("credentials:\n  {token}\n  {query}")).await;
    assert_eq!(arrived(&server_of_both, &both, "either").await, ["/either?api%20key=canary"]);
    assert_eq!(server.total(), 0);
}

/// Faults, the load report, and what a dry run notes name the scheme and never a secret.
#[tokio::test]
async fn operations_without_their_credential_are_reported_and_never_sent() {
    let one = "credentials: { token: { bearer: { token: \"literal:canary\" } } }";
    let (server, built) = started(one).await;
    for (tool, named) in [
        ("inherited", "`key`"),
        ("both", "`key` and `cookie`"),
        ("pair", "`pair`"),
        ("magic", "`magic`"),
        ("digest", "`digest`"),
        ("certificate", "`certificate`"),
    ] {
        let fault = failed(&built, tool).await;
        assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No), "{tool}");
        assert!(fault.message.contains(named), "{tool}: {}", fault.message);
        assert!(fault.message.contains("`credentials`"), "{tool}: {}", fault.message);
        let asked = ToolCall::new("1", tool, Arguments::new());
        let journal = built.executor.dry_run(&asked, &session()).await.journal;
        let is_noted = |event: &Event| matches!(event, Event::Unauthorized { .. });
        assert!(journal.events().iter().any(is_noted), "{tool}: {journal:?}");
    }
    assert_eq!(server.total(), 0);
    let report = &built.toolsets[0].report;
    let missing = report.diagnostics.iter().filter(|known| known.code == Code::MissingCredential);
    let missing: Vec<_> =
        missing.map(|known| format!("{} {}", known.pointer, known.message)).collect();
    assert_eq!(
        missing,
        [
            "/components/securitySchemes/certificate expected a credential for the security scheme `certificate`, \
             got none; `GET /certificate` cannot be called",
            "/components/securitySchemes/cookie expected a credential for the security scheme `cookie`, got none; \
             2 operations cannot be called: `GET /both`, `GET /cookie`",
            "/components/securitySchemes/digest expected a credential for the security scheme `digest`, got none; \
             `GET /digest` cannot be called",
            "/components/securitySchemes/header expected a credential for the security scheme `header`, got none; \
             `GET /header` cannot be called",
            "/components/securitySchemes/key expected a credential for the security scheme `key`, got none; \
             3 operations cannot be called: `GET /inherited`, `GET /both`, `GET /away`",
            "/paths/~1magic/get/security/0/magic expected a credential for the security scheme `magic`, got none; \
             `GET /magic` cannot be called",
            "/components/securitySchemes/pair expected a credential for the security scheme `pair`, got none; \
             `GET /pair` cannot be called",
        ]
    );
    let inherited = report.operations.iter().find(|known| &*known.path == "/inherited").unwrap();
    assert_eq!(inherited.status, OperationStatus::Degraded);
}

#[tokio::test]
async fn the_credential_of_a_toolset_is_not_sent_to_open_operations() {
    let (server, built) = started("auth: { bearer: { token: \"literal:canary\" } }").await;
    for (tool, expected) in [
        ("inherited", &["Bearer canary", "/inherited"][..]),
        ("optional", &["Bearer canary", "/optional"]),
        ("magic", &["Bearer canary", "/magic"]),
        ("open", &["/open"]),
    ] {
        assert_eq!(arrived(&server, &built, tool).await, expected);
    }
    assert!(
        built.toolsets[0]
            .report
            .diagnostics
            .iter()
            .all(|known| known.code != Code::MissingCredential)
    );
}

#[tokio::test]
async fn anonymous_calls_must_be_allowed_by_the_configuration() {
    let (server, built) = started("auth: none").await;
    assert_eq!(arrived(&server, &built, "inherited").await, ["/inherited"]);
    let (server, built) = started("").await;
    assert_eq!(failed(&built, "inherited").await.code, FaultCode::AuthFailed);
    assert_eq!(arrived(&server, &built, "open").await, ["/open"]);
    assert_eq!(arrived(&server, &built, "optional").await, ["/optional"]);
}

/// Both keys: `credentials` where the description says what it asks for, `auth` where it says nothing.
#[tokio::test]
async fn auth_beside_credentials_applies_to_operations_without_security() {
    let server = Server::start().await;
    let description = "openapi: 3.0.3
paths:
  /stated: { get: { operationId: stated, summary: s, security: [{ key: [] }] } }
  /unstated: { get: { operationId: unstated, summary: s } }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }";
    let load = |settings: &str| {
        let built = toolset(description, &format!("server: {}\n{settings}", server.url("")));
        built.unwrap()
    };
    let credentials = "credentials: { key: { api_key: { value: \"literal:canary-key\" } } }";
    let both = load(&format!("{credentials}\nauth: {{ bearer: {{ token: \"literal:canary\" }} }}"));
    assert_eq!(arrived(&server, &both, "stated").await, ["canary-key", "/stated"]);
    assert_eq!(arrived(&server, &both, "unstated").await, ["Bearer canary", "/unstated"]);
    let alone = load(credentials);
    assert_eq!(arrived(&server, &alone, "unstated").await, ["/unstated"]);
}

/// Isolation: a server that the description names for single operations gets nothing.
#[tokio::test]
async fn an_unlisted_origin_gets_no_credential() {
    let (server, away) = (Server::start().await, Server::start().await);
    let (own, other) = (server.url(""), away.url(""));
    let only_own = |away: &str, settings: &str| {
        load(&own, away, &format!("{settings}credential_origins: [\"{own}\"]")).unwrap()
    };
    let elsewhere = only_own("https://away.example", ALL);
    let fault = failed(&elsewhere, "away").await;
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert!(fault.message.contains("`credential_origins`"), "{}", fault.message);
    assert!(!fault.message.contains("127.0.0.1"), "{}", fault.message);
    let report = &elsewhere.toolsets[0].report;
    let told = report.diagnostics.iter().find(|known| known.code == Code::ForeignServer).unwrap();
    assert!(told.help.contains("credential_origins: [https://away.example]"), "{told:?}");
    let auth = "auth: { bearer: { token: \"literal:canary\" } }\n";
    let one = only_own("https://away.example", auth);
    assert_eq!(failed(&one, "away").await.code, FaultCode::AuthFailed);
    // Nor is loopback the description's to name, with or without a credential.
    let loopback = only_own(&other, ALL);
    for tool in ["away", "awayOpen", "awayOptional"] {
        assert_eq!(failed(&loopback, tool).await.code, FaultCode::Refused, "{tool}");
    }
    assert_eq!(away.total(), 0);
    let listed = format!("{ALL}credential_origins: [\"{own}\", \"{other}/\"]");
    let both = load(&own, &other, &listed).unwrap();
    assert_eq!(arrived(&away, &both, "away").await, ["canary-key", "/away"]);
    assert_eq!(arrived(&away, &both, "awayOpen").await, ["/away-open"]);
    assert_eq!(server.total(), 0);
    assert_eq!(away.total(), 2);
}

/// The connection shows it, so nothing is put on the request, and another origin is not connected to at all.
#[tokio::test]
async fn a_client_certificate_satisfies_its_scheme() {
    let tls = "tls: { client_certificate: client.pem, client_key: env:NONE }";
    let description =
        DESCRIPTION.replace("SERVER", "https://a.example").replace("AWAY", "https://away.example");
    let recorded = Environment::new().with_transport(Arc::new(Replay::new([]).unwrap()));
    let built = build_in(&toolset_config(&description, tls).unwrap(), &recorded).unwrap();
    assert_eq!(failed(&built, "certificate").await.code, FaultCode::NothingRecorded);
    assert_eq!(failed(&built, "inherited").await.code, FaultCode::AuthFailed);
    for tool in ["awayOpen", "awayOptional"] {
        let fault = failed(&built, tool).await;
        assert_eq!(fault.code, FaultCode::AuthFailed, "{tool}");
        assert!(fault.message.contains("`credential_origins`"), "{}", fault.message);
    }
}

#[tokio::test]
async fn a_cookie_that_carries_a_credential_is_no_argument() {
    let (server, built) = started(ALL).await;
    let tool = built.executor.find("cookie").and_then(Entry::declaration).unwrap();
    let schema = tool.input_schema.to_value();
    let properties = &schema["properties"];
    assert!(properties.get("sid").is_none() && properties.get("theme").is_some(), "{properties}");
    let arguments = json!({"theme": "dark"}).as_object().cloned().unwrap();
    let asked = ToolCall::new("1", "cookie", arguments);
    let Outcome::Planned(plan) = built.executor.dry_run(&asked, &session()).await.outcome else {
        panic!("not planned")
    };
    let cookie = plan.request().unwrap().headers.iter().find(|(name, _)| name == "cookie").unwrap();
    assert_eq!(cookie.1, "theme=dark; sid=****");
    let outcome = built.executor.call(&asked, &session()).await.outcome;
    assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
    assert_eq!(server.last()["headers"]["cookie"], "theme=dark; sid=canary-cookie");
}

#[tokio::test]
async fn a_dry_run_shows_the_location_of_every_credential() {
    let (server, built) = started(ALL).await;
    let asked = ToolCall::new("1", "both", Arguments::new());
    let Outcome::Planned(plan) = built.executor.dry_run(&asked, &session()).await.outcome else {
        panic!("not planned")
    };
    let shown = |name: &str| {
        let header = plan.request().unwrap().headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    };
    assert_eq!(shown("x-key"), Some("****"));
    assert_eq!(shown("authorization"), Some("Bearer ****"));
    assert_eq!(shown("cookie"), Some("sid=****"));
    assert_eq!(server.total(), 0);
}
