//! A whole sidecar, whose configuration changes, and the requests of its caller before the change and after it.

use callgate_config::DescriptionOptions;
use callgate_gateway::{ServeOptions, Source, serve, turns};
use rcgen::SanType;
use reqwest::RequestBuilder;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{sync::mpsc, task::JoinHandle};

use super::{
    change::{Change, Credential},
    surroundings::{Surroundings, bearer},
};

pub(super) struct World<'s> {
    pub(super) surroundings: &'s Surroundings,
    change: Change,
    origin: String,
    running: JoinHandle<()>,
    folder: TempDir,
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// A request without its caller.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) path: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    /// `Null` for a `GET`.
    pub(super) body: &'a Value,
}

impl<'s> World<'s> {
    pub(super) async fn start(surroundings: &'s Surroundings, change: Change) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let name = SanType::DnsName("localhost".try_into().unwrap());
        let (certificate, key) = surroundings.authority.issue(name);
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("server.pem", &certificate);
        put("server.key", &key);
        put("callers.pem", &surroundings.authority.pem);
        put("pets.yaml", DESCRIPTION);
        put("callgate.yaml", &configuration(surroundings, Change::Nothing));
        let (lines, mut shown) = mpsc::unbounded_channel();
        let source =
            Source::file(folder.path().join("callgate.yaml"), DescriptionOptions::default());
        let routes = callgate_ces::routes().merge_routes(turns());
        let options = ServeOptions { routes, ..ServeOptions::default() };
        let running = tokio::spawn(async move {
            serve(source, options, |line| lines.send(line.to_owned()).unwrap()).await.unwrap();
        });
        let origin = loop {
            let line: String = shown.recv().await.unwrap();
            let address = line.split_whitespace().find(|word| word.starts_with("https://"));
            if let Some(address) = address {
                break address.trim_end_matches(['/', ',']).replace("127.0.0.1", "localhost");
            }
        };
        // Lines that come later find somebody who reads them.
        tokio::spawn(async move { while shown.recv().await.is_some() {} });
        Self { surroundings, change, origin, running, folder }
    }

    /// Makes the change.
    pub(super) async fn change(&self) {
        if self.change.is_of_a_request() {
            return;
        }
        let text = configuration(self.surroundings, self.change);
        std::fs::write(self.folder.path().join("callgate.yaml"), text).unwrap();
        let (client, _) = self.surroundings.client(Credential::Token);
        let request = client.post(format!("{}/v1/admin/reload", self.origin));
        let response = request.header("authorization", bearer("root")).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert_eq!(status, 200, "{:?}: {text}", self.change);
    }

    /// The answer to a request before the change.
    pub(super) async fn before(&self, asked: Asked<'_>) -> String {
        text(self.request(self.change.credentials().0, asked)).await
    }

    /// The answer to a request before the change that is waited for later.
    pub(super) fn begin(&self, asked: Asked<'_>) -> JoinHandle<String> {
        tokio::spawn(text(self.request(self.change.credentials().0, asked)))
    }

    /// The answer to a request after the change.
    pub(super) async fn after(&self, asked: Asked<'_>) -> String {
        text(self.request(self.change.credentials().1, asked)).await
    }

    /// The answer to a request of the approver.
    pub(super) async fn approver(&self, path: &str, body: &Value) -> String {
        let (client, _) = self.surroundings.client(Credential::Token);
        let request = client.post(format!("{}{path}", self.origin)).json(body);
        text(request.header("authorization", bearer("lee"))).await
    }

    fn request(&self, credential: Credential, asked: Asked<'_>) -> RequestBuilder {
        let (client, authorization) = self.surroundings.client(credential);
        let url = format!("{}{}", self.origin, asked.path);
        let request = match asked.body {
            Value::Null => client.get(url),
            body => {
                client.post(url).header("content-type", "application/json").body(body.to_string())
            }
        };
        let headers = asked.headers.iter().copied();
        let request = headers.fold(request, |request, (name, value)| request.header(name, value));
        authorization.into_iter().fold(request, |request, it| request.header("authorization", it))
    }
}

async fn text(request: RequestBuilder) -> String {
    request.send().await.unwrap().text().await.unwrap()
}

fn configuration(surroundings: &Surroundings, change: Change) -> String {
    let Surroundings { issuer, pets, model, .. } = surroundings;
    change.configuration([issuer, pets, model])
}

const DESCRIPTION: &str = "
openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: list
      summary: List the pets
      responses: {'200': {description: Pets}}
    post:
      operationId: add
      responses: {'200': {description: added}}
    put:
      operationId: send
      requestBody: {required: true, content: {application/octet-stream: {}}}
      responses: {'200': {description: sent}}
  /file: {get: {operationId: load, responses: {'200': {description: A file}}}}
  /slow: {get: {operationId: slow, responses: {'200': {description: Slow}}}}
  /ask: {get: {operationId: ask, responses: {'200': {description: Asks the client}}}}
";
