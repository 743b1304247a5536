//! Settings that an engine has nothing for. They are findings: nothing that the operator wrote is left out silently.

use crate::{
    engine::Engine,
    finding::{DatabaseFinding, ENTITY},
    settings::DatabaseSettings,
};

/// The findings about settings of the database that its engine does not support.
pub(crate) fn findings(settings: &DatabaseSettings, engine: Engine) -> Vec<DatabaseFinding> {
    let mut findings = Vec::new();
    let mut refuse = |message: &str, help: &str| {
        findings.push(DatabaseFinding::error(ENTITY, "", message, help));
    };
    if engine != Engine::Postgres && !settings.identity.is_empty() {
        refuse(
            "expected no `identity`, since only PostgreSQL has policies that read it, got one",
            "name the rows of the session by `rows` of each entity",
        );
    }
    if engine != Engine::Postgres && settings.role.is_some() {
        refuse(
            "expected no `role`, since only PostgreSQL takes one for a transaction, got one",
            "give the login of `url` the rights itself",
        );
    }
    if engine == Engine::Mysql && settings.query.is_some() {
        refuse(
            "expected `query: false`, since this release runs the SQL of a model on PostgreSQL and SQLite only",
            "offer `statements` of your own, or conditions by `entities`",
        );
    }
    findings
}
