//! The rights that engines grant, as one table: how a login that has one beyond its tools is judged, and what the right allows. The first row that
//! fits counts. `check` and `doctor` say what it says, and the manual lists it.

use std::collections::BTreeSet;

use Engine::{Mysql, Postgres};
use Rule::{Columns, Dangerous, Harmless, Reads, Runs, Unused, Writes};
use Scope::{Any, Routine, Statistics, System, Table};

use super::{Grade, Needs, TableNeeds};
use crate::engine::Engine;

/// A right that a login has.
pub(crate) struct JudgedRight<'a> {
    pub(crate) engine: Engine,
    /// The engine's word for it: `SELECT`, the name of an attribute or of a role.
    pub(crate) word: &'a str,
    pub(crate) scope: Scope,
    /// The table without its schema, if it is a right on one, with what tools need of it.
    pub(crate) table: Option<(&'a str, Option<&'a TableNeeds>)>,
    /// The columns that it is a right on.
    pub(crate) columns: &'a BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Scope {
    Any,
    Routine,
    Sequence,
    /// The server's views of its own work.
    Statistics,
    /// The server's own tables.
    System,
    Table,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rule {
    /// Judged by the columns that tools use.
    Columns,
    Dangerous,
    Harmless,
    /// Harmless, unless a model writes SQL.
    Reads,
    /// Unused, unless a model writes SQL: then dangerous.
    Runs,
    Unused,
    /// Judged by the rows that tools and statements change.
    Writes,
}

/// The words of an engine, none for any, with their scope, their rule and what they allow, unless the word says it.
type Row = (Engine, &'static [&'static str], Scope, Rule, &'static str);

static RIGHTS: &[Row] = &[
    (Mysql, &["ALL PRIVILEGES"], Any, Dangerous, "to do everything there"),
    (Mysql, &["CREATE USER"], Any, Dangerous, "to make logins"),
    (Mysql, &["EVENT"], Any, Dangerous, "to run statements later"),
    (Mysql, &["FILE"], Any, Dangerous, "to read and write files of the server"),
    (Mysql, &["PROCESS"], Any, Dangerous, "to see the statements of others"),
    (Mysql, &["SHUTDOWN"], Any, Dangerous, "to stop the server"),
    (Mysql, &["SUPER"], Any, Dangerous, "to change the server's settings and to stop others"),
    (Mysql, &["TRIGGER"], Any, Dangerous, "to run statements with the changes of others"),
    (Mysql, &["CREATE TEMPORARY TABLES", "LOCK TABLES", "REFERENCES"], Any, Unused, ""),
    (Mysql, &["SHOW CREATE ROUTINE", "SHOW DATABASES"], Any, Unused, ""),
    (Mysql, &["SHOW VIEW"], System, Unused, ""),
    // It lets a login see how a table is made, such as its foreign keys.
    (Mysql, &["SHOW VIEW"], Any, Harmless, ""),
    (Mysql, &["EXECUTE"], Routine, Runs, ""),
    (Mysql, &[], System, Dangerous, ""),
    (Mysql, &["INSERT", "SELECT", "UPDATE"], Table, Columns, ""),
    (Mysql, &["SELECT"], Statistics, Runs, ""),
    (Mysql, &["SELECT"], Any, Reads, ""),
    (Mysql, &["DELETE", "INSERT", "UPDATE"], Any, Writes, ""),
    (Mysql, &[], Any, Dangerous, ""),
    (Postgres, &["SUPERUSER"], Any, Dangerous, "to do everything, past every check"),
    (Postgres, &["BYPASSRLS"], Any, Dangerous, "to see the rows that policies hide"),
    (Postgres, &["CREATEDB"], Any, Dangerous, "to make databases"),
    (Postgres, &["CREATEROLE"], Any, Dangerous, "to make logins and to give them rights"),
    (Postgres, &["REPLICATION"], Any, Dangerous, "to copy the whole server"),
    (Postgres, &["pg_create_subscription"], Any, Dangerous, "to take rows from other servers"),
    (Postgres, &["pg_execute_server_program"], Any, Dangerous, "to run programs of the server"),
    (Postgres, &["pg_maintain"], Any, Dangerous, "to lock and rewrite every table"),
    (Postgres, &["pg_read_all_data"], Any, Dangerous, "to read every table"),
    (Postgres, &["pg_read_server_files"], Any, Dangerous, "to read files of the server"),
    (Postgres, &["pg_write_all_data"], Any, Dangerous, "to write every table"),
    (Postgres, &["pg_write_server_files"], Any, Dangerous, "to write files of the server"),
    (
        Postgres,
        // Those of AlloyDB, Aiven, Azure, Cloud SQL, Neon and Amazon RDS for the first user.
        &[
            "alloydbsuperuser",
            "avnadmin",
            "azure_pg_admin",
            "cloudsqlsuperuser",
            "neon_superuser",
            "rds_superuser",
        ],
        Any,
        Dangerous,
        "to do most of what a superuser may, on a managed server",
    ),
    (Postgres, &["rds_replication"], Any, Dangerous, "to copy the whole server of Amazon RDS"),
    // They let a login sign in by a token, and no more.
    (Postgres, &["alloydbiamuser", "cloudsqliamuser", "rds_iam"], Any, Harmless, ""),
    (Postgres, &["INSERT", "SELECT", "UPDATE"], Table, Columns, ""),
    (Postgres, &["DELETE", "TRUNCATE"], Table, Writes, ""),
    (Postgres, &[], Any, Unused, ""),
];

/// The row of a right; SQLite has no rights.
fn row_of(engine: Engine, word: &str, scope: Scope) -> Option<&'static Row> {
    RIGHTS.iter().find(|(server, words, on, ..)| {
        *server == engine
            && (words.is_empty() || words.contains(&word))
            && [Any, scope].contains(on)
    })
}

/// The end of a sentence that says what a right allows; empty where its word says it.
pub(crate) fn allowance_clause(engine: Engine, word: &str) -> String {
    let allows = row_of(engine, word, Any).map_or("", |(.., allows)| allows);
    if allows.is_empty() { String::new() } else { format!("; it allows {allows}") }
}

impl Needs {
    /// The grade of a right as far as nothing uses it, and the columns on which it is used; `None` for a right that is used whole, or harmless.
    pub(crate) fn grade_right(&self, right: &JudgedRight<'_>) -> Option<(Grade, BTreeSet<String>)> {
        let JudgedRight { engine, word, scope, table, .. } = right;
        let (of_table, is_for_query) =
            (table.and_then(|(_, of_table)| of_table), self.is_for_query);
        let (.., rule, _) = row_of(*engine, word, *scope)?;
        let grade = match rule {
            Columns => return self.judge_columns(right),
            Dangerous => Grade::Dangerous,
            Reads | Runs if is_for_query => Grade::Dangerous,
            Harmless | Reads => return None,
            Runs | Unused => Grade::Unused,
            Writes if *word == "DELETE" && of_table.is_some_and(|it| it.deletes) => return None,
            Writes if table.is_some_and(|(name, _)| self.is_used_by_statements(word, name)) => {
                return None;
            }
            Writes => self.unused_write_grade(),
        };
        Some((grade, BTreeSet::new()))
    }

    fn judge_columns(&self, right: &JudgedRight<'_>) -> Option<(Grade, BTreeSet<String>)> {
        let (word, (table, of_table)) = (right.word, right.table?);
        let mut needed = of_table.map(TableNeeds::rights).unwrap_or_default().into_iter();
        let columns = needed.find(|(needed, _)| *needed == word).and_then(|(_, columns)| columns);
        let mut used = columns.cloned().unwrap_or_default();
        if word == "SELECT" {
            return self.is_for_query.then_some((Grade::Dangerous, used));
        }
        for words in self.writes_using_right(word, table) {
            // An insertion without a list of columns gives values to all of them.
            let names =
                right.columns.iter().filter(|name| word == "INSERT" || words.has_name(name));
            used.extend(names.cloned());
        }
        Some((self.unused_write_grade(), used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_says_what_each_dangerous_right_allows() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../callgate/manual/databases.md");
        let manual = std::fs::read_to_string(path).unwrap();
        for (engine, words, .., allows) in RIGHTS.iter().filter(|row| !row.4.is_empty()) {
            let server = if *engine == Mysql { "MariaDB" } else { "PostgreSQL" };
            let line = format!("| {server} | `{}` | {allows} |", words.join("`, `"));
            assert!(manual.lines().any(|known| known == line), "in {path}: {line}");
        }
    }

    #[test]
    fn each_row_comes_before_wider_ones() {
        for (at, (engine, words, scope, ..)) in RIGHTS.iter().enumerate() {
            for word in words.iter().chain([""].iter().filter(|_| words.is_empty())) {
                let first = row_of(*engine, word, *scope).unwrap();
                let place = RIGHTS.iter().position(|row| std::ptr::eq(row, first));
                assert_eq!(place, Some(at), "{word} {scope:?}");
            }
        }
    }
}
