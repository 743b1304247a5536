//! Tables, views and their columns as the database describes them. The drivers read them when a toolset is loaded; statements take
//! every identifier from here.

use std::collections::BTreeMap;

use crate::settings::TableName;

/// One table or view.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Table {
    /// The name with its schema, as the database has it.
    pub(crate) name: TableName,
    pub(crate) kind: TableKind,
    /// The table's own comment.
    pub(crate) comment: Option<String>,
    /// About how many rows there are, by the server's statistics or its size; `None` where nothing says so.
    pub(crate) n_rows: Option<u64>,
    pub(crate) columns: Vec<Column>,
    /// The columns of the primary key; empty if there is none.
    pub(crate) key: Vec<String>,
    /// The column sets that are unique and not null, the primary key among them.
    pub(crate) unique: Vec<Vec<String>>,
    /// The columns that an index begins with.
    pub(crate) indexed: Vec<String>,
    pub(crate) foreign_keys: Vec<ForeignKey>,
    pub(crate) update_trigger: UpdateTrigger,
    /// The columns of constraints and unique indexes by their names, where failures name these alone.
    pub(crate) constraints: BTreeMap<String, Vec<String>>,
}

impl Table {
    /// A table with these columns, without keys and without a schema.
    pub(crate) fn of_columns(name: &str, columns: Vec<Column>) -> Self {
        Self {
            name: TableName { schema: None, name: name.to_owned() },
            kind: TableKind::Table,
            comment: None,
            n_rows: None,
            columns,
            key: Vec::new(),
            unique: Vec::new(),
            indexed: Vec::new(),
            foreign_keys: Vec::new(),
            update_trigger: UpdateTrigger::Absent,
            constraints: BTreeMap::new(),
        }
    }

    /// True if an index begins with the column.
    pub(crate) fn is_first_in_index(&self, column: &String) -> bool {
        self.indexed.contains(column) || self.key.first() == Some(column)
    }

    /// True if the database says that no two rows have equal values in these columns.
    pub(crate) fn is_unique(&self, columns: &[String]) -> bool {
        let is_within = |set: &Vec<String>| set.iter().all(|name| columns.contains(name));
        let has_key = !self.key.is_empty() && is_within(&self.key);
        self.kind != TableKind::Parent && (has_key || self.unique.iter().any(is_within))
    }

    /// True if every row can be read for one call.
    pub(crate) fn is_small(&self) -> bool {
        self.n_rows.is_some_and(|n_rows| n_rows <= MOST_OF_SMALL)
    }
}

/// The rows of a table that is read as a whole in a few milliseconds.
pub(crate) const MOST_OF_SMALL: u64 = 10_000;

/// A trigger that runs when a row of the table is changed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum UpdateTrigger {
    Absent,
    Present,
    /// The login does not see the triggers of a table.
    #[default]
    Unknown,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum TableKind {
    /// A table that also shows the rows of tables which inherit from it.
    Parent,
    Table,
    View,
}

/// Columns that refer to the rows of another table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ForeignKey {
    pub(crate) columns: Vec<String>,
    pub(crate) table: TableName,
    pub(crate) referred: Vec<String>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "the database says each of these of a column")]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
    /// The type in the database's own words, as a cast takes it: `numeric(20,4)`.
    pub(crate) sql_type: String,
    pub(crate) is_nullable: bool,
    pub(crate) has_default: bool,
    /// True if the database computes the value, or draws it: generated and identity columns.
    pub(crate) is_generated: bool,
    /// True if equal texts are equal bytes: no collation takes `ann` for `ANN`.
    pub(crate) compares_bytes: bool,
    /// The schema of the operators that its order is made of, if they are those of an extension.
    pub(crate) order_schema: Option<String>,
    /// The name in the database, if models know the column by another one.
    pub(crate) own_name: Option<String>,
    pub(crate) comment: Option<String>,
}

impl Column {
    /// The name in the database.
    pub(crate) fn sql_name(&self) -> &str {
        self.own_name.as_deref().unwrap_or(&self.name)
    }

    /// The digits of a second that its type keeps, if it says so: `timestamp(3) with time zone`.
    pub(crate) fn declared_second_digits(&self) -> Option<u32> {
        let (_, rest) = self.sql_type.split_once('(')?;
        let (digits, _) = rest.split_once(')')?;
        digits.parse().ok().filter(|digits| *digits <= 6)
    }

    /// A column that stands for a value of a statement, or for one of its results.
    pub(crate) fn of_statement(name: &str, kind: ColumnKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            sql_type: String::new(),
            is_nullable: true,
            has_default: false,
            is_generated: false,
            compares_bytes: true,
            order_schema: None,
            own_name: None,
            comment: None,
        }
    }
}

/// The values of a column, as far as callgate checks and converts them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum ColumnKind {
    /// A value of SQLite whose type no column declares. It is read as a text that begins with a letter for its type: `i`, `r`,
    /// `b` or `t`.
    Any,
    Array(Box<Self>),
    Boolean,
    Bytes,
    Date,
    Enumeration(Vec<String>),
    /// A whole number that stands for a boolean: 1 and 0 are read and written as such, others as they are.
    Flag {
        least: i128,
        most: i128,
    },
    /// A binary floating-point number.
    Float,
    /// A whole number of so many bits; unsigned if the least is 0.
    Integer {
        least: i128,
        most: i128,
    },
    Json,
    /// A text in the form of its type, which the database itself checks: an interval, an address, a range.
    Literal,
    /// An exact number; `None` for any precision.
    Numeric {
        precision: Option<u32>,
        scale: Option<i32>,
    },
    /// Read as text only: no condition, no input.
    Other,
    /// A text of at most so many characters.
    Text {
        most: Option<u32>,
    },
    Time {
        has_zone: bool,
    },
    Timestamp {
        has_zone: bool,
    },
    Uuid,
}
