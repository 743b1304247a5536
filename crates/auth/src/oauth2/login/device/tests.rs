//! Tests a login on another device, with a server that sends the responses of the test and a clock that jumps.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::MemoryStore;
use callgate_transport::{Error as TransportError, Limits, Transport};
use http::{Request, Response};

use super::*;
use crate::{
    context::AuthContext,
    oauth2::settings::{LoginEndpoints, OAuth2Config, OAuth2Grant, TokenEndpoint},
};

/// Sends its responses in turn, and records the times of the requests.
#[derive(Debug, Default)]
struct Script {
    answers: Mutex<VecDeque<(u16, &'static str)>>,
    asked: Mutex<Vec<(u64, String)>>,
    started: Mutex<Option<Instant>>,
}

#[async_trait]
impl Transport for Script {
    async fn send(
        &self,
        request: Request<Bytes>,
        _: &Limits,
    ) -> Result<Response<Bytes>, TransportError> {
        let started = *self.started.lock().unwrap().get_or_insert_with(Instant::now);
        let form = String::from_utf8(request.body().to_vec()).unwrap();
        self.asked.lock().unwrap().push((started.elapsed().as_secs(), form));
        let (status, body) = self.answers.lock().unwrap().pop_front().unwrap();
        Ok(Response::builder().status(status).body(Bytes::from(body)).unwrap())
    }
}

fn server(script: &Arc<Script>) -> Server {
    let config = OAuth2Config {
        name: "pets".to_owned(),
        endpoint: TokenEndpoint::Url("https://idp.example.com/token".to_owned()),
        client: None,
        grant: OAuth2Grant::AuthorizationCode(LoginEndpoints::default()),
        scopes: vec!["read".to_owned()],
        audiences: Vec::new(),
        resources: Vec::new(),
        header: None,
        parameters: Vec::new(),
    };
    let transport = Arc::<Script>::clone(script);
    Server::new(config, AuthContext::new(Arc::new(MemoryStore::new()), transport)).unwrap()
}

/// The times of the requests in seconds, and the grant or the message of the failure.
async fn login(answers: &[(u16, &'static str)]) -> (Vec<u64>, Result<StoredGrant, String>) {
    let script = Arc::new(Script::default());
    script.answers.lock().unwrap().extend(answers);
    let server = server(&script);
    let client = server.fetch_client(&MemoryStore::new()).await.unwrap();
    let begun = begin_device_login(&server, &client, "https://idp.example.com/device").await;
    let held = match begun {
        Ok(begun) => poll_for_grant(&server, &client, begun).await,
        Err(error) => Err(error),
    };
    let asked = script.asked.lock().unwrap();
    assert!(asked[0].1.starts_with("scope=read"), "{asked:?}");
    let codes = asked.iter().skip(1).all(|(_, form)| form.contains("device_code=canary-device"));
    assert!(codes, "{asked:?}");
    (asked.iter().map(|(at, _)| *at).collect(), held.map_err(|error| error.to_string()))
}

const BEGUN: (u16, &str) = (
    200,
    r#"{"device_code":"canary-device","user_code":"WDJB-MJHT","verification_uri":"https://idp.example.com/device","expires_in":60,"interval":5}"#,
);
const PENDING: (u16, &str) = (400, r#"{"error":"authorization_pending"}"#);
const SLOW_DOWN: (u16, &str) = (400, r#"{"error":"slow_down"}"#);
const ISSUED: (u16, &str) =
    (200, r#"{"access_token":"canary-access","refresh_token":"canary-refresh","expires_in":60}"#);

#[tokio::test(start_paused = true)]
async fn the_server_is_polled_at_its_interval() {
    let (asked, held) = login(&[BEGUN, PENDING, SLOW_DOWN, PENDING, (503, ""), ISSUED]).await;
    assert_eq!(asked, [0, 5, 10, 20, 30, 50]);
    assert_eq!(held.unwrap().access_token.expose(), "canary-access");
}

#[tokio::test(start_paused = true)]
async fn a_device_login_ends_when_it_expires_or_is_refused() {
    let mut answers = vec![BEGUN];
    answers.extend([PENDING; 20]);
    let (asked, held) = login(&answers).await;
    assert_eq!((asked.len(), asked.last()), (12, Some(&55)));
    assert!(held.unwrap_err().contains("expired_token"));
    for code in ["access_denied", "expired_token", "invalid_grant"] {
        let body = Box::leak(format!("{{\"error\":\"{code}\"}}").into_boxed_str());
        let (asked, held) = login(&[BEGUN, (400, body)]).await;
        assert_eq!(asked.len(), 2);
        assert!(held.unwrap_err().contains(code));
    }
}

#[tokio::test(start_paused = true)]
async fn an_interval_longer_than_the_login_ends_it_without_a_poll() {
    for interval in ["18446744073709551615", "1e300", "\"1e19\""] {
        let begun = BEGUN.1.replace("\"interval\":5", &format!("\"interval\":{interval}"));
        let (asked, held) = login(&[(200, Box::leak(begun.into_boxed_str()))]).await;
        assert_eq!(asked, [0], "{interval}");
        assert!(held.unwrap_err().contains("expired_token"), "{interval}");
    }
}

#[test]
fn a_user_code_is_plain_text_and_the_page_is_http() {
    let body = |code: &str, page: &str| {
        format!(
            "{{\"device_code\":\"canary\",\"user_code\":\"{code}\",\"verification_uri\":\"{page}\"}}"
        )
    };
    let page = "https://idp.example.com/device";
    let login = device_login_from_body(body("A B-1", page).as_bytes()).unwrap();
    assert_eq!((login.user_code(), login.page().as_str()), ("A B-1", page));
    assert_eq!(login.interval, Duration::from_secs(5));
    assert!(!format!("{login:?}").contains("canary"), "{login:?}");
    let old = body("A", page).replace("verification_uri", "verification_url");
    assert!(device_login_from_body(old.as_bytes()).is_some(), "Google's spelling");
    let long = "A".repeat(65);
    for (code, page) in
        [("", page), ("\\u001b[2J", page), (&long, page), ("A", "file:///x"), ("A", "")]
    {
        assert!(device_login_from_body(body(code, page).as_bytes()).is_none(), "{code} {page}");
    }
}
