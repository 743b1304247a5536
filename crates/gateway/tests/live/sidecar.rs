//! A sidecar that follows the files of a folder of its own.

use crate::prelude::*;
use std::time::SystemTime;

use callgate_config::DescriptionOptions;
use callgate_gateway::{Gateway, Live, Source, router};
use tempfile::TempDir;

/// A sidecar, the folder it was read from, and a client.
#[derive(Debug)]
pub(crate) struct Sidecar {
    pub(crate) folder: TempDir,
    pub(crate) client: reqwest::Client,
    pub(crate) address: String,
    _live: Live,
}

/// A description with these operations.
pub(crate) fn description(operations: &[&str]) -> String {
    let paths = operations.iter().map(|id| {
        format!(
            "  /{id}: {{get: {{operationId: {id}, responses: {{'200': {{description: ok}}}}}}}}\n"
        )
    });
    let paths: String = paths.collect();
    format!(
        "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\nservers: [{{url: https://a.example}}]\npaths:\n{paths}"
    )
}

/// A configuration with one toolset.
pub(crate) const CONFIGURATION: &str = "toolsets: {pets: {openapi: pets.yaml, prefix: ''}}";

impl Sidecar {
    /// The usual files: `callgate.yaml` and `pets.yaml` with one operation, `listPets`.
    pub(crate) async fn usual() -> Self {
        Self::with(|folder| {
            fs::write(folder.join("callgate.yaml"), CONFIGURATION).unwrap();
            fs::write(folder.join("pets.yaml"), description(&["listPets"])).unwrap();
        })
        .await
    }

    /// The files that are written into its folder.
    pub(crate) async fn with(write: impl FnOnce(&Path)) -> Self {
        Self::changed(write, |_| ()).await
    }

    /// The same, with what happens to the folder between the first build and the watch.
    pub(crate) async fn changed(write: impl FnOnce(&Path), change: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        age_files(folder.path());
        let source =
            Source::file(folder.path().join("callgate.yaml"), DescriptionOptions::default());
        let gateway = Gateway::new(source.build(None).await.unwrap());
        change(folder.path());
        let live = Live::start(&gateway, source);
        let address = callgate_testkit::serve(router(gateway)).await;
        Self { folder, client: reqwest::Client::new(), address, _live: live }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = self.client.get(format!("{}{path}", self.address)).send().await.unwrap();
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    }

    pub(crate) async fn post(&self, path: &str) -> Value {
        let answer = self.client.post(format!("{}{path}", self.address)).send().await.unwrap();
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    }

    /// The digest on the response to a call.
    pub(crate) async fn digest(&self) -> String {
        let calls = json!({"calls": [{"id": "1", "tool": "none"}]}).to_string();
        let request = self.client.post(format!("{}/v1/calls", self.address)).body(calls);
        let response = request.header("content-type", "application/json").send().await.unwrap();
        response.headers()["callgate-configuration"].to_str().unwrap().to_owned()
    }

    pub(crate) async fn tools(&self) -> Vec<String> {
        let tools = self.get("/v1/tools").await;
        let tools = tools["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The last reload, once there were so many.
    pub(crate) async fn reloads(&self, number: usize) -> Value {
        let asked = async {
            let mut changes = Value::Null;
            while changes["reloads"].as_array().is_none_or(|reloads| reloads.len() < number) {
                changes = self.get("/v1/admin/changes").await;
            }
            changes["reloads"][0].take()
        };
        tokio::time::timeout(Duration::from_secs(30), asked).await.expect("there was a reload")
    }
}

/// Makes files as old as if they had been written long ago: a file that was just written is read again, which is a reload more.
fn age_files(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
    }
}

/// `tool: change` of each change.
pub(crate) fn changes(reload: &Value) -> Vec<String> {
    let changes = reload["changes"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    changes.map(|one| format!("{}: {}", text(&one["tool"]), text(&one["change"]))).collect()
}
