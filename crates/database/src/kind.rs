//! Databases as a kind of toolset: the way from its keys to opened tools.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_kind::{
    Absence, Beside, CommonSettings, GivenLimits, Kept, KindCode, KindKeys, KindSettings, Missing,
    NamedTool, Opened, SELECTION_BY_NAME, Surroundings, ToolsetKind, are_equal_settings,
    message_with_root_cause,
};
use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_settings::{Mapping, Reader, Section as _, pointer_segment};
use callgate_tool::{Effect, Fault, SessionSource, StatementInput};
use callgate_tree::SettingFinding;
use tokio::time::timeout;

use crate::{
    connections::Connections,
    finding::DatabaseCode,
    keys::{DatabaseLogin, LimitKeys, QueryAccess, ToolsetKeys},
    load::{self, Loaded, Resources, load_with},
    renewal::Renewal,
    settings::{
        DatabaseLimits, DatabaseSettings, EntitySettings, QuerySettings, StatementSettings,
    },
};

/// SQL databases: the keys `database`, `entities`, `statements` and `query`.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseKind;

const KEY: &str = "database";

impl ToolsetKind for DatabaseKind {
    fn key(&self) -> &'static str {
        KEY
    }

    fn example_setting(&self) -> &'static str {
        "database: {url: env:NAME}"
    }

    fn keys(&self) -> KindKeys {
        KindKeys { toolset: ToolsetKeys::KEYS, limits: LimitKeys::KEYS, root: &[] }
    }

    fn common_keys(&self) -> Beside {
        Beside {
            keys: &["confirm", "functions", "limits", "prefix", "required", "tls", "tools"],
            limits: Some(&["breaker", "concurrency", "rate", "result_bytes", "timeout"]),
            tools: Some(SELECTION_BY_NAME),
        }
    }

    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)> {
        DatabaseCode::ALL.iter().map(|code| (code.as_str(), code.explanation())).collect()
    }

    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        _: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>> {
        let mut keys = ToolsetKeys::default();
        ToolsetKeys::fill(&mut keys, reader, toolset);
        let (entities, statements) = (keys.entities.unwrap_or_default(), keys.statements);
        Some(Arc::new(SourceSettings {
            login: keys.database?,
            entities,
            statements: statements.unwrap_or_default(),
            query: keys.query,
            limits: DatabaseLimits::default(),
            has_certificates: toolset.object.contains("tls"),
        }))
    }
}

/// The settings of a database, without those that it shares with other kinds and without the secrets behind its addresses.
#[derive(Clone, Debug, PartialEq)]
struct SourceSettings {
    login: DatabaseLogin,
    entities: Vec<EntitySettings>,
    statements: Vec<StatementSettings>,
    query: Option<QueryAccess>,
    limits: DatabaseLimits,
    /// True if the toolset names certificates of its own.
    has_certificates: bool,
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
        given: GivenLimits,
    ) -> Arc<dyn KindSettings> {
        let mut settings = self.clone();
        if let Some(limits) = limits {
            LimitKeys::fill(&mut settings.limits, reader, limits);
        }
        let DatabaseLimits { timeout, result_bytes, .. } = &mut settings.limits;
        *timeout = given.timeout.unwrap_or(*timeout);
        *result_bytes = given.result_bytes.unwrap_or(*result_bytes);
        Arc::new(settings)
    }

    fn tools(&self, pointer: &str) -> Vec<NamedTool> {
        let entities = self.entities.iter().flat_map(|entity| {
            entity.operations.iter().map(|operation| NamedTool {
                short: format!("{}-{}", entity.name, operation.as_str()),
                effect: operation.effect(),
                pointer: entity.pointer.clone(),
            })
        });
        let statements = self.statements.iter().map(|statement| NamedTool {
            short: statement.name.clone(),
            effect: statement.effect,
            pointer: statement.pointer.clone(),
        });
        // Nothing says that a text of a model reads the same again.
        let query = self.query.iter().map(|_| NamedTool {
            short: QUERY.to_owned(),
            effect: Effect::Write,
            pointer: format!("{pointer}/{QUERY}"),
        });
        entities.chain(statements).chain(query).collect()
    }

    fn unavailable_fault(&self) -> Box<Fault> {
        wording::database::unavailable()
    }

    fn unreachable_finding(&self, why: &str) -> Option<SettingFinding> {
        let message = format!("expected a database that answers, got none: {why}");
        let help = "see that the database runs there and takes the login, or correct the address";
        let code = DatabaseCode::Unreachable.as_str();
        Some(SettingFinding::error(code, "/database/url", message, help))
    }

    fn is_same(&self, other: &dyn KindSettings) -> bool {
        are_equal_settings(self, other)
    }

    fn session_sources(&self, pointer: &str) -> Vec<(String, SessionSource)> {
        let DatabaseLogin { identity, role, .. } = &self.login;
        let identity = identity.iter().map(|(name, source)| {
            (format!("{pointer}/database/identity/{}", pointer_segment(name)), source)
        });
        let role = role.iter().map(|role| (format!("{pointer}/database/role/from"), &role.from));
        let rows = self.entities.iter().flat_map(|EntitySettings { pointer, rows, .. }| {
            let at = move |name: &str| format!("{pointer}/rows/{}", pointer_segment(name));
            rows.iter().map(move |(name, source)| (at(name), source))
        });
        let inputs =
            self.statements.iter().flat_map(|StatementSettings { pointer, inputs, .. }| {
                let at = move |name: &str| format!("{pointer}/inputs/{}", pointer_segment(name));
                inputs.iter().filter_map(move |(name, input)| match input {
                    StatementInput::Model(_) => None,
                    StatementInput::Session(source) => Some((at(name), source)),
                })
            });
        let sources = identity.chain(role).chain(rows).chain(inputs);
        sources.map(|(pointer, source)| (pointer, source.clone())).collect()
    }

    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened {
        let shared = around.shared;
        let is_file = self.login.is_file && self.query.is_none();
        let may_read_file = is_file && shared.effects.fetching_permission().is_some();
        if !may_read_file && shared.effects.asking_permission().is_none() {
            return Opened::absent(Absence::Unasked);
        }
        let settings = match self.resolve_settings(toolset, selected, &*shared.secrets).await {
            Ok(settings) => settings,
            Err(MissingSecret { pointer, why }) if shared.missing == Missing::Fault => {
                let code = KindCode::Secret.as_str();
                let finding = SettingFinding::error(code, pointer, why, ADDRESS);
                return Opened::with_faults(vec![finding]);
            }
            Err(MissingSecret { why, .. }) => return Opened::unavailable(why),
        };
        let renewal = |reference: &SecretReference| Renewal {
            store: Arc::clone(&shared.secrets),
            reference: reference.clone(),
        };
        let resources = Resources {
            earlier: around.earlier.and_then(Kept::get::<Connections>).cloned(),
            renewal: Some(renewal(&self.login.url)),
            query_renewal: self.query.as_ref().map(|query| renewal(&query.url)),
        };
        let surroundings = load::Surroundings {
            network: shared.network.clone(),
            tls: around.ways.tls.clone(),
            base: shared.base.to_owned(),
            sealer: shared.state.as_ref().and_then(|state| state.sealer(PAGES)),
        };
        let loading = Box::pin(load_with(settings, surroundings, resources));
        match timeout(MOST_TIME, loading).await {
            Ok(loaded) => {
                let has_unused = self.has_certificates
                    && loaded.connections.as_ref().is_some_and(Connections::is_file_database);
                let mut opened = opened_database(loaded, toolset);
                opened.findings.extend(has_unused.then(|| unused_tls_finding(toolset.pointer)));
                opened
            }
            Err(_) => Opened::unavailable(SLOW),
        }
    }
}

/// An opened database; findings without a place are about its login.
fn opened_database(loaded: Loaded, toolset: &CommonSettings<'_>) -> Opened {
    let Loaded { tools, mut findings, unavailable, connections } = loaded;
    for finding in findings.iter_mut().filter(|finding| finding.pointer.is_empty()) {
        finding.pointer = format!("{}/{KEY}", toolset.pointer);
    }
    let tools = unavailable.map_or(Ok(tools), |why| Err(Absence::Unavailable(why)));
    let kept = connections.map(Kept::new);
    Opened { tools, findings, kept, ..Opened::with_tools(Vec::new()) }
}

/// The finding about certificates for a file.
fn unused_tls_finding(pointer: &str) -> SettingFinding {
    let message = "expected no `tls`, since nothing is connected to for a file of SQLite, got one";
    SettingFinding::error(
        DatabaseCode::Entity.as_str(),
        format!("{pointer}/tls"),
        message,
        "remove it",
    )
}

/// A secret that cannot be read: the key that names it, and the reason.
#[derive(Clone, Debug)]
struct MissingSecret {
    pointer: String,
    why: String,
}

impl SourceSettings {
    /// The settings of the database with these tools.
    async fn resolve_settings(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        secrets: &dyn SecretStore,
    ) -> Result<DatabaseSettings, MissingSecret> {
        let is_selected = |short: &str, pointer: &str| {
            selected.iter().any(|tool| tool.short == short && tool.pointer == pointer)
        };
        let pointer = format!("{}/{KEY}/url", toolset.pointer);
        let url = fetch_secret(&self.login.url, pointer, secrets).await?;
        let pointer = format!("{}/{QUERY}", toolset.pointer);
        let query = match self.query.as_ref().filter(|_| is_selected(QUERY, &pointer)) {
            Some(QueryAccess { url, tables, functions }) => {
                let url = fetch_secret(url, format!("{pointer}/url"), secrets).await?;
                let (tables, functions) = (tables.clone(), functions.clone());
                Some(QuerySettings { pointer, url, tables, functions })
            }
            None => None,
        };
        // An entity without a tool still has rows that other tables refer to.
        let mut entities = self.entities.clone();
        for EntitySettings { name, pointer, operations, .. } in &mut entities {
            let short = |operation: &str| format!("{name}-{operation}");
            operations.retain(|operation| is_selected(&short(operation.as_str()), &*pointer));
        }
        let mut statements = self.statements.clone();
        statements.retain(|statement| is_selected(&statement.name, &statement.pointer));
        let DatabaseLogin { identity, role, allowed_rights, .. } = self.login.clone();
        let (toolset, prefix) = (toolset.name.clone(), toolset.prefix.cloned());
        let limits = self.limits.clone();
        Ok(DatabaseSettings {
            toolset,
            prefix,
            url,
            identity,
            role,
            allowed_rights,
            entities,
            statements,
            query,
            limits,
        })
    }
}

async fn fetch_secret(
    reference: &SecretReference,
    pointer: String,
    secrets: &dyn SecretStore,
) -> Result<Secret, MissingSecret> {
    let why = match timeout(MOST_SECRET_TIME, secrets.get(reference)).await {
        Ok(Ok(secret)) => return Ok(secret),
        Ok(Err(error)) => message_with_root_cause(&error),
        Err(_) => "the secret store does not answer".to_owned(),
    };
    Err(MissingSecret { pointer, why })
}

const QUERY: &str = "query";

/// The purpose of the keys that seal the tokens of pages.
const PAGES: &str = "pages of databases";

const ADDRESS: &str =
    "put the address there: `postgres://USER:PASSWORD@HOST/DATABASE` or `sqlite:FILE`";

/// The time of a store; a slower one counts as unavailable.
const MOST_SECRET_TIME: Duration = Duration::from_secs(5);

/// The time in which a database describes its tables and its login; everything else waits as long.
const MOST_TIME: Duration = Duration::from_secs(30);

const SLOW: &str = "it did not describe its tables within 30 seconds";
