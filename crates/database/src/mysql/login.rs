//! The rights of the login beyond those that its tools need, and those that it lacks, each with the statement that mends it. The
//! rights are those that the server lists for the login and for every role that it can take.

mod grant;
mod reach;
mod requirement;
mod right;

use std::collections::BTreeSet;

use self::grant::{Account, Grant, Object};
use super::{pool::Pool, reader::CatalogReader};
use crate::{
    engine::Engine,
    error::Error,
    login::{Grade, LoginFinding, Needs, finding, own_login, sorted_unallowed_findings},
};

/// The grants of a login.
#[derive(Debug, Default)]
struct Grants {
    /// Those that hold for every transaction.
    held: Vec<Grant>,
    /// Those of roles that the login can take.
    reached: Vec<Grant>,
    /// True if a grant is not understood.
    has_unknown: bool,
}

/// The findings about the login. Unused rights that are allowed by name are left out.
pub(super) async fn findings(
    pool: &Pool,
    database: &str,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut reader = CatalogReader::open_exclusive(pool).await?;
    let grants = Grants::read(&mut reader).await?;
    if grants.held_and_reached_grants().any(Grant::is_of_superuser) {
        reader.give_back_connection();
        let statements = own_login::login_statements(Engine::Mysql, None, needs);
        return Ok(vec![finding(
            Grade::Dangerous,
            "superuser",
            "the login may do everything on the server, and grant it to others",
            own_login::own_login_remedy(&statements),
        )]);
    }
    let mut findings = Vec::new();
    if grants.has_unknown {
        findings.push(finding(
            Grade::Dangerous,
            "grant",
            "the login has a grant that this release does not know",
            "look at SHOW GRANTS, and REVOKE what no tool uses",
        ));
    }
    findings.extend(right::surplus_right_findings(&mut reader, &grants, needs).await?);
    findings.extend(requirement::unmet_requirement_findings(&mut reader, &grants, needs).await?);
    if needs.is_for_query {
        findings.extend(reach::reach_beyond_grants_findings(&mut reader, &grants, needs).await?);
        findings.extend(reach::server_database_finding(database));
    }
    reader.give_back_connection();
    Ok(sorted_unallowed_findings(findings, |name| needs.allowed.contains(name)))
}

impl Grants {
    /// The server shows the rights of a role to a login only while the login has taken it.
    async fn read(reader: &mut CatalogReader) -> Result<Self, Error> {
        let mut grants = Self::default();
        let held = read_first_column(reader, SHOW).await?;
        grants.held = grants.parse_grants(held);
        let is_mariadb = reader.is_mariadb()?;
        let mut taken = BTreeSet::new();
        while let Some(role) = grants.untaken_role(&taken) {
            let lines = if is_mariadb {
                reader.read_rows(&format!("SET ROLE {}", role.to_sql()), &[]).await?;
                read_first_column(reader, SHOW).await?
            } else {
                let text = format!("SHOW GRANTS FOR CURRENT_USER() USING {}", role.to_sql());
                read_first_column(reader, &text).await?
            };
            let reached = grants.parse_grants(lines);
            grants.reached.extend(reached);
            taken.insert(role);
        }
        let held = grants.held.clone();
        grants.reached.retain(|grant| !held.contains(grant));
        Ok(grants)
    }

    /// A role that is not among those that were taken. The rights of roles of a role are listed with those of the role.
    fn untaken_role(&self, taken: &BTreeSet<Account>) -> Option<Account> {
        let role = |grant: &Grant| match &grant.on {
            Object::Role(role) if grant.grantee.is_account() && !taken.contains(role) => {
                Some(role.clone())
            }
            _ => None,
        };
        self.held_and_reached_grants().find_map(role)
    }

    fn parse_grants(&mut self, lines: Vec<String>) -> Vec<Grant> {
        let mut parsed_grants = Vec::new();
        for line in lines {
            match Grant::read(&line) {
                Some(grants) => parsed_grants.extend(grants),
                None => self.has_unknown = true,
            }
        }
        parsed_grants
    }

    fn held_and_reached_grants(&self) -> impl Iterator<Item = &Grant> {
        self.held.iter().chain(&self.reached)
    }
}

async fn read_first_column(reader: &mut CatalogReader, text: &str) -> Result<Vec<String>, Error> {
    let rows = reader.read_rows(text, &[]).await?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

const SHOW: &str = "SHOW GRANTS";
