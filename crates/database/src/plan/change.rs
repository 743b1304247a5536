//! The plans of `create`, `update` and `delete`. A foreign key into a table whose rows the session decides is looked up in the
//! same transaction.

use callgate_tool::{Fault, Value};

use super::{
    Plan, Purpose, Request, Steps,
    arguments::Values,
    target::{ChangeTarget, TargetKind},
};
use crate::{
    catalog::Column,
    engine::Ability,
    entity::Reference,
    filter::Filter,
    operation::Operation,
    result_rows::ResultShape,
    session_values::session_text_for_column,
    sql,
    transaction::{Access, Expects},
};

/// Columns with the texts that they get.
pub(super) type Set<'a> = Vec<(&'a Column, Option<String>)>;

impl Request<'_> {
    pub(super) fn plan_create(&self) -> Result<Plan, Box<Fault>> {
        let entity = self.entity;
        let rows = self.session_row_values()?;
        let mut values = self.values();
        let mut set = self.create_values(&mut values);
        for (name, text) in &rows {
            set.extend(entity.column(name).map(|column| (column, Some(text.clone()))));
        }
        let mut steps = Steps::default();
        self.add_reference_steps(&set, &rows, &mut values, &mut steps)?;
        values.into_result()?;
        let outputs = entity.outputs(Operation::Create);
        let returning = self.returning(&outputs);
        let sql = sql::insert(self.database.engine, &entity.table, &set, &returning);
        steps.add(sql, Expects::Affected { most: 1, some: true }, Purpose::Change);
        self.add_inserted_row_read(&rows, &set, &outputs, &mut steps);
        self.change_plan(steps, &outputs)
    }

    pub(super) fn plan_update(&self) -> Result<Plan, Box<Fault>> {
        let entity = self.entity;
        let rows = self.session_row_values()?;
        let mut values = self.values();
        let target = self.change_target(rows, &mut values);
        let set = self.update_values(&mut values);
        let mut steps = self.approval_check_steps(&target);
        self.add_reference_steps(&set, &target.rows, &mut values, &mut steps)?;
        values.into_result()?;
        let outputs = match target.kind {
            TargetKind::Conditions => Vec::new(),
            TargetKind::Key => entity.outputs(Operation::Update),
        };
        let returning = self.returning(&outputs);
        let engine = self.database.engine;
        let version = entity.written_version_column();
        let changes = sql::Changes { values: &set, version };
        let sql = sql::update(engine, &entity.table, changes, &target.as_sql(), &returning);
        steps.add(sql, self.change_expectation(&target), Purpose::Change);
        self.add_updated_row_read(&target, &set, &outputs, &mut steps);
        self.change_plan(steps, &outputs)
    }

    pub(super) fn plan_delete(&self) -> Result<Plan, Box<Fault>> {
        let rows = self.session_row_values()?;
        let mut values = self.values();
        let target = self.change_target(rows, &mut values);
        values.into_result()?;
        if let Some(steps) = self.reviewed_delete_steps(&target) {
            return self.change_plan(steps, &[]);
        }
        let mut steps = self.approval_check_steps(&target);
        let sql = sql::delete(self.database.engine, &self.entity.table, &target.as_sql());
        steps.add(sql, self.change_expectation(&target), Purpose::Change);
        self.change_plan(steps, &[])
    }

    /// The values of a new row that a model gives.
    pub(super) fn create_values(&self, values: &mut Values<'_>) -> Set<'_> {
        let mut set = Set::new();
        for column in self.entity.inputs(Operation::Create) {
            if let Some(value) = values.get(&column.name)
                && let Ok(text) = values.text(&column.name, column, value)
            {
                set.push((column, text));
            }
        }
        set
    }

    /// The new values of an update.
    pub(super) fn update_values(&self, values: &mut Values<'_>) -> Set<'_> {
        let mut set = Set::new();
        let given = values.get("set").and_then(Value::as_object);
        for column in self.entity.inputs(Operation::Update) {
            if let Some(value) = given.and_then(|given| given.get(&column.name))
                && let Ok(text) = values.text(&format!("set.{}", column.name), column, value)
            {
                set.push((column, text));
            }
        }
        if given.is_none_or(callgate_tool::Object::is_empty) {
            values.report_mismatch("set", "at least one column", "none");
        }
        set
    }

    /// Adds a step for each row that the change refers to and that must be one of the caller.
    fn add_reference_steps(
        &self,
        set: &Set<'_>,
        rows: &[(String, String)],
        values: &mut Values<'_>,
        steps: &mut Steps,
    ) -> Result<(), Box<Fault>> {
        for reference in &self.entity.references {
            let is_set = |name: &String| set.iter().any(|(column, _)| column.name == *name);
            let is_given = |name: &&String| is_set(name) && !self.entity.is_set_by_session(name);
            if !reference.columns.iter().any(|name| is_given(&name)) {
                continue;
            }
            if let Some(pairs) = self.referred_key(reference, set, rows, values)? {
                let sql = sql::select_if_present(self.database.engine, &reference.table, &pairs);
                let purpose = Purpose::Reference(reference.columns.clone());
                steps.add(sql, Expects::Present, purpose);
            }
        }
        Ok(())
    }

    /// The columns of the row that a foreign key refers to; `None` if it refers to none, because a value is null.
    fn referred_key(
        &self,
        reference: &Reference,
        set: &Set<'_>,
        rows: &[(String, String)],
        values: &mut Values<'_>,
    ) -> Result<Option<Vec<(String, String)>>, Box<Fault>> {
        let engine = self.database.engine;
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (name, referred) in reference.columns.iter().zip(&reference.referred) {
            let given = set.iter().find(|(column, _)| column.name == *name);
            let of_session = || rows.iter().find(|(row, _)| row == name).map(|(_, text)| text);
            match (given, of_session()) {
                (Some((_, Some(text))), _) | (None, Some(text)) => {
                    pairs.push((referred.clone(), text.clone()));
                }
                (Some((_, None)), _) => return Ok(None),
                (None, None) => {
                    let expected = "a value, because it refers to a row together with another one";
                    values.report_mismatch(name, expected, "nothing");
                }
            }
        }
        for (name, source) in &reference.rows {
            if let Some(column) = reference.table.column(name) {
                let text = session_text_for_column(source, self.session(), column, engine)?;
                pairs.push((name.clone(), text));
            }
        }
        Ok(Some(pairs))
    }

    /// Reads the new row again where a change returns none, if its key is known: from the values, or because it counts up.
    fn add_inserted_row_read(
        &self,
        rows: &[(String, String)],
        set: &Set<'_>,
        outputs: &[&Column],
        steps: &mut Steps,
    ) {
        let engine = self.database.engine;
        if engine.has(Ability::Returning) || outputs.is_empty() {
            return;
        }
        let (mut key, mut counted) = (Vec::new(), Vec::new());
        for column in self.entity.columns(&self.entity.key) {
            match set.iter().find(|(set, _)| set.name == column.name) {
                Some((_, Some(text))) => key.push((column.name.clone(), text.clone())),
                Some((_, None)) => return,
                None => counted.push(column),
            }
        }
        let filter = Filter::default();
        let target = sql::TargetRows { rows, key: &key, filter: &filter };
        let select = self.select_changed_rows(target, outputs);
        let sql = match &*counted {
            [] if !key.is_empty() => sql::select(engine, &select),
            [counted] if counted.is_generated => sql::select_inserted_row(engine, &select, counted),
            _ => return,
        };
        steps.add(sql, Expects::Rows { most: 2 }, Purpose::Reading);
    }

    /// Reads the changed row again where a change returns none.
    fn add_updated_row_read(
        &self,
        target: &ChangeTarget,
        set: &Set<'_>,
        outputs: &[&Column],
        steps: &mut Steps,
    ) {
        let engine = self.database.engine;
        if engine.has(Ability::Returning) || outputs.is_empty() || target.kind != TargetKind::Key {
            return;
        }
        let mut key = target.key.clone();
        key.retain(|(name, _)| self.entity.version.as_ref() != Some(name));
        for (name, text) in &mut key {
            if let Some((_, Some(new))) = set.iter().find(|(column, _)| column.name == *name) {
                text.clone_from(new);
            }
        }
        let filter = Filter::default();
        let target = sql::TargetRows { rows: &target.rows, key: &key, filter: &filter };
        let sql = sql::select(engine, &self.select_changed_rows(target, outputs));
        steps.add(sql, Expects::Rows { most: 2 }, Purpose::Reading);
    }

    fn select_changed_rows<'s>(
        &'s self,
        target: sql::TargetRows<'s>,
        outputs: &[&'s Column],
    ) -> sql::Select<'s> {
        sql::Select {
            table: &self.entity.table,
            columns: outputs.to_vec(),
            head: None,
            target,
            order: &[],
            after: None,
            most: Some(2),
            lock: false,
            value_bytes: self.database.limits.row_bytes,
        }
    }

    fn change_expectation(&self, target: &ChangeTarget) -> Expects {
        let some = target.kind == TargetKind::Key;
        Expects::Affected { most: self.entity.affected, some }
    }

    fn returning<'c>(&self, columns: &'c [&'c Column]) -> sql::Returning<'c> {
        sql::Returning { columns, value_bytes: self.database.limits.row_bytes }
    }

    fn change_plan(&self, steps: Steps, outputs: &[&Column]) -> Result<Plan, Box<Fault>> {
        self.plan_from_steps(
            Access::Write,
            steps,
            ResultShape::Affected(self.shown_columns(outputs)),
        )
    }
}
