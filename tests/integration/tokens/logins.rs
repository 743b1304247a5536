//! Tokens of people who logged in: taken from where the program keeps logins, renewed there once, and told by the command that mends
//! it where there is none. Threat 62 of `SECURITY.md`.

use crate::prelude::*;
use std::sync::{atomic::AtomicBool, mpsc};

use async_trait::async_trait;
use callgate::{
    auth::{ErrorKind, GrantLock},
    config::Error,
};
use callgate_auth::LoggedIn;
use callgate_config::authorization_code_logins;
use callgate_transport::Listeners;
use tokio::task::yield_now;

use super::{call, fault, is_answered};

/// Logins in memory, shared by what stands for several processes.
#[derive(Debug, Default)]
struct MemoryGrants {
    texts: Mutex<BTreeMap<String, Secret>>,
    replacing: Arc<tokio::sync::Mutex<()>>,
    is_full: AtomicBool,
}

#[async_trait]
impl GrantStore for MemoryGrants {
    async fn get(&self, name: &str) -> Result<Option<Secret>, secret::Error> {
        Ok(self.texts.lock().unwrap().get(name).cloned())
    }

    async fn put(&self, name: &str, grant: &Secret) -> Result<(), secret::Error> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(secret::Error::new(secret::ErrorKind::Unreadable, "no room"));
        }
        self.texts.lock().unwrap().insert(name.to_owned(), grant.clone());
        Ok(())
    }

    async fn remove(&self, name: &str) -> Result<bool, secret::Error> {
        Ok(self.texts.lock().unwrap().remove(name).is_some())
    }

    async fn lock(&self, _: &str) -> Result<GrantLock, secret::Error> {
        Ok(GrantLock::new(Arc::clone(&self.replacing).lock_owned().await))
    }

    fn place(&self, _: &str) -> String {
        "memory".to_owned()
    }

    fn login_command(&self) -> Option<&str> {
        Some("callgate login pets")
    }
}

impl MemoryGrants {
    /// The members of the only login.
    fn only(&self) -> Value {
        let texts = self.texts.lock().unwrap();
        assert_eq!(texts.len(), 1);
        callgate_dialect::read_json(texts.values().next().unwrap().expose()).unwrap()
    }
}

fn settings(provider: &Provider) -> Value {
    json!({"oauth2_authorization_code": {
        "token_url": (provider.url("/token")),
        "authorization_url": (provider.url("/authorize")),
        "client_id": "me",
        "scopes": ["read"],
    }})
}

fn environment(kept: &Arc<MemoryGrants>) -> Environment {
    Environment::new().with_grants(Arc::<MemoryGrants>::clone(kept))
}

fn configuration(provider: &Provider, auth: &Value) -> Config {
    let description = crate::root().join("fixtures/pets/spec.yaml");
    let text = json!({"toolsets": {"pets": {
        "openapi": (description.to_str().unwrap()),
        "prefix": "",
        "server": (provider.url("/v1")),
        "auth": (auth.clone()),
    }}});
    Config::from_text(text.to_string(), "").unwrap()
}

/// What stands for a process.
fn process(provider: &Provider, kept: &Arc<MemoryGrants>) -> Built {
    build_in(&configuration(provider, &settings(provider)), &environment(kept)).unwrap()
}

/// Issues tokens with a new refresh token each, the `n`th of them `canary-refresh-n`.
fn rotating(provider: &Provider) -> Response {
    let n_asked = provider.n_asked();
    let token = format!("canary-token-{n_asked}");
    provider.known.lock().unwrap().insert(token.clone());
    let refresh = format!("canary-refresh-{n_asked}");
    Json(json!({"access_token": token, "expires_in": 3600, "refresh_token": refresh}))
        .into_response()
}

/// Logs in as a browser would come back from the page.
async fn log_in(login: &Login) -> LoggedIn {
    let begun = login.begin_in_browser("http://127.0.0.1:1/callback").await.unwrap();
    let query: BTreeMap<_, _> = begun.url().query_pairs().into_owned().collect();
    let answer = format!("code=canary-code&state={}", query["state"]);
    login.finish_in_browser(begun, &answer).await.unwrap()
}

async fn logged_in() -> (Arc<Provider>, Arc<MemoryGrants>, Built) {
    let provider = Provider::start().await;
    provider.behave(|provider, _| rotating(provider));
    let kept = Arc::new(MemoryGrants::default());
    let built = process(&provider, &kept);
    let [login] = &*authorization_code_logins(&built) else { panic!("one login") };
    assert_eq!((&*login.toolset, &*login.credential), ("pets", "oauth2_authorization_code"));
    let found = log_in(&login.login).await;
    assert!(found.is_renewed && found.scopes == ["read"], "{found:?}");
    (provider, kept, built)
}

async fn called(built: &Built) -> ToolResult {
    call(&built.executor, &Session::default()).await
}

#[tokio::test]
async fn a_login_serves_the_calls_of_every_process() {
    let (provider, kept, built) = logged_in().await;
    let form = provider.last().form;
    assert_eq!(form["grant_type"], "authorization_code");
    assert_eq!((&*form["code"], &*form["client_id"]), ("canary-code", "me"));
    assert_eq!(form["redirect_uri"], "http://127.0.0.1:1/callback");
    assert_eq!(form["code_verifier"].len(), 43);
    is_answered(&called(&built).await);
    is_answered(&called(&process(&provider, &kept)).await);
    assert_eq!(provider.n_asked(), 1);
}

#[tokio::test]
async fn a_call_without_a_login_is_refused_with_the_command() {
    let provider = Provider::start().await;
    let kept = Arc::new(MemoryGrants::default());
    let built = process(&provider, &kept);
    let fault = fault(called(&built).await);
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert!(fault.message.contains("run `callgate login pets`"), "{}", fault.message);
    let examined = built.examine().await;
    let faults: Vec<_> = examined.iter().filter_map(|one| one.fault.as_deref()).collect();
    assert!(faults.iter().any(|why| why.contains("callgate login pets")), "{faults:?}");
    let serving = environment(&kept).with_listeners(Listeners::default());
    let served = build_in(&configuration(&provider, &settings(&provider)), &serving).unwrap();
    let [missing] = &*served.missing_logins else { panic!("one is missing") };
    assert!(missing.contains("callgate login pets"), "{missing}");
    assert_eq!((provider.n_asked(), provider.calls.load(Ordering::Relaxed)), (0, 0));
}

#[tokio::test]
async fn processes_that_share_a_refused_login_renew_it_once() {
    let (provider, kept, _) = logged_in().await;
    for round in 1..4 {
        let processes: Vec<_> = (0..8).map(|_| process(&provider, &kept)).collect();
        for result in join_all(processes.iter().map(called)).await {
            is_answered(&result);
        }
        assert_eq!(provider.n_asked(), round);
        provider.revoke();
        for result in join_all(processes.iter().map(called)).await {
            is_answered(&result);
        }
        assert_eq!(provider.n_asked(), round + 1);
        let form = provider.last().form;
        assert_eq!(form["grant_type"], "refresh_token");
        assert_eq!(form["refresh_token"], format!("canary-refresh-{round}"), "the newest");
    }
}

#[tokio::test]
async fn a_token_is_not_used_before_its_grant_is_stored() {
    let (provider, kept, built) = logged_in().await;
    is_answered(&called(&built).await);
    provider.revoke();
    kept.is_full.store(true, Ordering::Relaxed);
    let other = process(&provider, &kept);
    let n_calls = provider.calls.load(Ordering::Relaxed);
    let fault = fault(called(&other).await);
    assert!(fault.message.contains("cannot be read; the journal"), "{}", fault.message);
    assert_eq!(provider.calls.load(Ordering::Relaxed), n_calls + 1, "with the old one alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_is_stored_after_its_call_was_dropped() {
    let (provider, kept, built) = logged_in().await;
    is_answered(&called(&built).await);
    provider.revoke();
    let (go_on, going_on) = mpsc::channel();
    provider.behave(move |provider, _| {
        going_on.recv().unwrap();
        rotating(provider)
    });
    let built = Arc::new(built);
    let leaving = Arc::clone(&built);
    let leaving = tokio::spawn(async move { called(&leaving).await });
    while provider.n_asked() < 2 {
        yield_now().await;
    }
    leaving.abort();
    assert!(leaving.await.unwrap_err().is_cancelled());
    go_on.send(()).unwrap();
    while kept.only()["refresh_token"] != json!("canary-refresh-2") {
        yield_now().await;
    }
    is_answered(&called(&built).await);
    assert_eq!(provider.n_asked(), 2);
}

#[tokio::test]
async fn a_rejected_login_is_reported_with_the_command_to_renew_it() {
    let (provider, kept, _) = logged_in().await;
    provider.revoke();
    provider.behave(|_, _| {
        (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response()
    });
    let fault = fault(called(&process(&provider, &kept)).await);
    assert_eq!(fault.code, FaultCode::AuthFailed);
    assert!(fault.message.contains("invalid_grant"), "{}", fault.message);
    assert!(fault.message.contains("run `callgate login pets`"), "{}", fault.message);
    let other = json!({"version": 2}).to_string();
    kept.texts.lock().unwrap().values_mut().for_each(|text| *text = Secret::new(other.clone()));
    let fault = super::fault(called(&process(&provider, &kept)).await);
    assert!(fault.message.contains("cannot be understood"), "{}", fault.message);
}

#[tokio::test]
async fn a_logout_removes_the_login_even_if_the_server_fails() {
    let (_provider, kept, built) = logged_in().await;
    let login = &authorization_code_logins(&built)[0].login;
    let ended = login.logout().await.unwrap();
    assert!(ended.was_there);
    assert!(ended.unrevoked.unwrap().contains("names no place"));
    assert!(kept.texts.lock().unwrap().is_empty());
    assert!(!login.logout().await.unwrap().was_there);
    assert_eq!(login.check_logged_in().await.unwrap_err().kind(), ErrorKind::MissingCredential);
}

#[tokio::test]
async fn logins_on_another_device_and_logouts_go_to_the_addresses_that_are_named() {
    let provider = Provider::start().await;
    provider.behave(|provider, asked| match &*asked.path {
        "/device" => Json(json!({
            "device_code": "canary-device", "user_code": "WDJB-MJHT", "verification_uri": "https://idp.example/device",
        }))
        .into_response(),
        "/revoke" => StatusCode::OK.into_response(),
        _ => rotating(provider),
    });
    let mut settings = settings(&provider);
    let keys = &mut settings["oauth2_authorization_code"];
    keys["device_authorization_url"] = json!(provider.url("/device"));
    keys["revocation_url"] = json!(provider.url("/revoke"));
    let kept = Arc::new(MemoryGrants::default());
    let built = build_in(&configuration(&provider, &settings), &environment(&kept)).unwrap();
    let login = &authorization_code_logins(&built)[0].login;
    let begun = login.begin_on_device().await.unwrap();
    assert_eq!((begun.user_code(), &*provider.last().path), ("WDJB-MJHT", "/device"));
    log_in(login).await;
    let ended = login.logout().await.unwrap();
    assert!(ended.was_there && ended.unrevoked.is_none(), "{ended:?}");
    let asked = provider.asked.lock().unwrap().clone();
    let revoked = asked.iter().filter(|asked| asked.path == "/revoke");
    let revoked: Vec<_> = revoked.map(|asked| &*asked.form["token"]).collect();
    assert_eq!(revoked, ["canary-refresh-2", "canary-token-2"]);
}

#[tokio::test]
async fn a_program_without_a_store_for_logins_gets_a_fault() {
    let provider = Provider::start().await;
    let config = configuration(&provider, &settings(&provider));
    let built = build_in(&config, &Environment::new()).unwrap();
    let refused = authorization_code_logins(&built)[0]
        .login
        .begin_in_browser("http://127.0.0.1:1/")
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("Environment::with_grants"), "{refused}");
}

/// A description whose scheme says where a person logs in.
fn described(provider: &Provider, page: &str, settings: &str) -> Built {
    let token = provider.url("/token");
    let description = json!({
        "openapi": "3.2.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {"/pets": {"get": {
            "operationId": "listPets", "responses": {"200": {"description": "ok"}},
        }}},
        "components": {"securitySchemes": {"idp": {"type": "oauth2", "flows": {
            "clientCredentials": {"tokenUrl": "https://other.example/token", "scopes": {}},
            "authorizationCode": {"tokenUrl": token, "authorizationUrl": page, "scopes": {}},
        }}}},
        "security": [{"idp": []}],
    });
    let settings = format!(
        "server: '{}'\ncredentials: {{idp: {{oauth2_authorization_code: {{client_id: me{settings}}}}}}}\n",
        provider.url("")
    );
    let config = crate::built::toolset_config(&description.to_string(), &settings).unwrap();
    build_in(&config, &environment(&Arc::new(MemoryGrants::default()))).unwrap()
}

#[tokio::test]
async fn the_login_page_is_read_from_the_description() {
    let provider = Provider::start().await;
    provider.behave(|provider, _| rotating(provider));
    let own = described(&provider, &provider.url("/page"), "");
    let [login] = &*authorization_code_logins(&own) else { panic!("one login") };
    assert_eq!(login.credential, "idp");
    let begun = login.login.begin_in_browser("http://127.0.0.1:1/callback").await.unwrap();
    assert!(begun.url().as_str().starts_with(&provider.url("/page?")), "{}", begun.url());
    assert!(log_in(&login.login).await.is_renewed, "at the token endpoint of its flow");
    let other = described(&provider, "https://evil.example/page", "");
    assert!(
        authorization_code_logins(&other).is_empty(),
        "a page at an origin that credentials may not go to"
    );
    let page = ", authorization_url: 'https://idp.example/page'";
    let named = described(&provider, "https://evil.example/page", page);
    let begun = authorization_code_logins(&named)[0]
        .login
        .begin_in_browser("http://127.0.0.1:1/callback")
        .await
        .unwrap();
    assert_eq!(begun.url().host_str(), Some("idp.example"), "the operator's wins");
}

#[test]
fn a_fault_of_a_login_is_found_when_its_settings_are_read() {
    let faults = |members: &str| {
        let auth = format!("{{oauth2_authorization_code: {{{members}}}}}");
        let text = format!("toolsets:\n  a: {{openapi: a.yaml, auth: {auth}}}\n");
        let error: Error = Config::from_text(&text, "")
            .and_then(|config| build_in(&config, &Environment::new()))
            .unwrap_err();
        error.to_string()
    };
    let token = "token_url: 'https://a.example/t'";
    for (members, expected) in [
        (token.to_owned(), "client_id"),
        (format!("{token}, client_id: a, authorization_url: page"), "begins with `https://`"),
        (format!("{token}, client_id: a, redirect_url: 'https://a.example/'"), "on this machine"),
        (format!("{token}, client_id: a, redirect_url: 'http://a.example/'"), "on this machine"),
        (format!("{token}, client_id: a, parameters: {{state: a}}"), "got: `state`"),
        (format!("{token}, client_id: a, issuer: 'https://a.example'"), "got both"),
    ] {
        let found = faults(&members);
        assert!(found.contains(expected), "{members}: {found}");
    }
}
