//! The kinds of databases: what each can do ([`Ability`]) and is ([`EngineFacts`]), and its SQL ([`SqlDialect`]), each in a file of its own. The drivers
//! send the statements that `sql` writes by them.

mod ability;
mod dialect;
mod mysql;
mod postgres;
mod sqlite;

pub(crate) use self::{
    ability::Ability,
    dialect::{
        DayTimes, EngineFacts, Escapes, LexicalRules, MomentForm, PatternSigns, PlanReader,
        SqlDialect, TableSizes,
    },
};
use crate::catalog::ColumnKind;

/// A kind of database.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Engine {
    Mysql,
    Postgres,
    Sqlite,
}

impl Engine {
    const ALL: [Self; 3] = [Self::Mysql, Self::Postgres, Self::Sqlite];

    /// True if the engine can do this.
    pub(crate) fn has(self, ability: Ability) -> bool {
        self.facts().abilities.contains(&ability)
    }

    /// The fixed facts about the engine.
    pub(crate) fn facts(self) -> &'static EngineFacts {
        match self {
            Self::Mysql => &mysql::FACTS,
            Self::Postgres => &postgres::FACTS,
            Self::Sqlite => &sqlite::FACTS,
        }
    }

    /// The SQL of the engine.
    pub(crate) fn sql(self) -> &'static dyn SqlDialect {
        match self {
            Self::Mysql => &mysql::Mysql,
            Self::Postgres => &postgres::Postgres,
            Self::Sqlite => &sqlite::Sqlite,
        }
    }

    /// An identifier as a statement names it, whatever it consists of.
    pub(crate) fn quote(self, name: &str) -> String {
        let mark = self.facts().quotation_mark;
        // A statement has many names, and hardly any has a mark in it.
        if name.contains(mark) {
            return format!("{mark}{}{mark}", name.replace(mark, &mark.repeat(2)));
        }
        [mark, name, mark].concat()
    }

    /// Columns as a statement lists them: `("no", "total")`.
    pub(crate) fn column_list<'a>(self, columns: impl IntoIterator<Item = &'a String>) -> String {
        let columns: Vec<_> = columns.into_iter().map(|column| self.quote(column)).collect();
        format!("({})", columns.join(", "))
    }

    /// True if the text of a value of a column stands for exactly this value, so that a page can begin behind it.
    pub(crate) fn has_exact_text(self, kind: &ColumnKind) -> bool {
        match kind {
            ColumnKind::Any
            | ColumnKind::Array(_)
            | ColumnKind::Bytes
            | ColumnKind::Json
            | ColumnKind::Literal
            | ColumnKind::Other => false,
            // SQLite keeps both as floating-point numbers, which it does not read from their digits exactly.
            ColumnKind::Float | ColumnKind::Numeric { .. } => self.facts().decimal_digits.is_none(),
            ColumnKind::Boolean
            | ColumnKind::Date
            | ColumnKind::Enumeration(_)
            | ColumnKind::Flag { .. }
            | ColumnKind::Integer { .. }
            | ColumnKind::Text { .. }
            | ColumnKind::Time { .. }
            | ColumnKind::Timestamp { .. }
            | ColumnKind::Uuid => true,
        }
    }

    /// The engine that an address names by its scheme.
    pub(crate) fn of_address(address: &str) -> Option<Self> {
        let (scheme, _) = address.split_once(':')?;
        let has_scheme = |engine: &Self| {
            engine.facts().schemes.iter().any(|own| own.eq_ignore_ascii_case(scheme))
        };
        Self::ALL.into_iter().find(has_scheme)
    }
}
