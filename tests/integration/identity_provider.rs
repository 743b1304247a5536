//! An authorization server and the service that takes its tokens, both real and on loopback. The token endpoint does what
//! the test says; the service answers 401 to every token it does not know, and counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use callgate_testkit::free_port;
use callgate_tool::json;
use tokio::{net::TcpListener, task::JoinHandle};

/// A token request as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) form: BTreeMap<String, String>,
}

type Behaviour = Box<dyn Fn(&Provider, &Asked) -> Response + Send>;

/// Both servers; they stop with the runtime of the test.
pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    behaviour: Mutex<Behaviour>,
    pub(crate) asked: Mutex<Vec<Asked>>,
    pub(crate) known: Mutex<BTreeSet<String>>,
    pub(crate) calls: AtomicUsize,
    pub(crate) refusals: AtomicUsize,
    /// The token endpoint that its metadata name, where that is not its own.
    endpoint: Mutex<Option<String>>,
    serving: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Provider {
    /// Starts on a free port, and issues tokens that live an hour.
    pub(crate) async fn start() -> Arc<Self> {
        let listener = TcpListener::bind(("127.0.0.1", free_port())).await.unwrap();
        let provider = Self::at(listener.local_addr().unwrap());
        provider.serve(listener);
        provider
    }

    /// One whose servers are the test's own.
    pub(crate) fn at(address: SocketAddr) -> Arc<Self> {
        Arc::new(Self {
            address,
            behaviour: Mutex::new(Box::new(|provider, _| provider.issue(json!(3600)))),
            asked: Mutex::default(),
            known: Mutex::default(),
            calls: AtomicUsize::default(),
            refusals: AtomicUsize::default(),
            endpoint: Mutex::default(),
            serving: Mutex::default(),
        })
    }

    fn serve(self: &Arc<Self>, listener: TcpListener) {
        let routes = Router::new()
            .route("/token", post(token))
            .route("/device", post(token))
            .route("/revoke", post(token))
            .route("/.well-known/openid-configuration", get(metadata))
            .fallback(service)
            .with_state(Arc::clone(self));
        let serving = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        *self.serving.lock().unwrap() = Some(serving);
    }

    /// Closes the port.
    pub(crate) async fn stop(&self) {
        let serving = self.serving.lock().unwrap().take().unwrap();
        serving.abort();
        serving.await.unwrap_err();
    }

    /// Listens again where it did before.
    pub(crate) async fn restart(self: &Arc<Self>) {
        self.serve(TcpListener::bind(self.address).await.unwrap());
    }

    /// What the token endpoint does from now on.
    pub(crate) fn behave(&self, behaviour: impl Fn(&Self, &Asked) -> Response + Send + 'static) {
        *self.behaviour.lock().unwrap() = Box::new(behaviour);
    }

    /// Another token endpoint, which its metadata name from now on.
    pub(crate) fn name_endpoint(&self, url: String) {
        *self.endpoint.lock().unwrap() = Some(url);
    }

    /// A new token that the service takes.
    pub(crate) fn issue(&self, expires_in: callgate_tool::Value) -> Response {
        let token = format!("canary-token-{}", self.n_asked());
        self.known.lock().unwrap().insert(token.clone());
        let mut answer = json!({"access_token": token, "token_type": "Bearer"});
        if !expires_in.is_null() {
            answer["expires_in"] = expires_in;
        }
        Json(answer).into_response()
    }

    /// The service takes no token that was issued so far.
    pub(crate) fn revoke(&self) {
        self.known.lock().unwrap().clear();
    }

    pub(crate) fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    pub(crate) fn last(&self) -> Asked {
        self.asked.lock().unwrap().last().cloned().unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

async fn token(State(provider): State<Arc<Provider>>, request: Request) -> Response {
    let authorization = request.headers().get("authorization");
    let authorization = authorization.map(|value| value.to_str().unwrap().to_owned());
    let path = request.uri().path().to_owned();
    let body = to_bytes(request.into_body(), 1 << 20).await.unwrap();
    let form = url::form_urlencoded::parse(&body).into_owned().collect();
    let asked = Asked { path, authorization, form };
    provider.asked.lock().unwrap().push(asked.clone());
    let behaviour = provider.behaviour.lock().unwrap();
    behaviour(&provider, &asked)
}

async fn metadata(State(provider): State<Arc<Provider>>) -> Json<callgate_tool::Value> {
    let endpoint = provider.endpoint.lock().unwrap().clone();
    let endpoint = endpoint.unwrap_or_else(|| provider.url("/token"));
    Json(json!({"issuer": provider.url(""), "token_endpoint": endpoint}))
}

async fn service(State(provider): State<Arc<Provider>>, request: Request) -> Response {
    provider.calls.fetch_add(1, Ordering::Relaxed);
    let sent = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let token = sent.and_then(|sent| sent.strip_prefix("Bearer ")).unwrap_or_default();
    if !provider.known.lock().unwrap().contains(token) {
        provider.refusals.fetch_add(1, Ordering::Relaxed);
        let response = Response::builder().status(401);
        let challenge = "Bearer realm=\"pets\", error=\"invalid_token\"";
        return response.header("www-authenticate", challenge).body(Body::empty()).unwrap();
    }
    Json(json!({"id": 7, "name": "Rex", "echo": sent})).into_response()
}
