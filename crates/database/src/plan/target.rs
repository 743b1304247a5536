//! The rows that a change is about: one by its key, maybe with its version, or those that meet conditions.

use super::{Request, arguments::Values};
use crate::{filter::Filter, sql};

/// The rows of a change.
#[derive(Debug)]
pub(super) struct ChangeTarget {
    pub(super) rows: Vec<(String, String)>,
    /// The values of the key and of the version; empty for conditions.
    pub(super) key: Vec<(String, String)>,
    pub(super) filter: Filter,
    pub(super) kind: TargetKind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TargetKind {
    Conditions,
    Key,
}

impl ChangeTarget {
    pub(super) fn as_sql(&self) -> sql::TargetRows<'_> {
        sql::TargetRows { rows: &self.rows, key: &self.key, filter: &self.filter }
    }
}

impl Request<'_> {
    pub(super) fn change_target(
        &self,
        rows: Vec<(String, String)>,
        values: &mut Values<'_>,
    ) -> ChangeTarget {
        let names = || self.entity.key_given_by_model();
        let has_key = names().any(|name| values.get(name).is_some());
        match values.get("where") {
            Some(_) if has_key => {
                values.report_mismatch("where", "either the key or `where`", "both");
                ChangeTarget::of_key(rows, Vec::new())
            }
            Some(_) if self.entity.many => {
                let filter = values.filter("where", &self.entity.columns(&self.entity.filter));
                if filter.is_empty() {
                    values.report_mismatch("where", "at least one condition", "none");
                }
                ChangeTarget { rows, key: Vec::new(), filter, kind: TargetKind::Conditions }
            }
            _ => {
                let mut key = self.row_key(&rows, values);
                let version = self.entity.version.as_deref();
                if let Some(column) = version.and_then(|name| self.entity.column(name))
                    && let Some(text) = values.required_text(column)
                {
                    key.push((column.name.clone(), text));
                }
                ChangeTarget::of_key(rows, key)
            }
        }
    }
}

impl ChangeTarget {
    fn of_key(rows: Vec<(String, String)>, key: Vec<(String, String)>) -> Self {
        Self { rows, key, filter: Filter::default(), kind: TargetKind::Key }
    }
}
