//! The kinds of databases, and how each writes identifiers and placeholders. `sql` writes statements with them; the drivers
//! send those.

/// A kind of database.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Engine {
    Mysql,
    Postgres,
    Sqlite,
}

impl Engine {
    /// An identifier as a statement names it, whatever it consists of.
    ///
    /// SQLite reads a name in double quotes that no column has as a text, but never one in backticks.
    pub(crate) fn quote(self, name: &str) -> String {
        let mark = match self {
            Self::Postgres => "\"",
            Self::Mysql | Self::Sqlite => "`",
        };
        format!("{mark}{}{mark}", name.replace(mark, &mark.repeat(2)))
    }

    /// Columns as a statement lists them: `("no", "total")`.
    pub(crate) fn column_list<'a>(self, columns: impl IntoIterator<Item = &'a String>) -> String {
        let columns: Vec<_> = columns.into_iter().map(|column| self.quote(column)).collect();
        format!("({})", columns.join(", "))
    }

    /// The placeholder of the value at this index, counted from 1.
    pub(crate) fn placeholder(self, index: usize) -> String {
        match self {
            Self::Mysql => "?".to_owned(),
            Self::Postgres => format!("${index}"),
            Self::Sqlite => format!("?{index}"),
        }
    }

    /// True if a change can return the rows that it changed.
    pub(crate) fn has_returning(self) -> bool {
        // MariaDB returns rows of some changes, MySQL of none.
        self != Self::Mysql
    }

    /// True if nulls come before other values in ascending order.
    pub(crate) fn sorts_nulls_first(self) -> bool {
        self != Self::Postgres
    }

    /// The engine that an address names by its scheme.
    pub(crate) fn of_address(address: &str) -> Option<Self> {
        let (scheme, _) = address.split_once(':')?;
        match scheme.to_ascii_lowercase().as_str() {
            "mariadb" | "mysql" => Some(Self::Mysql),
            "postgres" | "postgresql" => Some(Self::Postgres),
            "sqlite" => Some(Self::Sqlite),
            _ => None,
        }
    }
}
