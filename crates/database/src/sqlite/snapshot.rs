//! The state of a file as the load of a toolset read it, and the check that it still holds: a call on a table that changed since ends.

use std::{collections::BTreeMap, sync::Arc};

use super::{catalog, connection::Session, describe, rights::Rights};
use crate::{
    catalog::Table, description::StatementDescription, settings::TableName, transaction::Failure,
};

/// The tables, statements and rights of the load.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    tables: Arc<BTreeMap<TableName, Table>>,
    statements: Arc<Vec<(Arc<str>, StatementDescription)>>,
    digest: Option<[u8; 32]>,
    granted: Option<Rights>,
    described: Rights,
    /// The rights of all, made when they are first asked for.
    rights: Option<Arc<Rights>>,
}

/// The state that a session compares with the file.
#[derive(Clone)]
pub(super) struct ExpectedSchema {
    tables: Arc<BTreeMap<TableName, Table>>,
    statements: Arc<Vec<(Arc<str>, StatementDescription)>>,
    digest: Option<[u8; 32]>,
    pub(super) rights: Arc<Rights>,
}

impl Snapshot {
    pub(super) fn add_tables(&mut self, tables: &BTreeMap<TableName, Table>, digest: [u8; 32]) {
        let is_first = self.tables.is_empty() && self.statements.is_empty();
        // Tables of two versions of the schema: only a comparison of each can tell.
        self.digest = (is_first || self.digest == Some(digest)).then_some(digest);
        Arc::make_mut(&mut self.tables).extend(tables.clone());
    }

    pub(super) fn add_statement(
        &mut self,
        text: Arc<str>,
        described: StatementDescription,
        touched: &Rights,
    ) {
        Arc::make_mut(&mut self.statements).push((text, described));
        self.described.add_all(touched);
        self.rights = None;
    }

    pub(super) fn set_rights(&mut self, rights: Rights) {
        self.granted = Some(rights);
        self.rights = None;
    }

    /// The rights that [`Self::set_rights`] gave, with those of the operator's statements; none before.
    pub(super) fn combined_rights(&mut self) -> Arc<Rights> {
        Arc::clone(self.rights.get_or_insert_with(|| {
            let mut rights = self.granted.clone().unwrap_or_default();
            if !rights.is_for_query() {
                rights.add_all(&self.described);
            }
            Arc::new(rights)
        }))
    }

    pub(super) fn is_for_query(&self) -> bool {
        self.granted.as_ref().is_some_and(Rights::is_for_query)
    }

    pub(super) fn expected_schema(&mut self) -> ExpectedSchema {
        ExpectedSchema {
            rights: self.combined_rights(),
            tables: Arc::clone(&self.tables),
            statements: Arc::clone(&self.statements),
            digest: self.digest,
        }
    }
}

impl ExpectedSchema {
    /// Compares the schema of a transaction that has begun with that of the load.
    pub(super) fn verify(&self, session: &mut Session) -> Result<(), Failure> {
        let version = session.schema_version()?;
        if session.verified_schema_version() == Some(version) {
            return Ok(());
        }
        if self.digest != Some(session.schema_digest()?) {
            self.check_same_schema(session)?;
        }
        session.set_verified_schema_version(version);
        Ok(())
    }

    fn check_same_schema(&self, session: &mut Session) -> Result<(), Failure> {
        if self.rights.is_for_query()
            && session
                .run_as_driver(|connection| self.rights.has_changed_table_names(connection))?
        {
            return Err(Failure::Stale);
        }
        let names: Vec<_> = self.tables.keys().cloned().collect();
        let tables =
            session.read_catalog_uncached(|connection| catalog::read_tables(connection, &names))?;
        let is_same = self.tables.iter().all(|(name, loaded)| {
            tables.get(name).is_some_and(|table| is_equivalent_table(loaded, table))
        });
        if !is_same {
            return Err(Failure::Stale);
        }
        for (text, loaded) in &*self.statements {
            let described = session.run_within_rights(&self.rights, text, |connection| {
                describe::statement_description(connection, text).map_err(|_| Failure::Stale)
            })?;
            if described != *loaded {
                return Err(Failure::Stale);
            }
        }
        Ok(())
    }
}

/// True if statements on the loaded table mean the same on the other; an index may come and go.
fn is_equivalent_table(loaded: &Table, other: &Table) -> bool {
    loaded.kind == other.kind
        && loaded.columns == other.columns
        && loaded.key == other.key
        && loaded.foreign_keys == other.foreign_keys
        && loaded.unique.iter().all(|columns| other.unique.contains(columns))
}
