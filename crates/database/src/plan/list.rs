//! The plan of `list`: conditions, order, and the page. One row more than wanted is fetched, so that `more` is a fact.

use std::borrow::Cow;

use callgate_call::wording::database as wording;
use callgate_tool::{Fault, Value};

use super::{Plan, Purpose, Request, Steps, WantedColumns, name_with_direction};
use crate::{
    catalog::{Column, ColumnKind},
    engine::{Ability, Engine},
    operation::Operation,
    page::Place,
    result_rows::{Further, ResultShape},
    sql::{self, Direction},
    transaction::{Access, Expects},
};

/// The order of a list.
struct Order<'a> {
    columns: Vec<(&'a Column, Direction)>,
    /// True if no two rows are equal in it, and its values are read exactly.
    has_pages: bool,
}

impl<'a> Order<'a> {
    /// The columns as tokens of pages keep them: where values of every type stand in a column, each with its own.
    fn page_token_columns(&self, engine: Engine) -> Vec<Cow<'a, Column>> {
        let kept = |(column, _): &(&'a Column, Direction)| {
            if engine.has(Ability::ColumnTypes) {
                return Cow::Borrowed(*column);
            }
            Cow::Owned(Column { kind: ColumnKind::Any, ..Column::clone(column) })
        };
        self.columns.iter().map(kept).collect()
    }
}

impl Request<'_> {
    pub(super) fn plan_list(&self) -> Result<Plan, Box<Fault>> {
        let (entity, engine) = (self.entity, self.database.engine);
        let rows = self.session_row_values()?;
        let mut values = self.values();
        let filter = values.filter("where", &entity.columns(&entity.filter));
        let limit = self.limit(&values);
        let order = self.order_with_key();
        let place = self.page_place(&rows)?;
        let after = match values.get("page") {
            Some(page) => Some(self.page_values(page, place, &order)?),
            None => None,
        };
        values.into_result()?;
        let WantedColumns { mut columns, head, named: shown } =
            self.selected_or_all_columns(Operation::List);
        let (n_shown, kept) = (columns.len(), order.page_token_columns(engine));
        for column in &kept {
            if !columns.contains(&&**column) {
                columns.push(column);
            }
        }
        let named: Vec<(String, Direction)> =
            order.columns.iter().map(|(it, direction)| (it.name.clone(), *direction)).collect();
        let fetched = limit.saturating_add(1);
        let select = sql::Select {
            table: &entity.table,
            head: head.filter(|_| columns.len() == n_shown),
            columns: columns.clone(),
            target: sql::TargetRows { rows: &rows, key: &[], filter: &filter },
            order: &named,
            after: after.as_deref(),
            most: Some(fetched),
            lock: false,
            value_bytes: self.database.limits.row_bytes,
        };
        let mut steps = Steps::default();
        let sql = sql::select(engine, &select);
        steps.add(sql, Expects::Rows { most: fetched }, Purpose::Reading);
        let at =
            |column: &Column| columns.iter().position(|listed_column| *listed_column == column);
        let positions: Option<Vec<usize>> = kept.iter().map(|it| at(it)).collect();
        let further = positions.filter(|_| order.has_pages);
        let further = further.map(|positions| Further { positions, place });
        let shown = self.result_columns(shown);
        self.plan_from_steps(
            Access::Read,
            steps,
            ResultShape::Rows { columns: shown, limit, further },
        )
    }

    /// The wanted columns, and those of the key after them, so that no two rows are equal.
    fn order_with_key(&self) -> Order<'_> {
        let entity = self.entity;
        let wanted = self.call.arguments().get("sort").and_then(Value::as_array);
        let wanted =
            wanted.into_iter().flatten().filter_map(Value::as_str).map(name_with_direction);
        let wanted =
            wanted.filter(|(name, _)| entity.sort.iter().any(|sort_name| sort_name == name));
        let key = entity.key_given_by_model().map(|name| (name, Direction::Ascending));
        let mut columns: Vec<(&Column, Direction)> = Vec::new();
        for (name, direction) in wanted.chain(key) {
            if columns.iter().all(|(entry, _)| entry.name != name)
                && let Some(column) = entity.column(name)
            {
                columns.push((column, direction));
            }
        }
        let is_exact =
            columns.iter().all(|(column, _)| self.database.engine.has_exact_text(&column.kind));
        Order { columns, has_pages: entity.is_key_unique && is_exact }
    }

    /// The values of a token. A type reads its own texts again, also those that no argument may be: years before Christ, 7 in a
    /// `tinyint(1)`, dates without a day.
    fn page_values(
        &self,
        page: &Value,
        place: Place,
        order: &Order<'_>,
    ) -> Result<Vec<Option<String>>, Box<Fault>> {
        let token = page.as_str().unwrap_or_default();
        let texts = self.database.pages.values(token, place)?;
        if texts.len() != order.columns.len() || !order.has_pages {
            return Err(wording::invalid_page_token());
        }
        Ok(texts)
    }
}
