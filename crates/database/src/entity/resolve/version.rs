//! The version of a row: a column that is another one after each change, so that a change of what was not read last is refused.

use callgate_tool::ArgumentName;

use super::{super::fit::Fit, Resolver};
use crate::{
    catalog::{Table, UpdateTrigger},
    finding::{COLUMN, DatabaseFinding},
    operation::Operation,
    sql,
};

impl<'a> Resolver<'a> {
    pub(super) fn checked_version_column(
        &mut self,
        fields: &[String],
        key: &[String],
    ) -> Option<String> {
        let name = self.settings.version.as_ref()?;
        let column = self.column_or_finding("version", name)?;
        let (expected, help) = if !Fit::Key.takes(column) {
            (Fit::Key.expected_column(), "name another column")
        } else if column.is_nullable {
            ("a column that is not null", "name another column, or declare it `not null`")
        } else if !fields.contains(name) {
            ("one of `fields`, so that a model can give what it read", "add it to `fields`")
        } else if key.contains(name) || ArgumentName::new(name).is_err() {
            ("a column beside the key whose name a model can give", "name another column")
        } else {
            return Some(name.clone());
        };
        self.report_error(COLUMN, "version", format!("expected {expected}, got: `{name}`"), help);
        None
    }

    /// True if an update can write the next version. If it cannot, and no trigger can, two updates of one version would both succeed.
    pub(super) fn can_write_version(&mut self, version: Option<&str>) -> bool {
        let Some(name) = version else { return false };
        let engine = self.context.engine;
        let table: &'a Table = self.table;
        let column = table.column(name);
        let is_update = self.settings.operations.contains(&Operation::Update);
        if !is_update || column.is_some_and(|column| sql::has_next_version(engine, column)) {
            let given = self.settings.input_fields.get(&Operation::Update);
            if let Some(at) = given.and_then(|names| names.iter().position(|it| it == name)) {
                let below = format!("input_fields/update/{at}");
                let message = format!("expected columns beside the version, got: `{name}`");
                self.report_error(
                    COLUMN,
                    &below,
                    message,
                    "leave it out: callgate writes the next version",
                );
            }
            return is_update;
        }
        let help = "name a column of whole numbers or of a time with a zone, or add a trigger to the table that writes another version when a row is changed";
        match table.update_trigger {
            UpdateTrigger::Present => {}
            UpdateTrigger::Absent => {
                let message = format!(
                    "expected a version that changes with the row, got a column that nothing writes: `{name}`"
                );
                self.report_error(COLUMN, "version", message, help);
            }
            UpdateTrigger::Unknown => {
                let message = format!(
                    "callgate cannot write a version of this type, and does not see whether a trigger does: `{name}`"
                );
                let pointer = self.pointer("version");
                self.findings.push(DatabaseFinding::note(COLUMN, pointer, message, help));
            }
        }
        false
    }
}
