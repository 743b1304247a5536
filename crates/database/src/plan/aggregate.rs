//! The plan of `aggregate`: the columns of the groups, what is computed of each, and the conditions and the order of both.

use callgate_tool::{Fault, Value};

use super::{Plan, Purpose, Request, Steps, arguments::Values, name_with_direction};
use crate::{
    aggregate::{Aggregate, Function},
    catalog::Column,
    result_rows::ResultShape,
    sql::{self, Direction},
    transaction::{Access, Expects},
};

impl Request<'_> {
    pub(super) fn plan_aggregate(&self) -> Result<Plan, Box<Fault>> {
        let (entity, engine) = (self.entity, self.database.engine);
        let rows = self.session_row_values()?;
        let mut values = self.values();
        let filter = values.filter("where", &entity.columns(&entity.filter));
        let groups = self.named_columns("group", &entity.group_columns());
        let aggregates = entity.aggregates(engine);
        let results: Vec<&Column> = aggregates.iter().map(|it| &it.result).collect();
        let having = values.filter("having", &results);
        let mut selected = self.named_columns("select", &results);
        if selected.is_empty() {
            let counts = aggregates.iter().filter(|it| it.function == Function::Count);
            selected.extend(counts.map(|it| &it.result));
        }
        let sortable: Vec<&Column> = groups.iter().chain(&results).copied().collect();
        let order = order_with_groups(&mut values, &groups, &sortable);
        let limit = self.limit(&values);
        values.into_result()?;
        let is_used = |aggregate: &&Aggregate<'_>| {
            let name = &aggregate.result.name;
            selected.iter().any(|column| column.name == *name)
                || order.iter().any(|(column, _)| column == name)
                || having.has_condition_on(name)
        };
        let used: Vec<Aggregate<'_>> = aggregates.iter().filter(is_used).cloned().collect();
        let target = sql::TargetRows { rows: &rows, key: &[], filter: &filter };
        let grouped =
            sql::Groups { table: &entity.table, target, columns: &groups, aggregates: &used };
        let table = grouped.as_table();
        let shown: Vec<&Column> = groups.iter().chain(&selected).copied().collect();
        let shown: Vec<&Column> = shown.iter().filter_map(|it| table.column(&it.name)).collect();
        let fetched = limit.saturating_add(1);
        let reading = sql::Select {
            table: &table,
            columns: shown.clone(),
            head: None,
            target: sql::TargetRows { rows: &[], key: &[], filter: &having },
            order: &order,
            after: None,
            most: Some(fetched),
            lock: false,
            value_bytes: self.database.limits.row_bytes,
        };
        let mut steps = Steps::default();
        let sql = sql::aggregate(engine, &grouped, &reading);
        steps.add(sql, Expects::Rows { most: fetched }, Purpose::Reading);
        let columns = self.shown_columns(&shown);
        self.plan_from_steps(
            Access::Read,
            steps,
            ResultShape::Rows { columns, limit, further: None },
        )
    }
}

/// The wanted order, and the columns of the groups after it, so that no two groups are equal.
fn order_with_groups(
    values: &mut Values<'_>,
    groups: &[&Column],
    sortable: &[&Column],
) -> Vec<(String, Direction)> {
    let wanted = values.get("sort").and_then(Value::as_array).into_iter().flatten();
    let wanted =
        wanted.enumerate().filter_map(|(at, name)| Some((at, name_with_direction(name.as_str()?))));
    let mut order: Vec<(String, Direction)> = Vec::new();
    for (at, (name, direction)) in wanted {
        if sortable.iter().all(|column| column.name != name) {
            values.report_unknown_name(format!("sort[{at}]"), name, sortable);
        } else if order.iter().all(|(before, _)| before != name) {
            order.push((name.to_owned(), direction));
        }
    }
    for column in groups {
        if order.iter().all(|(before, _)| *before != column.name) {
            order.push((column.name.clone(), Direction::Ascending));
        }
    }
    order
}
