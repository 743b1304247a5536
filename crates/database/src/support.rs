//! Settings that an engine has nothing for. They are findings: nothing that the operator wrote is left out silently.

use crate::{
    engine::{Ability, Engine},
    finding::{DatabaseFinding, ENTITY},
    settings::{DatabaseSettings, QueryFunctions},
};

/// The findings about settings of the database that its engine does not support.
pub(crate) fn unsupported_setting_findings(
    settings: &DatabaseSettings,
    engine: Engine,
) -> Vec<DatabaseFinding> {
    let mut findings = Vec::new();
    let mut refuse = |message: &str, help: &str| {
        findings.push(DatabaseFinding::error(ENTITY, "", message, help));
    };
    if !engine.has(Ability::RowPolicies) && !settings.identity.is_empty() {
        refuse(
            "expected no `identity`, since only PostgreSQL has policies that read it, got one",
            "name the rows of the session by `rows` of each entity",
        );
    }
    if !engine.has(Ability::Roles) && settings.role.is_some() {
        refuse(
            "expected no `role`, since only PostgreSQL takes one for a transaction, got one",
            "give the login of `url` the rights itself",
        );
    }
    let functions = settings.query.as_ref().map(|query| &query.functions);
    if !engine.has(Ability::FunctionRights) && functions == Some(&QueryFunctions::Listed) {
        refuse(
            "expected no `functions: listed` in `query`, since a text calls listed functions alone on this engine, got it",
            "leave it out",
        );
    }
    let names_some = matches!(functions, Some(QueryFunctions::Granted(names)) if !names.is_empty());
    if !engine.has(Ability::GrantableFunctions) && names_some {
        refuse(
            "expected no `functions` in `query`, since a text calls built-in functions alone on MariaDB and MySQL, got some",
            "leave them out, or offer the function by `statements` of your own",
        );
    }
    findings
}
