//! Tests of logins that are made for the tools, and of rights that statements of the operator use.

use super::{
    login::{lines, needs, shop},
    *,
};
use crate::{login::StatementWords, tests::logins::names};

#[tokio::test]
async fn a_right_that_a_statement_of_the_operator_uses_is_no_finding() {
    let Some((database, login)) = shop("l_statements") else { return };
    database.run(&format!(
        "create table public.odd (no serial primary key, seen int, kept int); revoke all on public.odd from public;
         grant update (seen), insert, delete on public.odd to {login}; grant usage on public.odd_no_seq to {login}"
    ));
    let own = |statements: &[&str]| Needs {
        own_writes: statements.iter().map(|sql| StatementWords::new(sql)).collect(),
        ..needs()
    };
    let all = own(&[
        "update public.odd set seen = seen + 1 where no = :no",
        "insert into odd (seen) values (1)",
        "delete from public.odd where seen > 9",
    ]);
    assert_eq!(lines(&database, &login, &all).await, [""; 0]);
    let updates = own(&["update public.odd set kept = 1"]);
    let found = lines(&database, &login, &updates).await;
    let names: Vec<_> = found.iter().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(
        names,
        ["delete:public.odd", "insert:public.odd", "update:public.odd", "usage:public.odd_no_seq"]
    );
    // The remedy keeps what a statement uses.
    database.run(&format!("grant update on public.odd to {login}"));
    let found = lines(&database, &login, &all).await;
    let [finding] = &*found else { panic!("{found:?}") };
    assert!(
        finding.ends_with(&format!("GRANT UPDATE (\"no\", \"seen\") ON public.odd TO {login}")),
        "{finding}"
    );
}

#[tokio::test]
async fn the_last_superuser_keeps_its_rights_and_gets_a_login_of_its_own_for_the_tools() {
    let Some((database, _)) = shop("l_superuser") else { return };
    let found = lines(&database, "postgres", &needs()).await;
    let [finding] = &*found else { panic!("{found:?}") };
    let statements = finding.split_once(" make: ").unwrap().1;
    let mut own = statements.replace("callgate_agent", "l_superuser_own").replace('…', "secret");
    own.push_str("; grant usage on sequence public.orders_no_seq to l_superuser_own");
    database.run(&own);
    let allowed = names(&["temp"]);
    let own_needs = Needs { allowed, ..needs() };
    assert_eq!(lines(&database, "l_superuser_own", &own_needs).await, [""; 0], "{statements}");
}

#[tokio::test]
async fn the_first_login_of_a_managed_server_keeps_its_rights_and_gets_a_login_of_its_own() {
    let Some((database, login)) = shop("l_master") else { return };
    database
        .run(&format!("alter role {login} createrole; alter database l_master owner to {login}"));
    let found = lines(&database, &login, &needs()).await;
    let [finding] = &*found else { panic!("{found:?}") };
    let remedy = "Dangerous createrole use a login of its own in `url`";
    assert!(finding.starts_with(remedy), "{finding}");
    // Roles that own nothing are not those of whoever runs the server.
    database.run("alter database l_master owner to postgres");
    let found = lines(&database, &login, &needs()).await;
    let remedy = format!("Dangerous createrole ALTER ROLE {login} NOCREATEROLE");
    assert!(found.contains(&remedy), "{found:?}");
}

#[tokio::test]
async fn rights_of_everybody_are_accepted_or_revoked_for_an_own_login() {
    let Some((database, _)) = shop("l_everybody") else { return };
    database.run(
        "grant insert on public.orders to public; grant temp on database l_everybody to public",
    );
    let postgres = connect(&database, "postgres").await;
    let mut needs = needs();
    let orders = needs.tables.values_mut().next().unwrap();
    (orders.inserts, orders.updates, orders.deletes) = (names(&[]), names(&[]), false);
    let own = postgres.propose_login(&needs).await.unwrap();
    assert_eq!(own.allowed, ["temp"]);
    let statements = own.statements.join("; ");
    assert!(statements.contains("REVOKE INSERT ON public.orders FROM PUBLIC"), "{statements}");
    database.run(&statements.replace("callgate_agent", "l_everybody_own").replace('…', "secret"));
    let needs = Needs { allowed: own.allowed.into_iter().collect(), ..needs };
    assert_eq!(lines(&database, "l_everybody_own", &needs).await, [""; 0]);
}
