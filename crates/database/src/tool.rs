//! The tools of entities as backends: each call is planned and run as one transaction. `plan` knows the statements, `driver` the
//! database.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_executor::{Backend, Call, Review};
use callgate_tool::{Fault, FingerprintHasher, Journal, Outcome, Preview, Session, Tool};

use crate::{
    database::Database,
    entity::Entity,
    failure::FailureContext,
    operation::Operation,
    plan::{OutputColumns, Plan, Purpose, Request},
    transaction::{Access, Failure, Transaction},
};

/// One operation of one entity.
#[derive(Debug)]
pub(crate) struct EntityTool {
    pub(crate) tool: Tool,
    pub(crate) entity: Arc<Entity>,
    pub(crate) operation: Operation,
    pub(crate) outputs: OutputColumns,
    pub(crate) database: Arc<Database>,
}

impl EntityTool {
    fn request<'a>(&'a self, call: &'a Call<'a>) -> Request<'a> {
        Request {
            entity: &self.entity,
            operation: self.operation,
            database: &self.database,
            outputs: &self.outputs,
            tool: &self.tool.name,
            call,
        }
    }

    /// The fault that a failure of a call is.
    fn fault(&self, call: &Call<'_>, purposes: &[Purpose], failure: &Failure) -> Box<Fault> {
        let failed = FailureContext {
            entity: Some(&self.entity),
            purposes,
            effect: self.tool.effect,
            affected: self.entity.affected,
            timeout: call.duration_within(self.database.limits.timeout),
            rows_read: self.database.limits.rows_read,
            unindexed: &self.entity.unindexed_columns(call.arguments()),
            hides_rows: !self.entity.rows.is_empty() || self.database.hides_rows_by_session(),
        };
        failed.fault(failure)
    }
}

#[async_trait]
impl Backend for EntityTool {
    callgate_executor::of_tool!(tool, database.toolset);

    fn has_results_as_declared(&self) -> bool {
        true
    }

    fn target(&self) -> Option<String> {
        Some(format!("{} {}", self.operation.as_str(), self.entity.table.name))
    }

    fn operator_notes(&self) -> Vec<String> {
        self.entity.absence_notes(self.operation)
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.database.hash_session_values(session, hasher);
        let references = self.entity.references.iter().flat_map(|reference| &reference.rows);
        for (name, source) in self.entity.rows.iter().chain(references) {
            hasher.add_text(name);
            hasher.add_source_value(source, session);
        }
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        let plan = self.request(call).plan()?;
        Ok(Preview::Text(script(&plan.transaction)))
    }

    async fn review(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Review, Box<Fault>> {
        let request = self.request(call);
        let reviewing = match self.operation {
            Operation::Create => return request.new_row().map(Review::new),
            Operation::Aggregate | Operation::Get | Operation::List => {
                return self.preview(call, journal).await.map(Review::new);
            }
            Operation::Delete | Operation::Update => request.plan_review()?,
        };
        let transaction = reviewing.transaction(&request)?;
        let deadline = call.deadline_within(self.database.limits.timeout);
        let fault = |failure| self.fault(call, &[Purpose::Reading], &failure);
        self.database.check_plan_row_limit(&transaction, deadline).await.map_err(fault)?;
        let mut came = self.database.driver.run(transaction, deadline).await.map_err(fault)?;
        let rows = came.pop().unwrap_or_default().rows;
        reviewing.review(&request, &rows)
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let Plan { transaction, purposes, reading } = match self.request(call).plan() {
            Ok(plan) => plan,
            Err(fault) => return Outcome::Failed(fault),
        };
        let deadline = call.deadline_within(self.database.limits.timeout);
        match self.database.run(transaction, deadline, journal).await {
            Ok(came) => reading.outcome(&came, &self.entity.name, &self.database.pages),
            Err(failure) => Outcome::Failed(self.fault(call, &purposes, &failure)),
        }
    }
}

/// The statements of a transaction with their placeholders, without values.
pub(crate) fn script(transaction: &Transaction) -> String {
    let begin = match transaction.access {
        Access::Read => "begin read only;\n",
        Access::Write => "begin;\n",
    };
    let mut script = begin.to_owned();
    for step in &transaction.steps {
        script.push_str(&step.text);
        script.push_str(";\n");
    }
    script.push_str("commit;");
    script
}
