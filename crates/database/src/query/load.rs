//! Opens the login for SQL of a model, and finds whatever it reaches beyond the listed tables and columns.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_tool::{InvalidName, pointer_segment};

use super::{
    QueryTool,
    description::{self, Readable},
};
use crate::{
    catalog::{Column, Table},
    database::Database,
    declaration::Terms,
    driver::Driver,
    endpoint::Connecting,
    error::{Error, ErrorKind},
    finding::{self, ADDRESS, COLUMN, DatabaseFinding, ENTITY, TABLE},
    login::{Needs, TableNeeds},
    renewal::Renewal,
    settings::{DatabaseSettings, QueryFunctions, QuerySettings, TableName},
};

/// The settings of the tool, beside those of the toolset.
pub(crate) struct Loading<'a> {
    pub(crate) settings: &'a DatabaseSettings,
    pub(crate) query: &'a QuerySettings,
    /// The tables of the entities.
    pub(crate) tables: &'a BTreeMap<TableName, Arc<Table>>,
}

/// The findings about the login, and the connections if there is one.
#[derive(Debug, Default)]
pub(crate) struct LoadedLogin {
    pub(crate) findings: Vec<DatabaseFinding>,
    pub(crate) connected: Option<OpenLogin>,
}

/// The login of the tool, open.
#[derive(Debug)]
pub(crate) struct OpenLogin {
    pub(crate) pointer: String,
    driver: Driver,
    readable: Vec<Readable>,
}

impl OpenLogin {
    /// The tool, which shares all but the connections and the role with the other tools.
    pub(crate) fn tool(
        self,
        terms: Terms<'_>,
        database: &Database,
    ) -> Result<QueryTool, InvalidName> {
        let tool = description::tool(&self.readable, terms)?;
        let database = Database {
            driver: Arc::new(self.driver),
            engine: database.engine,
            toolset: database.toolset.clone(),
            limits: database.limits.clone(),
            identity: database.identity.clone(),
            role: None,
            pages: database.pages.clone(),
        };
        let names = self.readable.into_iter().flat_map(|Readable { table, columns }| {
            let own = table.rsplit('.').next().map(str::to_owned);
            let columns = columns.into_iter().map(|column| column.name);
            own.into_iter().chain([table]).chain(columns)
        });
        let names = names.collect();
        Ok(QueryTool { tool, database: Arc::new(database), names })
    }
}

impl Loading<'_> {
    pub(crate) async fn load(
        &self,
        connecting: &Connecting,
        renewal: Option<&Renewal>,
    ) -> Result<LoadedLogin, Error> {
        let pointer = self.query.pointer.as_str();
        let driver = match Driver::connect_with(connecting, renewal).await {
            Ok(driver) => driver,
            Err(error) if matches!(error.kind(), ErrorKind::Busy | ErrorKind::Unavailable) => {
                return Err(error);
            }
            Err(error) => {
                let help = "correct `url`: it has a login of its own, which reads the listed columns alone";
                let at = format!("{pointer}/url");
                let finding = DatabaseFinding::error(ADDRESS, at, error.to_string(), help);
                return Ok(LoadedLogin { findings: vec![finding], connected: None });
            }
        };
        let names: Vec<TableName> =
            self.query.tables.iter().map(|(name, _)| name.clone()).collect();
        let found_tables = driver.read_tables(&names).await?;
        let mut findings = Vec::new();
        let mut needs = self.needs();
        let mut readable = Vec::new();
        for (name, columns) in &self.query.tables {
            let at = format!("{pointer}/tables/{}", pointer_segment(&name.to_string()));
            let Some(table) = found_tables.get(name) else {
                let message =
                    format!("expected a table or view that the login sees, got: `{name}`");
                let help = "correct the name, or grant the login USAGE on its schema";
                findings.push(DatabaseFinding::error(TABLE, at, message, help));
                continue;
            };
            if needs.withheld.contains(&table.name) {
                findings.push(withheld_table_finding(at, name));
                continue;
            }
            let is_listed = self.query.functions == QueryFunctions::Listed;
            if is_listed && needs.tables.keys().any(|other| other.name == table.name.name) {
                let message = format!(
                    "expected tables of different names with `functions: listed`, got a second: `{name}`"
                );
                let help = "offer a view of another name in place of one of them";
                findings.push(DatabaseFinding::error(ENTITY, at, message, help));
                continue;
            }
            let columns = readable_columns(table, columns, &at, &mut findings);
            if is_listed {
                let names = columns.iter().map(|column| column.name.clone());
                needs.offered.push((table.name.clone(), names.collect()));
            }
            let selects: BTreeSet<String> = columns.iter().map(|it| it.name.clone()).collect();
            needs
                .tables
                .insert(table.name.clone(), TableNeeds { selects, ..TableNeeds::default() });
            readable.push(Readable { table: name.to_string(), columns });
        }
        if findings.is_empty() {
            let of_login = driver.check_login(&needs).await?.into_iter();
            findings.extend(of_login.map(|it| finding::of_query_login(it, pointer)));
        }
        let connected = OpenLogin { pointer: pointer.to_owned(), driver, readable };
        Ok(LoadedLogin { findings, connected: Some(connected) })
    }

    fn needs(&self) -> Needs {
        let functions = match &self.query.functions {
            QueryFunctions::Granted(names) => names.as_slice(),
            QueryFunctions::Listed => &[],
        };
        let functions = functions.iter().map(|name| format!("execute:{name}"));
        let has_role = self.settings.role.is_some();
        let entities = self.settings.entities.iter();
        let of_session = entities.filter(|it| has_role || !it.rows.is_empty());
        let withheld = of_session.filter_map(|it| self.tables.get(&it.table));
        Needs {
            allowed: functions.chain(self.settings.allowed_rights.iter().cloned()).collect(),
            is_for_query: true,
            withheld: withheld.map(|table| table.name.clone()).collect(),
            ..Needs::default()
        }
    }
}

/// The columns of a table that a text may read.
fn readable_columns(
    table: &Table,
    names: &[String],
    at: &str,
    findings: &mut Vec<DatabaseFinding>,
) -> Vec<Column> {
    if names.is_empty() {
        let message = "expected the columns that may be read, got none".to_owned();
        let help = "name them: `[no, total]`";
        findings.push(DatabaseFinding::error(COLUMN, at, message, help));
    }
    let mut columns = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if let Some(column) = table.column(name) {
            columns.push(column.clone());
            continue;
        }
        let column_names = table.columns.iter().map(|column| column.name.as_str());
        let at = format!("{at}/{index}");
        findings.push(DatabaseFinding::unknown(
            COLUMN,
            at,
            "a column of the table",
            name,
            column_names,
        ));
    }
    columns
}

/// A text of a model would read the rows of everybody.
fn withheld_table_finding(at: String, name: &TableName) -> DatabaseFinding {
    let message = format!(
        "expected tables whose rows no session decides, got one that an entity offers with `rows` or `role`: `{name}`"
    );
    let help = "leave it out of `query`, whose texts see all rows";
    DatabaseFinding::error(ENTITY, at, message, help)
}
