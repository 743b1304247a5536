//! Connects to the databases of a configuration, one after another, and makes their tools.

mod settings;

use std::{sync::Arc, time::Duration};

use callgate_database::{DatabaseFinding, DatabaseSettings, Loaded, Surroundings};
use callgate_executor::Backend;

use self::settings::MissingSecret;
use super::{
    Around, BuiltDatabase, Databases, KnownDatabase, UNREACHABLE_DATABASE, unreachable_database,
};
use crate::{
    build::{
        context::BuildContext,
        own_tools::{self, edits, selection},
    },
    code::ConfigCode,
    config::Config,
    database::ConnectionConfig,
    environment::Missing,
    reader::{Complaint, Reader},
    toolset::ToolsetConfig,
};

/// The databases of all toolsets, with the findings about their logins.
pub(in crate::build) async fn all(
    reader: &mut Reader,
    config: &Config,
    around: Around<'_>,
) -> Databases {
    let mut databases = Databases::default();
    for (toolset, tls) in config.toolsets.iter().zip(around.tls) {
        let Some(connection) = &toolset.database.connection else { continue };
        let surroundings = Surroundings {
            network: around.connections.network.clone(),
            tls: tls.clone(),
            base: around.build_context.base.to_owned(),
            sealer: around.state.and_then(|state| state.sealer(PAGES)),
        };
        let opening = Opening { toolset, connection, surroundings, around };
        opening.open(reader, &mut databases).await;
    }
    databases
}

/// The purpose of the keys that seal the tokens of pages.
const PAGES: &str = "pages of databases";

/// The database of one toolset, before it is loaded.
struct Opening<'a> {
    toolset: &'a ToolsetConfig,
    connection: &'a ConnectionConfig,
    surroundings: Surroundings,
    around: Around<'a>,
}

impl Opening<'_> {
    async fn open(self, reader: &mut Reader, databases: &mut Databases) -> Option<()> {
        let Self { toolset, connection, surroundings, around } = self;
        let Around { build_context, previous, .. } = around;
        let BuildContext { environment, .. } = build_context;
        let selected = selection::selected(reader, toolset);
        let made = if environment.has_no_databases {
            Made { backends: Vec::new(), failure: Some("it is not asked".to_owned()) }
        } else {
            match settings::of_toolset(toolset, connection, &selected, build_context).await {
                Ok(settings) => loaded(reader, toolset, settings, surroundings).await,
                Err(MissingSecret { pointer, why }) if environment.missing == Missing::Fault => {
                    reader.complain(ConfigCode::Secret, pointer, why, ADDRESS);
                    return None;
                }
                Err(MissingSecret { why, .. }) => Made { backends: Vec::new(), failure: Some(why) },
            }
        };
        let Made { mut backends, failure } = made;
        let mut known = KnownDatabase::new(toolset, &selected);
        if let Some(why) = &failure {
            if environment.missing == Missing::Fault && !environment.has_no_databases {
                let pointer = format!("{}/database/url", toolset.pointer);
                let (code, message) = (ConfigCode::UnreachableDatabase, unreachable_database(why));
                reader.complain(code, pointer, message, UNREACHABLE_DATABASE);
                return None;
            }
            let earlier = previous.iter().find(|earlier| earlier.is_as(&known));
            backends = match earlier {
                Some(earlier) => earlier.backends.clone(),
                None => own_tools::stand_ins(toolset, &selected),
            };
            known.backends = earlier.map(|earlier| earlier.backends.clone()).unwrap_or_default();
        } else {
            known.backends.clone_from(&backends);
        }
        let tools = edits::applied(reader, toolset, &selected, &backends);
        let name = known.toolset.clone();
        databases.built.push(BuiltDatabase { name, is_required: toolset.required, failure });
        databases.tools.extend(tools);
        databases.known.extend(Some(known).filter(|known| !known.backends.is_empty()));
        Some(())
    }
}

const ADDRESS: &str =
    "put the address there: `postgres://USER:PASSWORD@HOST/DATABASE` or `sqlite:FILE`";

/// The tools of a database, or the reason why it cannot be reached.
struct Made {
    backends: Vec<Arc<dyn Backend>>,
    failure: Option<String>,
}

/// Loads a database, and reports what is wrong with its login and its settings.
async fn loaded(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    settings: DatabaseSettings,
    surroundings: Surroundings,
) -> Made {
    let loading = Box::pin(callgate_database::load(settings, surroundings));
    let Ok(loaded) = tokio::time::timeout(MOST_TIME, loading).await else {
        return Made { backends: Vec::new(), failure: Some(SLOW.to_owned()) };
    };
    let Loaded { tools, findings, unavailable, .. } = loaded;
    for finding in findings {
        complain(reader, toolset, finding);
    }
    Made { backends: tools, failure: unavailable }
}

/// The time in which a database describes its tables and its login; everything else waits as long.
const MOST_TIME: Duration = Duration::from_secs(30);

const SLOW: &str = "it did not describe its tables within 30 seconds";

/// Records a finding of the database at its place in the configuration.
fn complain(reader: &mut Reader, toolset: &ToolsetConfig, finding: DatabaseFinding) {
    let DatabaseFinding { severity, code, pointer, message, help, .. } = finding;
    let pointer =
        if pointer.is_empty() { format!("{}/database", toolset.pointer) } else { pointer };
    reader.complaints.push(Complaint { severity, code, pointer, message, help, remedy: None });
}
