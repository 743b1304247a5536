//! The rights of the login beyond those that its tools need, and those that it lacks, each with the statement that mends it. The rights are
//! those of the login, of every role that it can take, and of everybody. A superuser may do everything, so nothing else is
//! looked at.

mod listing;
mod object;
mod requirement;
mod role;
mod row_reach;
mod table;
mod view;

use super::{listing::schema_or_public, pool::Pool, reader::CatalogReader};
use crate::{
    engine::Engine,
    error::Error,
    login::{Grade, LoginFinding, Needs, OwnLogin, own_login, sorted_unallowed_findings},
    settings::TableName,
};

/// The findings about the login. Unused rights that are allowed by name are left out.
pub(super) async fn findings(pool: &Pool, needs: &Needs) -> Result<Vec<LoginFinding>, Error> {
    let mut reader = CatalogReader::open(pool).await?;
    let roles = role::findings(&mut reader, needs).await?;
    let mut findings = roles.findings;
    if roles.must_stay {
        let statements = own_statements(&mut reader, needs).await?;
        for finding in &mut findings {
            finding.remedy = own_login::own_login_remedy(&statements);
        }
    }
    let is_judged = !roles.is_superuser && !roles.must_stay;
    if !needs.offered.is_empty() && !roles.is_superuser {
        findings = listing::list_evasion_findings(&mut reader, needs).await?;
        findings.extend(requirement::missing_right_findings(&mut reader, needs).await?);
    } else if is_judged {
        findings.extend(table::owned_and_granted_findings(&mut reader, needs).await?);
        findings.extend(view_findings(&mut reader, needs).await?);
        findings.extend(object::object_right_findings(&mut reader, needs).await?);
        findings.extend(requirement::missing_right_findings(&mut reader, needs).await?);
    }
    reader.give_back_connection();
    Ok(sorted_unallowed_findings(findings, |name| {
        // A function may also be named without its arguments.
        let without_arguments = name.split('(').next().unwrap_or_default();
        needs.allowed.contains(name) || needs.allowed.contains(without_arguments)
    }))
}

/// The findings about views, and those about offered relations that say more.
async fn view_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = view::unfiltered_view_findings(reader, needs).await?;
    if needs.is_for_query {
        let shown = row_reach::rule_evasion_findings(reader, needs).await?;
        findings.retain(|finding| shown.iter().all(|other| other.name != finding.name));
        findings.extend(shown);
    }
    Ok(findings)
}

/// A login of its own for tools with these needs. Whatever everybody may do, it may do too: rights that are harmless are accepted, and
/// the others are revoked.
pub(super) async fn own_login(pool: &Pool, needs: &Needs) -> Result<OwnLogin, Error> {
    let mut reader = CatalogReader::open(pool).await?;
    let mut own =
        OwnLogin { statements: own_statements(&mut reader, needs).await?, ..OwnLogin::default() };
    reader.count_rights_of_everybody_alone();
    let mut findings = table::granted_right_findings(&mut reader, needs).await?;
    findings.extend(object::object_right_findings(&mut reader, needs).await?);
    reader.give_back_connection();
    for finding in findings {
        match finding.grade {
            Grade::Unused => own.allowed.push(finding.name),
            Grade::Dangerous | Grade::Missing => own.statements.push(finding.remedy),
        }
    }
    own.allowed.sort();
    own.allowed.dedup();
    Ok(own)
}

/// The statements that make a login of its own.
async fn own_statements(reader: &mut CatalogReader, needs: &Needs) -> Result<Vec<String>, Error> {
    let rows = reader.read_rows("select current_database()", &[]).await?;
    let database = rows.into_iter().next().and_then(row_texts).map(|[database]| database);
    Ok(own_login::login_statements(Engine::Postgres, database.as_deref(), needs))
}

/// The texts of a row; an empty one for null.
fn row_texts<const N: usize>(row: Vec<Option<String>>) -> Option<[String; N]> {
    let texts: Vec<_> = row.into_iter().map(Option::unwrap_or_default).collect();
    texts.try_into().ok()
}

/// A table as the queries of this module name it: `public.orders`.
fn qualified_table_name(table: &TableName) -> String {
    format!("{}.{}", schema_or_public(table), table.name)
}

/// The roles whose rights count, by number; everybody is 0.
macro_rules! subjects {
    () => {
        "(select who.oid from pg_roles who where pg_has_role(who.oid, 'member') union all select 0)"
    };
}

/// A role as GRANT and REVOKE write it.
macro_rules! grantee {
    ($number:literal) => {
        concat!(
            "coalesce((select quote_ident(who.rolname) from pg_roles who where who.oid = ",
            $number,
            "), 'PUBLIC')"
        )
    };
}

use {grantee, subjects};
