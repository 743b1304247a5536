//! From the settings of a connection to its tools: the service describes what the settings name, and each becomes a backend.
//! Methods that the service does not have, or must not offer, are findings.

mod entity;
mod tools;

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::{Authenticator, combined_authenticator};
use callgate_executor::{Backend, SessionValues};
use callgate_kind::ArgumentForm;
use callgate_transport::Transport;
use callgate_tree::SettingFinding;

use self::tools::Making;
use crate::{
    catalog::{Catalog, UserRule},
    code::ConnectorCode,
    description::{Methods, Requests},
    settings::{ActionKind, ActionSettings, ConnectionSettings},
    user::User,
};

/// The parts that a connection gets from its surroundings.
#[derive(Debug)]
pub struct Surroundings {
    /// The transport of calls and of the load.
    pub transport: Arc<dyn Transport>,
    /// The operator's credential: a Google access token.
    pub authenticator: Arc<dyn Authenticator>,
    /// The end user's token, which is put on a request as a bearer token.
    pub user: Option<Arc<dyn Authenticator>>,
    /// The values of a session that its calls see and show.
    pub session_values: SessionValues,
}

/// A connection with its tools.
#[derive(Debug)]
pub struct Loaded {
    /// The tools.
    pub tools: Vec<Arc<dyn Backend>>,
    /// The findings.
    pub findings: Vec<SettingFinding>,
    /// The reason why the service could not be asked; a later load may succeed.
    pub unavailable: Option<String>,
}

/// Loads a connection.
pub async fn load(settings: ConnectionSettings, around: Surroundings) -> Loaded {
    let mut loaded = Loaded { tools: Vec::new(), findings: Vec::new(), unavailable: None };
    let catalog = Catalog {
        transport: &around.transport,
        authenticator: &around.authenticator,
        server: &settings.server,
        connection: &settings.connection,
    };
    if settings.user.is_some() {
        match catalog.fetch_user_rule().await {
            Ok(rule) => loaded.findings.extend(user_override_findings(&settings, rule)),
            Err(undescribed) => {
                loaded.unavailable = Some(undescribed.reason().to_owned());
                return loaded;
            }
        }
        if !loaded.findings.is_empty() {
            return loaded;
        }
    }
    let methods = Arc::new(service_methods(&settings, &around));
    let mut making = Making {
        catalog: &catalog,
        settings: &settings,
        methods,
        entity_types: BTreeMap::new(),
        service_tools: None,
        loaded: &mut loaded,
    };
    match &settings.actions {
        Some(actions) => {
            for action in actions {
                making.add_tool(action).await;
            }
        }
        None => making.add_read_only_tools().await,
    }
    drop(around);
    loaded
}

fn service_methods(settings: &ConnectionSettings, around: &Surroundings) -> Methods {
    let own = || vec![Arc::clone(&around.authenticator)];
    let (mut in_query, mut in_body) = (own(), own());
    if let (Some(user), Some(token)) = (&settings.user, &around.user) {
        in_body.push(Arc::new(User::in_execution_settings(Arc::clone(token), &user.header)));
        match User::in_query(Arc::clone(token), &user.header) {
            Ok(user) => in_query.push(Arc::new(user)),
            // Without the user's token nothing may be sent.
            Err(_) => return Methods::new(),
        }
    }
    let mut call = settings.call.clone();
    // Results are bounded by whole rows, after they are read.
    call.shape.result_bytes = usize::MAX;
    let requests = Requests {
        toolset: &settings.toolset,
        connection: &settings.connection,
        server: &settings.server,
        transport: Arc::clone(&around.transport),
        authenticator: combined_authenticator(in_query),
        body_authenticator: combined_authenticator(in_body),
        call,
        session_values: around.session_values.clone(),
    };
    requests.into_methods()
}

/// The end user may be named only where the connection then never acts as the administrator.
fn user_override_findings(settings: &ConnectionSettings, rule: UserRule) -> Vec<SettingFinding> {
    let pointer = format!("{}/user", settings.pointer);
    if !rule.is_override_enabled {
        let message = "expected a connection that allows other credentials (`authOverrideEnabled`), got one that does not";
        let help = "enable the authentication override of the connection, or leave `user` out";
        return vec![SettingFinding::error(USER, pointer, message, help)];
    }
    if rule.falls_back_on_admin {
        let message = "expected a connection that refuses calls without the user's credential, got one that falls back on the administrator's (`fallbackOnAdminCredentials`)";
        let help = "disable the fallback on admin credentials of the connection";
        return vec![SettingFinding::error(USER, pointer, message, help)];
    }
    let actions = settings.actions.iter().flatten();
    let is_query = |action: &&ActionSettings| matches!(action.kind, ActionKind::Query { .. });
    let queries = actions.filter(is_query).map(|action| {
        let message = "expected no `sql` beside `user`: the service runs statements with the connection's own credential only";
        let help = "put the statement into a toolset without `user`";
        SettingFinding::error(USER, &*action.pointer, message, help)
    });
    queries.collect()
}

/// The names of a tool's form that a model sees.
fn key_argument_name(form: ArgumentForm, keys: &[&str]) -> String {
    match (form, keys) {
        (ArgumentForm::Own, [only]) => crate::work::truncated_underscored_name(only, 60),
        _ => crate::declaration::ENTITY_ID.to_owned(),
    }
}

const USER: &str = ConnectorCode::User.as_str();
const UNKNOWN: &str = ConnectorCode::Unknown.as_str();
