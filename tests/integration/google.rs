//! Tokens of Google accounts on calls, by a configuration: what the metadata server gives reaches the service, is kept,
//! and is replaced when the service refuses it. `crates/google` has the other accounts.

use crate::prelude::*;

/// Service and metadata server in one.
#[derive(Debug, Default)]
struct Seen {
    /// What the service was sent in `Authorization`.
    tokens: Vec<String>,
    /// What the metadata server was asked.
    asked: Vec<String>,
    /// The host the service was called by.
    hosts: Vec<String>,
    /// How many of the next calls the service refuses.
    refusals: usize,
}

type Shared = Arc<Mutex<Seen>>;

async fn answer(State(seen): State<Shared>, request: Request) -> Response {
    let target = request.uri().to_string();
    let host = request.headers()["host"].to_str().unwrap().to_owned();
    let mut seen = seen.lock().unwrap();
    if target.ends_with("/services/api:resolve") {
        let address: std::net::SocketAddr = host.parse().unwrap();
        let endpoint = json!({"address": address.ip().to_string(), "port": address.port()});
        return Json(json!({"service": {"endpoints": [endpoint]}})).into_response();
    }
    if target.contains("/service-accounts/default/") {
        seen.asked.push(target.clone());
        let serial = seen.asked.len();
        if target.contains("/identity") {
            let part = |json: Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
            let claims = part(json!({"serial": serial, "exp": 32_503_680_000_u64}));
            return format!("{}.{claims}.canary", part(json!({"alg": "none"}))).into_response();
        }
        let token = json!({"access_token": format!("canary-{serial}"), "expires_in": 3600, "token_type": "Bearer"});
        return Json(token).into_response();
    }
    seen.hosts.push(host);
    if target.ends_with("/secrets/token/versions/latest:access") {
        let data = BASE64_STANDARD.encode("canary-secret");
        return Json(json!({"payload": {"data": data}})).into_response();
    }
    let token = request.headers().get("authorization").map(|token| token.to_str().unwrap());
    seen.tokens.push(token.unwrap_or_default().to_owned());
    if seen.refusals > 0 {
        seen.refusals -= 1;
        let challenge = [("www-authenticate", "Bearer error=\"invalid_token\"")];
        return (StatusCode::UNAUTHORIZED, challenge).into_response();
    }
    Json(json!({"id": 7, "name": "Rex", "species": "dog"})).into_response()
}

async fn start(auth: impl Fn(&str) -> Value) -> (Executor, Shared, String) {
    let toolset = |origin: &str| json!({"server": format!("{origin}/v1"), "auth": auth(origin)});
    start_with(toolset).await
}

async fn start_with(toolset: impl Fn(&str) -> Value) -> (Executor, Shared, String) {
    start_among(|origin| json!({"toolsets": {"pets": toolset(origin)}})).await
}

async fn start_among(configuration: impl Fn(&str) -> Value) -> (Executor, Shared, String) {
    start_in(configuration, &Environment::new()).await
}

async fn start_in(
    configuration: impl Fn(&str) -> Value,
    environment: &Environment,
) -> (Executor, Shared, String) {
    let seen = Shared::default();
    let origin = serve(Router::new().fallback(answer).with_state(Arc::clone(&seen))).await;
    let description = crate::root().join("fixtures/pets/spec.yaml");
    let mut configuration = configuration(&origin);
    let toolset = &mut configuration["toolsets"]["pets"];
    toolset["openapi"] = json!(description.to_str().unwrap());
    toolset["prefix"] = json!("");
    let config = Config::from_text(configuration.to_string(), "");
    let built = config.and_then(|config| build_in(&config, environment));
    let built = built.unwrap();
    (built.executor, seen, origin)
}

async fn call(executor: &Executor) {
    let arguments = json!({"petId": 7}).as_object().cloned().unwrap();
    let call = ToolCall::new("1", "getPet", arguments);
    let result = executor.call(&call, &Session::default()).await;
    assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    assert!(!format!("{result:?}").contains("canary"), "{result:?}");
}

#[tokio::test]
async fn an_identity_token_is_for_the_server_and_cached_until_it_is_refused() {
    let auth = |origin: &str| json!({"google_id_token": {"account": "machine", "endpoints": {"metadata": origin}}});
    let (executor, seen, origin) = start(auth).await;
    call(&executor).await;
    call(&executor).await;
    {
        let seen = seen.lock().unwrap();
        let [asked] = &*seen.asked else { panic!("{seen:?}") };
        let audience = asked.split(['?', '&']).find_map(|pair| pair.strip_prefix("audience="));
        let decoded = audience.unwrap().replace("%3A", ":").replace("%2F", "/");
        assert_eq!(decoded, origin);
        assert_eq!(seen.tokens[0], seen.tokens[1]);
        assert!(seen.tokens[0].starts_with("Bearer ey"), "{seen:?}");
    }
    seen.lock().unwrap().refusals = 1;
    call(&executor).await;
    let seen = seen.lock().unwrap();
    assert_eq!((seen.asked.len(), seen.tokens.len()), (2, 4));
    assert_ne!(seen.tokens[3], seen.tokens[2]);
}

/// The tokens here hold until the year 3000.
#[tokio::test]
async fn an_identity_token_expires_by_the_clock_of_the_program() {
    for (seconds, n_asked) in [(32_503_600_000, 1), (32_503_680_001, 2)] {
        let auth = |origin: &str| json!({"google_id_token": {"account": "machine", "endpoints": {"metadata": origin}}});
        let toolset =
            |origin: &str| json!({"server": format!("{origin}/v1"), "auth": auth(origin)});
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let environment = Environment::new().with_clock(move || now);
        let configuration = |origin: &str| json!({"toolsets": {"pets": toolset(origin)}});
        let (executor, seen, _) = start_in(configuration, &environment).await;
        call(&executor).await;
        call(&executor).await;
        assert_eq!(seen.lock().unwrap().asked.len(), n_asked, "{seconds}");
    }
}

#[tokio::test]
async fn an_access_token_is_requested_once_and_again_after_a_refusal() {
    let auth = |origin: &str| {
        json!({"google_access_token": {
            "account": "machine",
            "scopes": ["https://www.googleapis.com/auth/pubsub"],
            "endpoints": {"metadata": origin},
        }})
    };
    let (executor, seen, _) = start(auth).await;
    call(&executor).await;
    call(&executor).await;
    seen.lock().unwrap().refusals = 1;
    call(&executor).await;
    let seen = seen.lock().unwrap();
    let tokens: Vec<_> = seen.tokens.iter().map(String::as_str).collect();
    let [first, second] = ["Bearer canary-1", "Bearer canary-2"];
    assert_eq!(tokens, [first, first, first, second]);
    assert!(seen.asked[0].contains("scopes=https"), "{seen:?}");
}

#[tokio::test]
async fn the_endpoints_of_a_service_directory_are_dialled_under_the_servers_name() {
    let toolset = |origin: &str| {
        let endpoints = json!({"metadata": origin, "service_directory": origin});
        let service = "projects/p/locations/l/namespaces/n/services/api";
        json!({
            "server": "http://pets.internal.example/v1",
            "auth": "none",
            "service_directory": {"service": service, "account": "machine", "endpoints": endpoints},
        })
    };
    let (executor, seen, _) = start_with(toolset).await;
    call(&executor).await;
    assert_eq!(seen.lock().unwrap().hosts, ["pets.internal.example"]);
}

#[tokio::test]
async fn services_of_every_kind_are_dialled_at_the_endpoints_of_their_directory() {
    for service in services() {
        let seen = Shared::default();
        let origin = serve(Router::new().fallback(answer).with_state(Arc::clone(&seen))).await;
        let endpoints = json!({"metadata": origin, "service_directory": origin});
        let name = "projects/p/locations/l/namespaces/n/services/api";
        let directory = json!({"service": name, "account": "machine", "endpoints": endpoints});
        let server = "http://service.internal.example";
        let further = json!({"server": server, "service_directory": directory});
        result_of_service(Path::new(""), &service, &further).await;
        let seen = seen.lock().unwrap();
        assert!(seen.hosts.iter().any(|host| host == "service.internal.example"), "{seen:?}");
    }
}

#[tokio::test]
async fn a_secret_of_secret_manager_is_read_with_the_accounts_token() {
    let configuration = |origin: &str| {
        let endpoints = json!({"metadata": origin, "secret_manager": origin});
        json!({
            "secrets": {"gcp": {"account": "machine", "endpoints": endpoints}},
            "toolsets": {"pets": {
                "server": format!("{origin}/v1"),
                "auth": {"bearer": {"token": "projects/p/secrets/token/versions/latest"}},
            }},
        })
    };
    let (executor, seen, _) = start_among(configuration).await;
    call(&executor).await;
    assert_eq!(seen.lock().unwrap().tokens, ["Bearer canary-secret"]);
}

#[tokio::test]
async fn a_fault_of_an_account_is_reported_at_its_position() {
    #[track_caller]
    fn check(auth: &Value, pointer: &str) {
        let description = crate::root().join("fixtures/pets/spec.yaml");
        let configuration = json!({"toolsets": {"pets": {
            "openapi": description.to_str().unwrap(), "auth": auth,
        }}});
        let error = configured(&configuration.to_string()).map(|_| ()).unwrap_err();
        let found: Vec<_> = error.findings().iter().map(|found| found.pointer.as_str()).collect();
        assert_eq!(found, [format!("/toolsets/pets/auth{pointer}")], "{error}");
    }
    check(&json!({"google_id_token": {"account": "canary"}}), "/google_id_token/account");
    check(&json!({"google_id_token": {"key": "canary"}}), "/google_id_token/key");
    check(&json!({"google_id_token": {"audience": ""}}), "/google_id_token/audience");
    check(&json!({"google_id_token": {"impersonate": " "}}), "/google_id_token/impersonate");
    check(&json!({"google_access_token": {"scopes": []}}), "/google_access_token/scopes");
    check(&json!({"google_access_token": {"scopes": [""]}}), "/google_access_token/scopes");
    check(&json!({"google_id_token": {"scopes": []}}), "/google_id_token/scopes");
    check(
        &json!({"google_access_token": {"delegates": ["a@b"]}}),
        "/google_access_token/delegates",
    );
    check(
        &json!({"google_access_token": {"endpoints": {"metadata": "canary"}}}),
        "/google_access_token/endpoints/metadata",
    );
}
