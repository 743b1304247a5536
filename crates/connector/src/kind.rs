//! Connections of Integration Connectors as a kind of toolset: the way from its keys to opened tools.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_auth::AuthConfig;
use callgate_call::wording;
use callgate_executor::Backend;
use callgate_kind::{
    Absence, Beside, CommonSettings, GivenLimits, Kept, KindCode, KindKeys, KindSettings,
    LIMITS_OF_CALLS, NamedTool, Opened, SELECTION_BY_NAME, ServiceCalls, Siblings, Surroundings,
    ToolsetKind, are_equal_settings, warn_of_replaced_limits,
};
use callgate_settings::{Mapping, Reader, Section as _, pointer_segment};
use callgate_tool::{Fault, SessionSource, StatementInput};
use callgate_tree::SettingFinding;

use crate::{
    code::ConnectorCode,
    connection_name::ConnectionName,
    keys::{LimitKeys, LocalConnectionMap, LocalConnections, NamedAction, RootKeys, ToolsetKeys},
    load::{self, Loaded, load},
    local::load_on_database,
    settings::{ActionKind, ActionSettings, ConnectionSettings, SERVICE, UserSettings},
};

/// Connections of Integration Connectors: the keys `connection`, `actions` and `user`, and `connections` for those that run on
/// databases.
#[derive(Clone, Copy, Debug)]
pub struct ConnectorKind;

const KEY: &str = "connection";

impl ToolsetKind for ConnectorKind {
    fn key(&self) -> &'static str {
        KEY
    }

    fn example_setting(&self) -> &'static str {
        "connection: projects/…/locations/…/connections/…"
    }

    fn keys(&self) -> KindKeys {
        KindKeys { toolset: ToolsetKeys::KEYS, limits: LimitKeys::KEYS, root: RootKeys::KEYS }
    }

    fn common_keys(&self) -> Beside {
        Beside { keys: BESIDE, limits: Some(LIMITS_OF_CALLS), tools: Some(SELECTION_BY_NAME) }
    }

    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)> {
        ConnectorCode::ALL.iter().map(|code| (code.as_str(), code.explanation())).collect()
    }

    fn read_root_keys(&self, reader: &mut Reader, root: Mapping<'_>) -> Option<Kept> {
        reader.get::<LocalConnections>(root, "connections").map(Kept::new)
    }

    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        root: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>> {
        let mut keys = ToolsetKeys::default();
        ToolsetKeys::fill(&mut keys, reader, toolset);
        let ToolsetKeys { actions, connection, user } = keys;
        let connection = connection?;
        let local = root.and_then(Kept::get::<LocalConnectionMap>);
        let local = local.and_then(|local| local.get(connection.as_str()).cloned());
        Some(Arc::new(SourceSettings { connection, actions, user, local, rows: ROWS }))
    }
}

/// The settings of a connection, without those that it shares with other kinds.
#[derive(Clone, Debug, PartialEq)]
struct SourceSettings {
    connection: ConnectionName,
    /// `None` for the connection's own tools that only read.
    actions: Option<Vec<NamedAction>>,
    user: Option<UserSettings>,
    /// The toolset with the database that runs the tools in place of the service.
    local: Option<String>,
    rows: u32,
}

#[async_trait]
impl KindSettings for SourceSettings {
    fn key(&self) -> &'static str {
        KEY
    }

    fn with_limits(
        &self,
        reader: &mut Reader,
        limits: Option<Mapping<'_>>,
        _: GivenLimits,
    ) -> Arc<dyn KindSettings> {
        let mut keys = LimitKeys::default();
        if let Some(limits) = limits {
            LimitKeys::fill(&mut keys, reader, limits);
            if let Some(toolset) = &self.local {
                warn_of_replaced_limits(reader, limits, LimitKeys::KEYS, toolset);
            }
        }
        let rows = keys.rows.and_then(|rows| u32::try_from(rows).ok()).unwrap_or(self.rows);
        Arc::new(Self { rows, ..self.clone() })
    }

    fn tools(&self, _: &str) -> Vec<NamedTool> {
        let tool = |(short, action): &NamedAction| NamedTool {
            short: short.clone(),
            effect: action.kind.effect(),
            pointer: action.pointer.clone(),
        };
        self.actions.iter().flatten().map(tool).collect()
    }

    fn session_sources(&self, _: &str) -> Vec<(String, SessionSource)> {
        let queries = self.actions.iter().flatten().flat_map(|(_, action)| {
            let inputs = match &action.kind {
                ActionKind::Query { inputs, .. } => &**inputs,
                _ => &[],
            };
            inputs.iter().filter_map(|(name, input)| match input {
                StatementInput::Model(_) => None,
                StatementInput::Session(source) => {
                    let name = pointer_segment(name);
                    Some((format!("{}/inputs/{name}", action.pointer), source.clone()))
                }
            })
        });
        queries.collect()
    }

    fn unavailable_fault(&self) -> Box<Fault> {
        wording::connector::undescribed_connection()
    }

    fn unreachable_finding(&self, why: &str) -> Option<SettingFinding> {
        if self.local.is_some() {
            return None;
        }
        let message = format!("expected a connection that the service describes, got none: {why}");
        let help =
            "see that the connection exists and that the account of `auth` may use and view it";
        let code = ConnectorCode::Unreachable.as_str();
        Some(SettingFinding::error(code, "/connection", message, help))
    }

    fn is_same(&self, other: &dyn KindSettings) -> bool {
        are_equal_settings(self, other)
    }

    fn needed_toolset(&self) -> Option<&str> {
        self.local.as_deref()
    }

    fn called_service(&self) -> ServiceCalls {
        if self.local.is_some() { ServiceCalls::None } else { ServiceCalls::Google }
    }

    fn credentials(&self) -> Vec<AuthConfig> {
        let token = |user: &UserSettings| user.oauth2_auth_code.clone();
        self.user.iter().map(|user| AuthConfig::Bearer { token: token(user) }).collect()
    }

    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened {
        let settings = self.connection_settings(toolset, selected);
        if let Some(database) = &self.local {
            return open_on_database(&settings, database, around.siblings);
        }
        if toolset.is_named_by_export {
            let (code, pointer) = (KindCode::ExportedTool.as_str(), toolset.pointer);
            let finding = SettingFinding::warning(code, pointer, NAMED_BY_EXPORT, WRITE_SERVER);
            return Opened { findings: vec![finding], ..Opened::absent(Absence::NamedByExport) };
        }
        if around.shared.effects.asking_permission().is_none() {
            return Opened::absent(Absence::Unasked);
        }
        match self.load_surroundings(&around) {
            Some(around) => opened_connection(Box::pin(load(settings, around)).await),
            // The fault of a credential or of the recordings is reported.
            None => Opened::with_tools(Vec::new()),
        }
    }
}

impl SourceSettings {
    fn connection_settings(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
    ) -> ConnectionSettings {
        let action = |(short, action): &NamedAction| {
            let is_it = |tool: &&NamedTool| tool.short == *short && tool.pointer == action.pointer;
            let name = selected.iter().find(is_it)?.unedited_name(toolset).ok()?;
            Some(ActionSettings { name: Some(name), ..action.clone() })
        };
        let actions = self.actions.as_ref();
        ConnectionSettings {
            pointer: toolset.pointer.to_owned(),
            toolset: toolset.name.clone(),
            prefix: toolset.prefix.cloned(),
            connection: self.connection.clone(),
            server: toolset.server.unwrap_or(SERVICE).to_owned(),
            actions: actions.map(|actions| actions.iter().filter_map(action).collect()),
            user: self.user.clone(),
            call: toolset.call.clone(),
            rows: self.rows,
        }
    }

    /// The credentials and the transport; `None` after a reported fault.
    fn load_surroundings(&self, around: &Surroundings<'_>) -> Option<load::Surroundings> {
        let user = around.ways.credentials.first().cloned();
        Some(load::Surroundings {
            transport: around.ways.transport.clone()?,
            authenticator: around.ways.authenticator.clone()?,
            user: if self.user.is_some() { Some(user?) } else { None },
            session_values: around.shared.session_values.clone(),
        })
    }
}

fn opened_connection(Loaded { tools, findings, unavailable }: Loaded) -> Opened {
    let tools = unavailable.map_or(Ok(tools), |why| Err(Absence::Unavailable(why)));
    Opened { tools, findings, ..Opened::with_tools(Vec::new()) }
}

/// The tools of a connection as those of a toolset with a database, which is opened already.
fn open_on_database(
    settings: &ConnectionSettings,
    database: &str,
    siblings: Siblings<'_>,
) -> Opened {
    if !siblings.has(database, "database") {
        let pointer =
            format!("/connections/{}/toolset", pointer_segment(settings.connection.as_str()));
        let message = format!("expected a toolset with a database, got: `{database}`");
        let help = "write the name of a toolset that has `database`";
        let code = KindCode::UnknownToolset.as_str();
        return Opened::with_faults(vec![SettingFinding::error(code, pointer, message, help)]);
    }
    match siblings.tools(database) {
        Ok(tools) => {
            opened_connection(load_on_database(settings, |short| -> Option<Arc<dyn Backend>> {
                let tool = tools.iter().find(|tool| tool.short.eq_ignore_ascii_case(short))?;
                Some(Arc::clone(&tool.backend))
            }))
        }
        // The reason is reported with the database.
        Err(absence) => Opened::absent(absence),
    }
}

/// The common keys that mean something beside `connection`.
const BESIDE: &[&str] = &[
    "auth",
    "baggage",
    "confirm",
    "egress",
    "functions",
    "limits",
    "prefix",
    "required",
    "retry",
    "server",
    "service_directory",
    "tls",
    "tools",
    "upstream",
];

/// The rows of a result, unless an operator sets them; as for databases.
const ROWS: u32 = 50;

const NAMED_BY_EXPORT: &str = "expected a connection that you named, got one that an export names; it is not asked, and its calls fail";
const WRITE_SERVER: &str = "if it is yours, write `server: https://connectors.googleapis.com` into the toolset, or its name as \
                            `connection:`";
