//! The two methods of the service as operations of a description: the executor sends and reads them as it does all others. Both are
//! POST and change nothing, as the service documents them.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::Authenticator;
use callgate_executor::{
    Backend, CallSettings, Callable, ClientSide, SessionValues, Toolset, toolset_backends,
};
use callgate_openapi::{Defaults, Document, LoadOptions, load};
use callgate_tool::json;
use callgate_transport::Transport;

use crate::{resource_name::ResourceName, settings::Action};

/// The methods of one target, ready to be called.
#[derive(Debug)]
pub(crate) struct Methods {
    answer: Option<Arc<dyn Backend>>,
    search: Option<Arc<dyn Backend>>,
}

/// The parts that all requests share.
#[derive(Debug)]
pub(crate) struct Requests<'a> {
    pub(crate) toolset: &'a str,
    pub(crate) server: &'a str,
    pub(crate) transport: &'a Arc<dyn Transport>,
    pub(crate) authenticator: &'a Arc<dyn Authenticator>,
    pub(crate) call: &'a CallSettings,
    pub(crate) session_values: &'a SessionValues,
}

impl Methods {
    pub(crate) fn get(&self, action: Action) -> Option<&dyn Backend> {
        let method = match action {
            Action::Answer => &self.answer,
            Action::Search => &self.search,
        };
        method.as_deref()
    }
}

impl Requests<'_> {
    pub(crate) fn methods(&self, target: &ResourceName) -> Methods {
        let path = target.serving_config_name();
        let operation = |id: &str| {
            let content = json!({"application/json": {"schema": {}}});
            let body = json!({"required": true, "content": content});
            json!({"post": {"operationId": id, "requestBody": body, "responses": {}}})
        };
        let paths = [(ANSWER, "answer"), (SEARCH, "search")]
            .map(|(id, method)| (format!("/v1/{path}:{method}"), operation(id)));
        let info = json!({"title": "Discovery Engine", "version": "1"});
        let paths = callgate_tool::Value::Object(paths.into_iter().collect());
        let text = json!({"openapi": "3.1.0", "info": info, "paths": paths}).to_string();
        let document = Document::read(text.as_bytes(), &callgate_openapi::Limits::default());
        let Ok(document) = document else { return Methods { answer: None, search: None } };
        let options = LoadOptions {
            server: Some(self.server.to_owned()),
            defaults: Defaults::Required,
            reads: vec![ANSWER.to_owned(), SEARCH.to_owned()],
            ..LoadOptions::default()
        };
        let operations = load(&document.value, &options).operations;
        let callable = |operation| {
            let authenticator = Arc::clone(self.authenticator);
            Callable { operation, authenticator }
        };
        let made = toolset_backends(Toolset {
            name: self.toolset.to_owned(),
            operations: operations.into_iter().map(callable).collect(),
            refused: Vec::new(),
            transport: Arc::clone(self.transport),
            call: self.call.clone(),
            session_values: self.session_values.clone(),
            secret_arguments: Vec::new(),
            tool_shapes: BTreeMap::new(),
            client: ClientSide::default(),
        });
        let method = |id: &str| made.iter().find(|backend| backend.name().as_str() == id).cloned();
        Methods { answer: method(ANSWER), search: method(SEARCH) }
    }
}

const ANSWER: &str = "answer";
const SEARCH: &str = "search";
