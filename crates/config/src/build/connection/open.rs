//! Asks the service about the connections of a configuration, one after another, and makes their tools.

mod settings;

use std::sync::Arc;

use callgate_auth::AuthConfig;
use callgate_call::wording;
use callgate_connector::{Loaded, Surroundings};
use callgate_executor::Backend;
use callgate_kind::KindCode;
use callgate_kind::{Absence, apply_edits, select_tools, stand_ins};
use callgate_settings::{Asking, Reader, pointer_segment};

use super::{ConnectionSending, Databases};
use crate::{
    build::{
        authenticators::Authenticators,
        database::{Around, BuiltDatabase, DatabaseKind, KnownDatabase, UNASKED},
        google_service,
        own_tools::{self, DatabaseTool, common},
        session_values,
    },
    code::ConfigCode,
    config::Config,
    environment::Missing,
    toolset::ToolsetConfig,
};

/// The connections of all toolsets, with the findings about them.
pub(in crate::build) async fn all(
    reader: &mut Reader,
    config: &Config,
    around: Around<'_>,
    sending: Vec<Option<ConnectionSending>>,
    databases: &mut Databases,
) {
    for (toolset, sending) in config.toolsets.iter().zip(sending) {
        let Some(sending) = sending else { continue };
        let name = toolset.connector.connection.as_deref().unwrap_or_default();
        if let Some(local) = config.connections.get(name) {
            on_database(reader, config, toolset, local, databases);
            continue;
        }
        let session_values = session_values::masked_values(&config.toolsets);
        let mut made =
            Authenticators::new(reader, toolset, google_service::making(around, &sending));
        let surroundings = surroundings(reader, toolset, &mut made, sending);
        databases.authenticators.append(&mut made.made);
        let Some(surroundings) = surroundings else { continue };
        let surroundings = Surroundings { session_values, ..surroundings };
        Box::pin(open_connection(reader, databases, toolset, surroundings, around)).await;
    }
}

/// The credentials and the transport of a connection.
fn surroundings(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    made: &mut Authenticators<'_>,
    sending: ConnectionSending,
) -> Option<Surroundings> {
    let transport = sending.calls?;
    let pointer = format!("{}/connection", toolset.pointer);
    let own = google_service::service_authenticator(reader, toolset, made, &pointer);
    let user = match &toolset.connector.user {
        Some(user) => {
            let config = AuthConfig::Bearer { token: user.oauth2_auth_code.clone() };
            Some(google_service::authenticator(reader, made, config, &pointer)?)
        }
        None => None,
    };
    let session_values = callgate_executor::SessionValues::default();
    Some(Surroundings { transport, authenticator: own?, user, session_values })
}

async fn open_connection(
    reader: &mut Reader,
    databases: &mut Databases,
    toolset: &ToolsetConfig,
    surroundings: Surroundings,
    Around { build_context, previous, effects, .. }: Around<'_>,
) -> Option<()> {
    let environment = build_context.environment;
    let selected = select_tools(reader, &common(toolset), own_tools::of_database(toolset));
    let is_foreign = toolset.connector.is_named_by_export;
    let asking = effects.asking().filter(|_| !is_foreign);
    let is_asked = asking.is_some();
    let absence = match is_asked {
        true => Absence::Unavailable,
        false if is_foreign => Absence::NamedByExport,
        false => Absence::Unasked,
    };
    let made = match asking {
        None => ConnectionTools { backends: Vec::new(), failure: Some(UNASKED.to_owned()) },
        Some(asking) => {
            let settings = settings::of_toolset(toolset, &selected)?;
            load(reader, asking, settings, surroundings).await
        }
    };
    let ConnectionTools { mut backends, failure } = made;
    let mut opened_database = KnownDatabase::new(toolset, &selected);
    if let Some(why) = &failure {
        if environment.missing == Missing::Fault && is_asked {
            let pointer = format!("{}/connection", toolset.pointer);
            let (code, message, help) = DatabaseKind::Connection.unreachable(why);
            reader.complain(code, pointer, message, help);
            return None;
        }
        let earlier = previous.iter().find(|earlier| earlier.is_as(&opened_database));
        backends = match earlier {
            Some(earlier) => earlier.backends.clone(),
            None => stand_ins(
                &common(toolset),
                &selected,
                absence,
                &wording::connector::undescribed_connection(),
            ),
        };
        opened_database.backends =
            earlier.map(|earlier| earlier.backends.clone()).unwrap_or_default();
    } else {
        opened_database.backends.clone_from(&backends);
    }
    databases.tools.extend(apply_edits(reader, &common(toolset), &selected, &backends));
    if is_foreign {
        let pointer = toolset.pointer.clone();
        reader.warn(ConfigCode::ExportedTool, pointer, NAMED_BY_EXPORT, WRITE_SERVER);
        return Some(());
    }
    let name = opened_database.toolset.clone();
    let (kind, is_required) = (DatabaseKind::Connection, toolset.required);
    databases.built.push(BuiltDatabase { kind, name, is_required, is_asked, failure });
    databases.openings.extend(
        Some(opened_database).filter(|opened_database| !opened_database.backends.is_empty()),
    );
    Some(())
}

/// The tools of a connection as those of a database toolset, which is there already.
fn on_database(
    reader: &mut Reader,
    config: &Config,
    toolset: &ToolsetConfig,
    local: &str,
    databases: &mut Databases,
) -> Option<()> {
    let is_it = |other_toolset: &&ToolsetConfig| {
        other_toolset.name.as_ref().is_some_and(|name| name.to_string() == local)
            && other_toolset.database.connection.is_some()
    };
    let name = toolset.connector.connection.as_deref().unwrap_or_default();
    let Some(database) = config.toolsets.iter().find(is_it) else {
        let pointer = format!("/connections/{}/toolset", pointer_segment(name));
        let message = format!("expected a toolset with a database, got: `{local}`");
        let help = "write the name of a toolset that has `database`";
        reader.complain(KindCode::UnknownToolset, pointer, message, help);
        return None;
    };
    let selected = select_tools(reader, &common(toolset), own_tools::of_database(toolset));
    let settings = settings::of_toolset(toolset, &selected)?;
    let opened_database =
        databases.openings.iter().find(|opened_database| opened_database.toolset == local);
    let backends = if let Some(opened_database) = opened_database {
        let tools = own_tools::of_database(database);
        let find = |short: &str| {
            let is_it = |tool: &&DatabaseTool<'_>| tool.named.short.eq_ignore_ascii_case(short);
            let name = tools.iter().find(is_it)?.named.former_name(&common(database)).ok()?;
            opened_database.backends.iter().find(|backend| *backend.name() == name).cloned()
        };
        report(reader, callgate_connector::local(&settings, find)).backends
    } else {
        // The reason is reported with the database.
        let (common, absence) = (common(toolset), absence(databases, local));
        stand_ins(&common, &selected, absence, &wording::connector::undescribed_connection())
    };
    databases.tools.extend(apply_edits(reader, &common(toolset), &selected, &backends));
    Some(())
}

/// The reason why a database has no tools: it did not answer, or the load had no leave to ask it.
fn absence(databases: &Databases, name: &str) -> Absence {
    let is_it = |built_database: &&BuiltDatabase| {
        built_database.kind == DatabaseKind::Database && built_database.name == name
    };
    match databases.built.iter().find(is_it) {
        Some(database) if !database.is_asked => Absence::Unasked,
        _ => Absence::Unavailable,
    }
}

/// The tools of a connection, or the reason why it cannot be read.
struct ConnectionTools {
    backends: Vec<Arc<dyn Backend>>,
    failure: Option<String>,
}

async fn load(
    reader: &mut Reader,
    _: Asking,
    settings: callgate_connector::ConnectionSettings,
    surroundings: Surroundings,
) -> ConnectionTools {
    let loaded = Box::pin(callgate_connector::load(settings, surroundings)).await;
    report(reader, loaded)
}

/// Reports the findings of a load.
fn report(reader: &mut Reader, loaded: Loaded) -> ConnectionTools {
    let Loaded { tools, findings, unavailable, .. } = loaded;
    reader.complaints.extend(findings);
    ConnectionTools { backends: tools, failure: unavailable }
}

const NAMED_BY_EXPORT: &str = "expected a connection that you named, got one that an export names; it is not asked, and its calls fail";
const WRITE_SERVER: &str = "if it is yours, write `server: https://connectors.googleapis.com` into the toolset, or its name as \
                            `connection:`";
