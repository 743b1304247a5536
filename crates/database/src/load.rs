//! Loads a database: connects, reads the tables, resolves the settings against them, describes the statements of the operator,
//! checks the rights of the login, and makes the tools. Faults of the settings and of the login are findings; a database
//! that is down is none.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use callgate_executor::Backend;
use callgate_session::Sealer;
use callgate_tool::Effect;
use callgate_transport::{Network, TlsSettings};

use crate::{
    catalog::Table,
    connections::Connections,
    database::Database,
    declaration::{self, Terms},
    driver::Driver,
    endpoint::Connecting,
    entity::{self, Entity},
    error::{Error, ErrorKind},
    finding::{self, ADDRESS, DatabaseFinding, TABLE, TOOL_NAME},
    login::{Needs, StatementWords},
    page::Pages,
    plan::OutputColumns,
    query,
    renewal::Renewal,
    settings::{DatabaseSettings, EntitySettings, TableName},
    statement::{self, StatementTool},
    support,
    tool::EntityTool,
};

/// The surroundings that a database is loaded in.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a load needs each of these")]
pub struct Surroundings {
    /// The way to servers: it resolves and checks their addresses.
    pub network: Network,
    /// The certificates that are trusted.
    pub tls: TlsSettings,
    /// The folder of relative files.
    pub base: PathBuf,
    /// The sealer that tokens of pages are derived from. Without one they are valid in this process only.
    pub sealer: Option<Sealer>,
}

/// The resources that a load takes over from the one before, and those with which it reads rotated passwords.
#[derive(Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a caller decides about each of these")]
pub struct Resources {
    /// The connections of the load before.
    pub earlier: Option<Connections>,
    /// The secret store that has the address.
    pub renewal: Option<Renewal>,
    /// The secret store that has the address of the login for SQL of a model.
    pub query_renewal: Option<Renewal>,
}

/// A loaded database.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The tools; none if there is an error among the findings, or if the database is unavailable.
    pub tools: Vec<Arc<dyn Backend>>,
    /// The faults of the settings and of the login.
    pub findings: Vec<DatabaseFinding>,
    /// The reason why the database cannot be reached now.
    pub unavailable: Option<String>,
    /// The open connections, for the next load.
    pub connections: Option<Connections>,
}

/// Loads a database with its tools.
pub async fn load(settings: DatabaseSettings, around: Surroundings) -> Loaded {
    load_with(settings, around, Resources::default()).await
}

/// Loads a database with its tools, over the connections of the load before if nothing about connecting changed.
pub async fn load_with(
    settings: DatabaseSettings,
    around: Surroundings,
    resources: Resources,
) -> Loaded {
    let connecting = Connecting {
        url: settings.url.clone(),
        base: around.base.clone(),
        limits: settings.limits.clone(),
        is_read_only: settings.is_read_only(),
        network: around.network.clone(),
        tls: around.tls.clone(),
    };
    let earlier =
        resources.earlier.and_then(|earlier| earlier.driver_if_same_settings(&connecting));
    let driver = match earlier {
        Some(driver) => Ok(driver),
        None => Driver::connect_with(&connecting, resources.renewal.as_ref()).await,
    };
    let driver = match driver {
        Ok(driver) => Arc::new(driver),
        Err(error) => return Loaded::from_error(&error),
    };
    let connections = Some(Connections::new(&connecting, &driver));
    let findings = support::unsupported_setting_findings(&settings, driver.engine());
    let mut loading = Loading {
        settings: &settings,
        connecting: &connecting,
        query_renewal: resources.query_renewal.as_ref(),
        driver,
        findings,
    };
    match loading.load_tools(around.sealer.as_ref()).await {
        Ok(tools) => {
            let is_refused = loading.findings.iter().any(DatabaseFinding::is_error);
            let tools = if is_refused { Vec::new() } else { tools };
            Loaded { tools, findings: loading.findings, unavailable: None, connections }
        }
        Err(error) => Loaded::from_error(&error),
    }
}

impl DatabaseSettings {
    fn is_read_only(&self) -> bool {
        let writes = self.entities.iter().flat_map(|it| &it.operations).any(|it| it.is_write());
        !writes && self.statements.iter().all(|it| it.effect == Effect::Read)
    }
}

impl Loaded {
    fn from_error(error: &Error) -> Self {
        let help = match error.kind() {
            ErrorKind::Busy | ErrorKind::Unavailable => {
                return Self { unavailable: Some(error.to_string()), ..Self::default() };
            }
            ErrorKind::Address => "correct `url`",
            ErrorKind::Feature => "build callgate with this feature",
            ErrorKind::Catalog => "report this message, with the version of the database",
            ErrorKind::Denied => {
                "correct the user and the password of `url`, or the rights of the login"
            }
            ErrorKind::Statement => "look whether this release knows the version of the database",
        };
        let finding = DatabaseFinding::error(ADDRESS, "", error.to_string(), help);
        Self { findings: vec![finding], ..Self::default() }
    }
}

struct Loading<'a> {
    settings: &'a DatabaseSettings,
    connecting: &'a Connecting,
    query_renewal: Option<&'a Renewal>,
    driver: Arc<Driver>,
    findings: Vec<DatabaseFinding>,
}

impl Loading<'_> {
    async fn load_tools(
        &mut self,
        sealer: Option<&Sealer>,
    ) -> Result<Vec<Arc<dyn Backend>>, Error> {
        let tables = self.read_tables().await?;
        let entities = self.resolve_entities(&tables);
        let statements = self.prepare_statements().await?;
        self.check_login(&entities).await?;
        self.report_denied_statements(&statements).await;
        let query = self.open_query_login(&tables).await?;
        if self.findings.iter().any(DatabaseFinding::is_error) {
            return Ok(Vec::new());
        }
        let pages = Pages::new(sealer).map_err(|error| {
            Error::new(ErrorKind::Unavailable, "tokens of pages cannot be sealed")
                .with_source(error)
        })?;
        Ok(self.backends(&entities, statements, query, pages))
    }

    /// The tool for SQL of a model, with its login of its own.
    async fn open_query_login(
        &mut self,
        tables: &BTreeMap<TableName, Arc<Table>>,
    ) -> Result<Option<query::OpenLogin>, Error> {
        let Some(query) = &self.settings.query else { return Ok(None) };
        let connecting =
            Connecting { url: query.url.clone(), is_read_only: true, ..self.connecting.clone() };
        let loading = query::Loading { settings: self.settings, query, tables };
        let loaded = Box::pin(loading.load(&connecting, self.query_renewal)).await?;
        self.findings.extend(loaded.findings);
        Ok(loaded.connected)
    }

    async fn read_tables(&mut self) -> Result<BTreeMap<TableName, Arc<Table>>, Error> {
        let names: Vec<TableName> =
            self.settings.entities.iter().map(|entity| entity.table.clone()).collect();
        let found_tables = self.driver.read_tables(&names).await?;
        let tables: BTreeMap<_, _> =
            found_tables.into_iter().map(|(name, table)| (name, Arc::new(table))).collect();
        let is_missing = |entity: &&EntitySettings| !tables.contains_key(&entity.table);
        let missing: Vec<_> = self.settings.entities.iter().filter(is_missing).collect();
        if !missing.is_empty() {
            let all = self.driver.list_tables().await?;
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            for entity in missing {
                let name = entity.table.to_string();
                let pointer = format!("{}/table", entity.pointer);
                let what = "a table or view that the login sees";
                let table_names = all.iter().map(String::as_str);
                self.findings.push(DatabaseFinding::unknown(
                    TABLE,
                    pointer,
                    what,
                    &name,
                    table_names,
                ));
            }
        }
        Ok(tables)
    }

    fn resolve_entities(&mut self, tables: &BTreeMap<TableName, Arc<Table>>) -> Vec<Arc<Entity>> {
        let context = entity::Context {
            engine: self.driver.engine(),
            entities: &self.settings.entities,
            tables,
        };
        let mut entities = Vec::new();
        for settings in &self.settings.entities {
            if let Some(table) = tables.get(&settings.table) {
                let (entity, findings) = entity::resolve(settings, table, context);
                self.findings.extend(findings);
                entities.push(Arc::new(entity));
            }
        }
        entities
    }

    async fn prepare_statements(&mut self) -> Result<Vec<statement::DescribedStatement>, Error> {
        let mut prepared = Vec::new();
        for settings in &self.settings.statements {
            match statement::prepare(settings, &self.driver, &self.settings.limits).await {
                Ok(statement) => prepared.push(statement),
                Err(statement::Refusal::Findings(findings)) => self.findings.extend(findings),
                Err(statement::Refusal::Error(error)) if error.kind() == ErrorKind::Statement => {
                    self.findings.push(statement::unprepared_finding(settings, &error));
                }
                Err(statement::Refusal::Error(error)) => return Err(error),
            }
        }
        Ok(prepared)
    }

    /// Reports the statements that the login may not run, unless what it lacks is reported already.
    async fn report_denied_statements(&mut self, statements: &[statement::DescribedStatement]) {
        if self.findings.iter().any(DatabaseFinding::is_error) {
            return;
        }
        for statement in statements {
            let denial = statement::denial_finding(statement, self.settings, &self.driver);
            self.findings.extend(Box::pin(denial).await);
        }
    }

    async fn check_login(&mut self, entities: &[Arc<Entity>]) -> Result<(), Error> {
        let settings = self.settings;
        let own_writes = settings.statements.iter().filter(|it| it.effect != Effect::Read);
        let mut needs = Needs {
            roles: settings.role.iter().flat_map(|rule| rule.allow.iter().cloned()).collect(),
            allowed: settings.allowed_rights.iter().cloned().collect(),
            own_writes: own_writes.map(|it| StatementWords::new(&it.sql)).collect(),
            ..Needs::default()
        };
        for entity in entities {
            entity.add_needs(&mut needs);
        }
        let login_findings = self.driver.check_login(&needs).await?;
        self.findings.extend(login_findings.into_iter().map(finding::of_login));
        Ok(())
    }

    fn backends(
        &mut self,
        entities: &[Arc<Entity>],
        statements: Vec<statement::DescribedStatement>,
        query: Option<query::OpenLogin>,
        pages: Pages,
    ) -> Vec<Arc<dyn Backend>> {
        let settings = self.settings;
        let database = Arc::new(Database {
            engine: self.driver.engine(),
            driver: Arc::clone(&self.driver),
            toolset: settings.toolset.clone(),
            limits: settings.limits.clone(),
            identity: settings.identity.clone(),
            role: settings.role.clone(),
            pages: Arc::new(pages),
        });
        let terms = Terms {
            engine: database.engine,
            prefix: settings.prefix.as_ref(),
            limits: &settings.limits,
        };
        let mut tools: Vec<(String, Arc<dyn Backend>)> = Vec::new();
        for entity in entities {
            for operation in entity::offered_operations(entity) {
                match declaration::tool(entity, operation, terms) {
                    Ok(tool) => tools.push((
                        entity.pointer.clone(),
                        Arc::new(EntityTool {
                            tool,
                            entity: Arc::clone(entity),
                            operation,
                            outputs: OutputColumns::new(entity, operation, &database),
                            database: Arc::clone(&database),
                        }),
                    )),
                    Err(error) => self.report_illegal_tool_name(&entity.pointer, &error),
                }
            }
        }
        for statement in statements {
            let pointer = statement.pointer.clone();
            match StatementTool::new(statement, terms, &database) {
                Ok(tool) => tools.push((pointer, Arc::new(tool))),
                Err(error) => self.report_illegal_tool_name(&pointer, &error),
            }
        }
        if let Some(query) = query {
            let pointer = query.pointer.clone();
            match query.tool(terms, &database) {
                Ok(tool) => tools.push((pointer, Arc::new(tool))),
                Err(error) => self.report_illegal_tool_name(&pointer, &error),
            }
        }
        self.uniquely_named_tools(tools)
    }

    fn report_illegal_tool_name(&mut self, pointer: &str, error: &callgate_tool::InvalidName) {
        let help = "choose a shorter name of letters, digits and `_`";
        self.findings.push(DatabaseFinding::error(TOOL_NAME, pointer, error.to_string(), help));
    }

    /// The tools, if no two have one name.
    fn uniquely_named_tools(
        &mut self,
        tools: Vec<(String, Arc<dyn Backend>)>,
    ) -> Vec<Arc<dyn Backend>> {
        let mut names = BTreeSet::new();
        let mut unique = Vec::new();
        for (pointer, tool) in tools {
            if names.insert(tool.name().clone()) {
                unique.push(tool);
            } else {
                let message = format!("expected one tool of each name, got two: `{}`", tool.name());
                let help = "give the entity or the statement another name";
                self.findings.push(DatabaseFinding::error(TOOL_NAME, pointer, message, help));
            }
        }
        unique
    }
}
