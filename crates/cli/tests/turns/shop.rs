//! A service with a tool that reads and one that writes. It counts the writes.

use crate::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{http, model::Model};

pub(crate) struct Shop {
    origin: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    n_writes: AtomicUsize,
    gate: Gate,
}

impl Shop {
    pub(crate) fn start() -> Self {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        let origin = http::serve(move |line, _, stream| {
            let is_write = line.starts_with("POST");
            own.n_writes.fetch_add(usize::from(is_write), Ordering::SeqCst);
            own.gate.pass();
            let items = if line.contains("/items/99") { 4000 } else { 1 };
            let items = vec![r#"{"name":"a thing of the shop"}"#; items].join(",");
            let head = http::head(200, "application/json");
            stream.write_all(format!("{head}[{items}]").as_bytes()).ok();
        });
        Self { origin, shared }
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.shared.gate
    }

    pub(crate) fn n_writes(&self) -> usize {
        self.shared.n_writes.load(Ordering::SeqCst)
    }
}

const DESCRIPTION: &str = "
openapi: 3.0.3
info: {title: shop, version: '1'}
paths:
  /items/{n}:
    get:
      operationId: read
      parameters: [{name: n, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: the items}}
  /orders:
    post:
      operationId: write
      parameters: [{name: n, in: query, schema: {type: integer}}]
      responses: {'200': {description: ordered}}
";

/// A model, a shop, and a folder with a configuration of both.
pub(crate) struct World {
    pub(crate) model: Model,
    pub(crate) shop: Shop,
    pub(crate) folder: tempfile::TempDir,
}

impl World {
    /// A world whose agents are `keeper`, which asks nobody, and those of `agents`. `keys` are further keys.
    pub(crate) fn with(agents: &str, keys: &str) -> Self {
        let (model, shop) = (Model::start(), Shop::start());
        let folder = tempfile::tempdir().unwrap();
        let (of_model, of_shop) = (&model.origin, &shop.origin);
        let text = format!(
            "models: {{main: {{dialect: openai, url: '{of_model}/v1', model: m-1, auth: none, stream: true}}}}
agents:
  keeper: {{model: main, confirm: never}}
{agents}
state: {{file: state.db}}
{keys}
toolsets: {{shop: {{openapi: shop.yaml, server: '{of_shop}', auth: none}}}}
"
        );
        std::fs::write(folder.path().join("callgate.yaml"), text).unwrap();
        std::fs::write(folder.path().join("shop.yaml"), DESCRIPTION).unwrap();
        Self { model, shop, folder }
    }

    pub(crate) fn new() -> Self {
        Self::with("", "")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn sidecar(&self) -> Sidecar {
        Sidecar::start(self.folder())
    }
}
