//! Connects to the databases of a configuration, side by side, and makes their tools.

mod settings;

use std::{sync::Arc, time::Duration};

use callgate_call::wording;
use callgate_database::{Loaded, Renewal, Resources, Surroundings};
use callgate_kind::{Absence, apply_edits, select_tools, stand_ins};
use callgate_secret::SecretReference;
use callgate_settings::Reader;
use futures_util::future::join_all;

use self::settings::MissingSecret;
use super::{Around, BuiltDatabase, DatabaseKind, Databases, KnownDatabase, UNASKED};
use crate::{
    build::own_tools::{self, DatabaseTool, common},
    code::ConfigCode,
    config::Config,
    database::ConnectionConfig,
    environment::Missing,
    toolset::ToolsetConfig,
};

/// The databases of all toolsets, with the findings about their logins. They are loaded side by side.
pub(in crate::build) async fn all(
    reader: &mut Reader,
    config: &Config,
    around: Around<'_>,
) -> Databases {
    let mut openings = Vec::new();
    for (toolset, tls) in config.toolsets.iter().zip(around.tls) {
        let Some(connection) = &toolset.database.connection else { continue };
        let surroundings = Surroundings {
            network: around.connections.network.clone(),
            tls: tls.clone(),
            base: around.build_context.base.to_owned(),
            sealer: around.state.and_then(|state| state.sealer(PAGES)),
        };
        let selected = select_tools(reader, &common(toolset), own_tools::of_database(toolset));
        openings.push(Opening { toolset, connection, selected, surroundings, around });
    }
    let loads = join_all(openings.iter_mut().map(|opening| Box::pin(opening.load()))).await;
    let mut databases = Databases::default();
    for (opening, load) in openings.into_iter().zip(loads) {
        opening.add(load, reader, &mut databases);
    }
    databases
}

/// The purpose of the keys that seal the tokens of pages.
const PAGES: &str = "pages of databases";

/// The database of one toolset, before it is loaded.
struct Opening<'a> {
    toolset: &'a ToolsetConfig,
    connection: &'a ConnectionConfig,
    selected: Vec<DatabaseTool<'a>>,
    surroundings: Surroundings,
    around: Around<'a>,
}

/// The end of a load.
enum Load {
    Ended(Loaded),
    Missing(MissingSecret),
    /// The load may not ask it.
    Unasked,
    /// The reason why the database was not asked, or did not answer.
    Unavailable(String),
}

impl Opening<'_> {
    async fn load(&mut self) -> Load {
        let Self { toolset, connection, selected, surroundings, around } = self;
        let Around { build_context, previous, .. } = around;
        let is_file = connection.is_file && toolset.database.query.is_none();
        let is_opened =
            around.effects.asking().is_some() || (is_file && around.effects.fetching().is_some());
        if !is_opened {
            return Load::Unasked;
        }
        let settings = settings::of_toolset(toolset, connection, selected, build_context).await;
        let settings = match settings {
            Ok(settings) => settings,
            Err(missing) => return Load::Missing(missing),
        };
        let renewal = |reference: &SecretReference| Renewal {
            store: Arc::clone(&build_context.secrets),
            reference: reference.clone(),
        };
        let earlier = previous.iter().find(|earlier| earlier.toolset == settings.toolset);
        let resources = Resources {
            earlier: earlier.and_then(|earlier| earlier.connections.clone()),
            renewal: Some(renewal(&connection.url)),
            query_renewal: toolset.database.query.as_ref().map(|query| renewal(&query.url)),
        };
        let Surroundings { network, tls, base, sealer } = surroundings;
        let surroundings = Surroundings {
            network: network.clone(),
            tls: tls.clone(),
            base: base.clone(),
            sealer: sealer.take(),
        };
        let loading = Box::pin(callgate_database::load_with(settings, surroundings, resources));
        match tokio::time::timeout(MOST_TIME, loading).await {
            Ok(loaded) => Load::Ended(loaded),
            Err(_) => Load::Unavailable(SLOW.to_owned()),
        }
    }

    fn add(self, load: Load, reader: &mut Reader, databases: &mut Databases) -> Option<()> {
        let Self { toolset, selected, around, .. } = self;
        let environment = around.build_context.environment;
        let is_asked = !matches!(load, Load::Unasked);
        let absence = if is_asked { Absence::Unavailable } else { Absence::Unasked };
        let loaded = match load {
            Load::Ended(loaded) => loaded,
            Load::Missing(MissingSecret { pointer, why })
                if environment.missing == Missing::Fault =>
            {
                reader.complain(ConfigCode::Secret, pointer, why, ADDRESS);
                return None;
            }
            Load::Unasked => unavailable(UNASKED.to_owned()),
            Load::Missing(MissingSecret { why, .. }) | Load::Unavailable(why) => unavailable(why),
        };
        let Loaded { tools: mut backends, findings, unavailable: failure, connections, .. } =
            loaded;
        reader.complaints.extend(findings.into_iter().map(|mut finding| {
            if finding.pointer.is_empty() {
                finding.pointer = format!("{}/database", toolset.pointer);
            }
            finding
        }));
        let mut opened_database = KnownDatabase::new(toolset, &selected);
        opened_database.connections = connections;
        if let Some(why) = &failure {
            if environment.missing == Missing::Fault && is_asked {
                let pointer = format!("{}/database/url", toolset.pointer);
                let (code, message, help) = DatabaseKind::Database.unreachable(why);
                reader.complain(code, pointer, message, help);
                return None;
            }
            let earlier = around.previous.iter().find(|earlier| earlier.is_as(&opened_database));
            backends = match earlier {
                Some(earlier) => earlier.backends.clone(),
                None => stand_ins(
                    &common(toolset),
                    &selected,
                    absence,
                    &wording::database::unavailable(),
                ),
            };
            opened_database.backends =
                earlier.map(|earlier| earlier.backends.clone()).unwrap_or_default();
        } else {
            opened_database.backends.clone_from(&backends);
        }
        let tools = apply_edits(reader, &common(toolset), &selected, &backends);
        let name = opened_database.toolset.clone();
        let (kind, is_required) = (DatabaseKind::Database, toolset.required);
        databases.built.push(BuiltDatabase { kind, name, is_required, is_asked, failure });
        databases.tools.extend(tools);
        databases.openings.extend(
            Some(opened_database).filter(|opened_database| !opened_database.backends.is_empty()),
        );
        Some(())
    }
}

fn unavailable(why: String) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.unavailable = Some(why);
    loaded
}

const ADDRESS: &str =
    "put the address there: `postgres://USER:PASSWORD@HOST/DATABASE` or `sqlite:FILE`";

/// The time in which a database describes its tables and its login; everything else waits as long.
const MOST_TIME: Duration = Duration::from_secs(30);

const SLOW: &str = "it did not describe its tables within 30 seconds";
