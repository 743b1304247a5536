//! Operations and pages that the table of an entity rules out, although the settings allow them.

use callgate_tree::quoted_name_list;

use super::Resolver;
use crate::{
    catalog::{MOST_OF_SMALL, TableKind},
    engine::Ability,
    finding::{COLUMN, DatabaseFinding, TABLE},
    operation::Operation,
};

impl Resolver<'_> {
    /// Says which listed columns a model learns by conditions or by the order although no tool shows them.
    pub(super) fn note_hidden_columns<'n>(
        &mut self,
        key: &str,
        hidden: impl Iterator<Item = &'n String>,
    ) {
        let names = quoted_name_list(hidden.map(String::as_str));
        if !names.is_empty() {
            let message =
                format!("a model can learn the values of columns that no tool shows: {names}");
            let help = "leave them out if nobody who calls may know them";
            self.findings.push(DatabaseFinding::note(COLUMN, self.pointer(key), message, help));
        }
    }

    /// Says which columns of a large table have neither conditions nor an order.
    pub(super) fn note_left_out_columns(&mut self, key: &'static str, mut left: Vec<&String>) {
        left.retain(|name| !self.table.is_first_in_index(name));
        let is_listed = self.settings.operations.contains(&Operation::List);
        let is_large = |_: &u64| is_listed && !left.is_empty() && !self.table.is_small();
        let Some(n_rows) = self.table.n_rows.filter(is_large) else { return };
        let names = quoted_name_list(left.into_iter().map(String::as_str));
        let size = match n_rows {
            _ if !self.context.engine.has(Ability::RowEstimates) => {
                format!("more than {MOST_OF_SMALL}")
            }
            n_rows => format!("about {n_rows}"),
        };
        let message = format!(
            "columns without an index of their own are left out of `{key}`, since the table has {size} rows: {names}"
        );
        let help =
            format!("make an index that begins with the column, or name the columns under `{key}`");
        self.findings.push(DatabaseFinding::note(COLUMN, self.pointer("table"), message, help));
    }

    /// Says that rows of other tables count as those of the table.
    pub(super) fn warn_of_child_tables(&mut self) {
        if self.table.kind != TableKind::Parent {
            return;
        }
        let name = &self.table.name;
        let message = format!(
            "tables inherit from `{name}`: it reads their rows too, in which its key is not unique, so that lists have no pages"
        );
        let help = format!("name a view of its own rows in its place: `select … from only {name}`");
        self.findings.push(DatabaseFinding::warning(TABLE, self.pointer("table"), message, help));
    }
}
