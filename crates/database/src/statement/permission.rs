//! The question whether the login may run a statement. A server prepares what it then refuses to run, so that it is asked for the plan: for that
//! it checks the rights, and runs nothing.

use std::sync::Arc;

use callgate_tool::Effect;
use tokio::time::Instant;

use super::DescribedStatement;
use crate::{
    driver::Driver,
    estimate,
    finding::{DatabaseFinding, LOGIN},
    settings::DatabaseSettings,
    transaction::{Access, Expects, Failure, Step, Transaction},
};

/// The finding about a statement that the login, or a role of its transactions, may not run.
pub(crate) async fn denial_finding(
    statement: &DescribedStatement,
    settings: &DatabaseSettings,
    driver: &Driver,
) -> Option<DatabaseFinding> {
    let roles = settings.role.iter().flat_map(|rule| rule.allow.iter().cloned().map(Some));
    let mut roles: Vec<Option<String>> = roles.collect();
    if roles.is_empty() {
        roles.push(None);
    }
    for role in roles {
        let who = match &role {
            Some(role) => format!("the role `{role}`"),
            None => "the login".to_owned(),
        };
        if is_denied(statement, settings, driver, role).await {
            let message = format!("the statement needs a right that {who} does not have");
            let help = "run it in the database's own client as this login, which names the object, and GRANT the right on it as an owner: \
                `INSERT` on a table, `EXECUTE` on a function";
            let pointer = format!("{}/sql", statement.pointer);
            return Some(DatabaseFinding::error(LOGIN, pointer, message, help));
        }
    }
    None
}

/// True if the server refuses the plan for want of a right. Other failures are those of a call with other values.
async fn is_denied(
    statement: &DescribedStatement,
    settings: &DatabaseSettings,
    driver: &Driver,
    role: Option<String>,
) -> bool {
    let limits = &settings.limits;
    let step = Step {
        text: statement.sql_to_run(driver.engine(), limits.row_bytes),
        values: vec![None; statement.placeholders.len()],
        expects: Expects::Rows { most: 1 },
    };
    let access = if statement.effect == Effect::Read { Access::Read } else { Access::Write };
    let transaction = Transaction {
        principal: Arc::from(""),
        access,
        identity: Vec::new(),
        role,
        steps: vec![step],
        lock_time: limits.lock_time,
        stands_alone: false,
    };
    let Some(steps) = estimate::explain_steps(driver.engine(), &transaction) else { return false };
    let transaction = Transaction { access: Access::Read, steps, ..transaction };
    let deadline = Instant::now() + limits.timeout;
    matches!(driver.run(transaction, deadline).await, Err(Failure::Denied))
}
