//! Starts sidecars and services for the tests of this folder, and talks to them byte by byte.

use super::*;

use callgate_config::{Config, Description, Environment};
use callgate_policy::Metrics;
use callgate_transport::Listeners;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::super::{ServeOptions, console_address, notices::Notices, open_listeners};
use crate::{
    admission::Admission, gateway::Gateway, listen, peer::ListenerKind, recent_calls::RecentCalls,
    router::router_with,
};

/// A sidecar that runs until it is dropped or drained.
pub(super) struct Sidecar {
    pub(super) gateway: Gateway,
    pub(super) calls: Vec<String>,
    pub(super) admin: Vec<String>,
    pub(super) running: JoinHandle<()>,
    listeners: Listeners,
    _notices: Notices,
    config: Config,
}

impl Sidecar {
    /// Starts a sidecar for a configuration; `listen` is a port of this machine unless the text sets it.
    pub(super) async fn start(text: &str) -> Self {
        Self::try_start(text, Path::new("")).await.unwrap()
    }

    /// Starts a sidecar for tools of another description.
    pub(super) async fn describing(text: &str, description: &'static str) -> Self {
        Self::started(text, Path::new(""), description).await.unwrap()
    }

    pub(super) async fn try_start(text: &str, base: &Path) -> Result<Self, Failure> {
        Self::started(text, base, DESCRIPTION).await
    }

    pub(super) async fn started(
        text: &str,
        base: &Path,
        description: &'static str,
    ) -> Result<Self, Failure> {
        let config = read_configuration(text, base, description)?;
        let listeners = Listeners::default();
        let recent_calls = RecentCalls::default();
        let environment = Environment::new()
            .with_listeners(listeners.clone())
            .with_middleware(Arc::new(recent_calls.clone()))
            .with_middleware(Arc::new(Metrics::new().with_call_log()));
        let built = config.build(&environment, None).await.map_err(Failure::Configuration)?;
        let opened = open_listeners(&built, &ServeOptions::default()).await?;
        opened
            .iter()
            .filter_map(listen::Listener::local_address)
            .for_each(|bound| listeners.add(bound));
        let of = |kind: ListenerKind| {
            let of_kind = opened.iter().filter(|listener| listener.kind() == kind);
            of_kind.map(listen::Listener::display_address).collect()
        };
        let (calls, admin) = (of(ListenerKind::Calls), of(ListenerKind::Admin));
        let limits = built.serving.limits;
        let routes = further::routes();
        let console = console_address(&built, &routes, &opened);
        let gateway = Gateway::with_recent_calls(built, recent_calls);
        gateway.set_pages_served(console.is_some());
        let notices = Notices::start(&gateway);
        #[cfg(feature = "agents")]
        let routes = routes.merge_routes(crate::turns());
        let router = router_with(gateway.clone(), routes);
        let admission = Admission::new(router, gateway.clone(), limits);
        let running = tokio::spawn(listen::serve_listeners(opened, Arc::new(admission)));
        Ok(Self { gateway, calls, admin, running, listeners, _notices: notices, config })
    }

    /// Builds the configuration again, as a reload does.
    pub(super) async fn reload(&self) {
        self.reload_as(&self.config).await;
    }

    /// Builds another configuration, as a reload does once its file has changed.
    pub(super) async fn reload_text(&self, text: &str) {
        let config = read_configuration(text, Path::new(""), DESCRIPTION);
        self.reload_as(&config.unwrap_or_else(|_| panic!("{text}"))).await;
    }

    async fn reload_as(&self, config: &Config) {
        let environment = Environment::new().with_listeners(self.listeners.clone());
        let built = config.build(&environment, Some(&self.gateway.current_build())).await.unwrap();
        self.gateway.replace(Arc::new(built));
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.calls[0].split_once("://").unwrap().1.parse().unwrap()
    }

    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address()).await.unwrap()
    }

    /// Sends bytes and reads to the end of the connection.
    pub(super) async fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.unwrap();
        read_to_end(&mut stream).await
    }

    /// The response to a request with these headers.
    pub(super) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        get(&self.calls[0], path, headers).await
    }

    /// The response to a call.
    pub(super) async fn call(&self) -> String {
        let client = Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("{}/v1/calls", self.calls[0])).body(CALL);
        let request = request.header("content-type", "application/json");
        request.send().await.unwrap().text().await.unwrap()
    }

    /// The status of the response to a request with these headers.
    pub(super) async fn status(&self, path: &str, headers: &[(&str, &str)]) -> u16 {
        self.get(path, headers).await.status().as_u16()
    }
}

fn read_configuration(
    text: &str,
    base: &Path,
    description: &'static str,
) -> Result<Config, Failure> {
    let has_address = text.lines().any(|line| line.starts_with("listen:"));
    let usual = if has_address { "" } else { "listen: 127.0.0.1:0\n" };
    let config = Config::from_text(format!("{usual}{text}"), base);
    let mut config = config.map_err(Failure::Configuration)?;
    for toolset in config.toolsets.iter_mut().filter(|known| known.functions.is_empty()) {
        toolset.description = Description::text(callgate_testkit::describe(description));
    }
    Ok(config)
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.running.abort();
    }
}

pub(super) async fn get(address: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = Client::builder().no_proxy().build().unwrap().get(format!("{address}{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

/// All bytes until the other side closes; bytes that a reset cuts off are missing.
pub(super) async fn read_to_end(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = stream.read(&mut piece).await {
        all.extend_from_slice(&piece[..read]);
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// Serves a router on this machine, until the runtime ends.
pub(super) async fn service(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// A configuration whose tool `pets-list` asks a service at `address`.
pub(super) fn pets(address: SocketAddr) -> String {
    format!("toolsets: {{pets: {{openapi: pets.yaml, server: 'http://{address}'}}}}\n")
}

/// A configuration whose service is never called.
pub(super) fn nothing() -> String {
    pets(SocketAddr::from(([127, 0, 0, 1], 9)))
}

/// A request that calls the tool.
pub(super) const CALL: &str = r#"{"calls": [{"tool": "pets-list", "args": {}}]}"#;

const DESCRIPTION: &str = "
paths:
  /pets:
    get:
      operationId: list
      parameters: [{name: customer, in: query, schema: {type: string, x-agent-input-parameter: customerId}}]
      responses: {'200': {description: Pets}}
";
