//! The methods of the service that calls use, as operations of a description: the executor checks, sends and reads them as it
//! does all others. `executeHttpRequest`, which sends to any address, is not among them.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::Authenticator;
use callgate_executor::{
    Backend, CallSettings, Callable, ClientSide, SessionValues, Toolset, toolset_backends,
};
use callgate_openapi::{Defaults, Document, LoadOptions, Operation, load};
use callgate_tool::{Value, json};
use callgate_transport::Transport;

use crate::connection_name::ConnectionName;

/// A method of the service.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Method {
    Create,
    Delete,
    DeleteMany,
    ExecuteAction,
    ExecuteSql,
    ExecuteTool,
    Get,
    List,
    Update,
    UpdateMany,
}

/// The methods of one connection, ready to be called.
pub(crate) type Methods = BTreeMap<Method, Arc<dyn Backend>>;

/// The parts that all requests of a connection share.
#[derive(Debug)]
pub(crate) struct Requests<'a> {
    pub(crate) toolset: &'a str,
    pub(crate) connection: &'a ConnectionName,
    pub(crate) server: &'a str,
    pub(crate) transport: Arc<dyn Transport>,
    /// Puts the operator's credential on requests, and the user's, if there is one.
    pub(crate) authenticator: Arc<dyn Authenticator>,
    /// Such a header for methods that have the settings of an execution in their body.
    pub(crate) body_authenticator: Arc<dyn Authenticator>,
    pub(crate) call: CallSettings,
    pub(crate) session_values: SessionValues,
}

impl Method {
    const ALL: [Self; 10] = [
        Self::Create,
        Self::Delete,
        Self::DeleteMany,
        Self::ExecuteAction,
        Self::ExecuteSql,
        Self::ExecuteTool,
        Self::Get,
        Self::List,
        Self::Update,
        Self::UpdateMany,
    ];

    /// The HTTP method, and the path below the connection.
    fn method_and_path(self) -> (&'static str, &'static str) {
        match self {
            Self::Create => ("post", "/entityTypes/{type}/entities"),
            Self::Delete => ("delete", "/entityTypes/{type}/entities/{id}"),
            Self::DeleteMany => {
                ("post", "/entityTypes/{type}/entities:deleteEntitiesWithConditions")
            }
            Self::ExecuteAction => ("post", "/actions/{id}:execute"),
            Self::ExecuteSql => ("post", ":executeSqlQuery"),
            Self::ExecuteTool => ("post", "/tools/{id}:execute"),
            Self::Get => ("get", "/entityTypes/{type}/entities/{id}"),
            Self::List => ("get", "/entityTypes/{type}/entities"),
            Self::Update => ("patch", "/entityTypes/{type}/entities/{id}"),
            Self::UpdateMany => {
                ("post", "/entityTypes/{type}/entities:updateEntitiesWithConditions")
            }
        }
    }

    /// True if the settings of an execution stand in the body, and not in the query.
    pub(crate) fn has_settings_in_body(self) -> bool {
        matches!(self, Self::ExecuteAction | Self::ExecuteTool)
    }

    fn openapi_operation(self) -> Value {
        let (_, path) = self.method_and_path();
        let mut parameters = Vec::new();
        for name in ["type", "id"] {
            if path.contains(&format!("{{{name}}}")) {
                parameters.push(
                    json!({"name": name, "in": "path", "required": true, "schema": text_schema()}),
                );
            }
        }
        let mut query = |name: &str, schema: Value, is_required: bool| {
            parameters.push(
                json!({"name": name, "in": "query", "required": is_required, "schema": schema}),
            );
        };
        match self {
            Self::List => {
                query("conditions", text_schema(), false);
                query("pageSize", json!({"type": "integer"}), false);
                query("pageToken", text_schema(), false);
                query("sortBy", json!({"type": "array", "items": text_schema()}), false);
                query("sortOrder", json!({"type": "array", "items": text_schema()}), false);
            }
            Self::DeleteMany | Self::UpdateMany => query("conditions", text_schema(), true),
            _ => {}
        }
        let mut operation =
            json!({"operationId": self.operation_id(), "parameters": parameters, "responses": {}});
        let has_body = !matches!(self, Self::Delete | Self::DeleteMany | Self::Get | Self::List);
        if let (true, Some(operation)) = (has_body, operation.as_object_mut()) {
            let content = json!({"application/json": {"schema": {}}});
            operation.insert("requestBody", json!({"required": true, "content": content}));
        }
        operation
    }

    fn operation_id(self) -> String {
        format!("{self:?}")
    }
}

impl Requests<'_> {
    pub(crate) fn into_methods(self) -> Methods {
        let text = self.openapi_document().to_string();
        let Ok(document) = Document::read(text.as_bytes(), &callgate_openapi::Limits::default())
        else {
            return Methods::new();
        };
        let options = LoadOptions {
            server: Some(self.server.to_owned()),
            defaults: Defaults::Required,
            ..LoadOptions::default()
        };
        let loaded = load(&document.value, &options);
        let in_body = |method: &Method| method.has_settings_in_body();
        let in_body: Vec<_> =
            Method::ALL.into_iter().filter(in_body).map(Method::operation_id).collect();
        let callable = |operation: Arc<Operation>| {
            let is_in_body = in_body.iter().any(|id| operation.tool_name.as_str() == id);
            let authenticator =
                if is_in_body { &self.body_authenticator } else { &self.authenticator };
            Callable { operation, authenticator: Arc::clone(authenticator) }
        };
        let toolset = Toolset {
            name: self.toolset.to_owned(),
            operations: loaded.operations.into_iter().map(callable).collect(),
            refused: Vec::new(),
            transport: self.transport,
            call: self.call,
            session_values: self.session_values,
            secret_arguments: Vec::new(),
            tool_shapes: BTreeMap::new(),
            client: ClientSide::default(),
        };
        let named = toolset_backends(toolset).into_iter().filter_map(|backend| {
            let method = Method::ALL
                .into_iter()
                .find(|candidate| candidate.operation_id() == backend.name().as_str());
            Some((method?, backend))
        });
        named.collect()
    }

    fn openapi_document(&self) -> Value {
        let mut paths = callgate_tool::Object::new();
        for method in Method::ALL {
            let (verb, path) = method.method_and_path();
            let path = format!("/v2/{}{path}", self.connection);
            let item = paths.entry(path).or_insert(json!({}));
            if let Some(item) = item.as_object_mut() {
                item.insert(verb, method.openapi_operation());
            }
        }
        let info = json!({"title": "Connectors", "version": "2"});
        json!({"openapi": "3.1.0", "info": info, "paths": Value::Object(paths)})
    }
}

fn text_schema() -> Value {
    json!({"type": "string"})
}
