//! Tests of the findings about logins: each is mended by its remedy.

use super::*;
use crate::{
    login::{StatementWords, TableNeeds},
    tests::logins::{self, names, remedy},
};

const SCRIPT: &str = "create schema other;
    create table public.orders (no serial primary key, owner text, total int, note text);
    create table public.secrets (n int);
    create table public.guarded (n int, owner text);
    alter table public.guarded enable row level security;
    create policy own on public.guarded using (owner = current_setting('app.user', true));
    create view public.plain as select * from public.guarded;
    create view public.over as select n from public.plain;
    create view public.invoker with (security_invoker = true) as select * from public.guarded;
    create materialized view public.kept as select * from public.guarded;
    create function public.rich() returns int language sql security definer as 'select 1';
    create function public.odd(a int, \"B c\" text) returns int language plpgsql volatile as 'begin return 1; end';
    revoke execute on function public.rich(), public.odd(int, text) from public;
    create sequence public.counter;";

pub(super) fn needs() -> Needs {
    logins::needs("public")
}

const GRANTS: &str = "grant select (no, owner, total), insert (owner, total), update (total), delete on public.orders to LOGIN;
    grant usage on sequence public.orders_no_seq to LOGIN;";

pub(super) fn shop(name: &str) -> Option<(PostgresDatabase, String)> {
    let database = PostgresServer::of_machine()?.database(name, SCRIPT);
    let login = database.login("a");
    database.run(&GRANTS.replace("LOGIN", &login));
    Some((database, login))
}

/// The findings as lines: the grade, the name, the remedy.
pub(super) async fn lines(database: &PostgresDatabase, login: &str, needs: &Needs) -> Vec<String> {
    let postgres = connect(database, login).await;
    logins::lines(&postgres.check_login(needs).await.unwrap())
}

/// Runs the remedies of all findings, as lines name them.
fn mend(database: &PostgresDatabase, lines: Vec<String>) {
    for line in lines {
        database.run(remedy(&line));
    }
}

#[tokio::test]
async fn a_login_with_exactly_what_its_tools_need_has_no_finding() {
    let Some((database, login)) = shop("l_exact") else { return };
    assert_eq!(lines(&database, &login, &needs()).await, [""; 0]);
}

/// Indexes and partitions depend on their table as its sequence does.
#[tokio::test]
async fn a_table_with_relations_of_every_kind_is_looked_at() {
    let Some((database, login)) = shop("l_relations") else { return };
    let script = "create index on public.orders (owner); create index on public.orders (lower(note)) where total > 1;
        create table public.parts (n int primary key, owner text, id int generated always as identity) partition by range (n);
        create table public.parts_1 partition of public.parts for values from (1) to (9);
        create table public.parts_2 partition of public.parts default;
        create index on public.parts (owner); create type public.pair as (a int, b int);
        create sequence public.owned owned by public.orders.total; create view public.of_orders as select no from public.orders;
        create statistics public.guess on owner, note from public.orders;
        grant select (n, owner), insert (n, owner) on public.parts to LOGIN";
    database.run(&script.replace("LOGIN", &login));
    let mut needs = needs();
    let columns = || names(&["n", "owner"]);
    needs.tables.insert(
        TableName { schema: Some("public".to_owned()), name: "parts".to_owned() },
        TableNeeds { selects: columns(), inserts: columns(), ..TableNeeds::default() },
    );
    let found = lines(&database, &login, &needs).await;
    assert_eq!(
        found,
        [format!("Missing usage:public.owned GRANT USAGE ON SEQUENCE public.owned TO \"{login}\"")]
    );
    mend(&database, found);
    assert_eq!(lines(&database, &login, &needs).await, [""; 0]);
    let postgres = connect(&database, &login).await;
    postgres.check_login(&Needs { is_for_query: true, ..needs }).await.unwrap();
}

/// Rights that make a login too mighty, and the findings about them.
const MIGHTY: &str = r#"
    alter role L superuser => Dangerous superuser ALTER ROLE L NOSUPERUSER
    alter role L bypassrls => Dangerous bypassrls ALTER ROLE L NOBYPASSRLS
    alter role L createrole => Dangerous createrole ALTER ROLE L NOCREATEROLE
    alter role L createdb => Dangerous createdb ALTER ROLE L NOCREATEDB
    alter role L replication => Dangerous replication ALTER ROLE L NOREPLICATION
    grant pg_read_server_files to L => Dangerous role:pg_read_server_files REVOKE pg_read_server_files FROM L
    grant pg_write_server_files to L => Dangerous role:pg_write_server_files REVOKE pg_write_server_files FROM L
    grant pg_execute_server_program to L => Dangerous role:pg_execute_server_program REVOKE pg_execute_server_program FROM L
    grant pg_read_all_data to L => Dangerous role:pg_read_all_data REVOKE pg_read_all_data FROM L
    grant pg_write_all_data to L => Dangerous role:pg_write_all_data REVOKE pg_write_all_data FROM L
    grant pg_signal_backend to L => Unused role:pg_signal_backend REVOKE pg_signal_backend FROM L
    create role L_boss superuser; create role L_group noinherit; grant L_boss to L_group; grant L_group to L => Dangerous role:L_boss REVOKE L_group FROM L
    grant insert on public.secrets to L => Dangerous insert:public.secrets REVOKE INSERT ON public.secrets FROM L
    grant update on public.secrets to public => Dangerous update:public.secrets REVOKE UPDATE ON public.secrets FROM PUBLIC
    grant update on public.orders to L => Dangerous update:public.orders REVOKE UPDATE ON public.orders FROM L; GRANT UPDATE ("total") ON public.orders TO L
    grant insert (note) on public.orders to L => Dangerous insert:public.orders REVOKE INSERT ON public.orders FROM L; GRANT INSERT ("owner", "total") ON public.orders TO L
    grant delete on public.secrets to L => Dangerous delete:public.secrets REVOKE DELETE ON public.secrets FROM L
    grant truncate on public.orders to L => Dangerous truncate:public.orders REVOKE TRUNCATE ON public.orders FROM L
    alter table public.secrets owner to L => Dangerous owner:public.secrets ALTER TABLE public.secrets OWNER TO CURRENT_USER
    alter schema other owner to L => Dangerous owner:schema:other ALTER SCHEMA other OWNER TO CURRENT_USER
    alter database D owner to L => Dangerous owner:database ALTER DATABASE D OWNER TO CURRENT_USER
    grant select on public.plain to L => Dangerous view:public.plain ALTER VIEW public.plain SET (security_invoker = true)
    grant select (n) on public.kept to L => Dangerous view:public.kept REVOKE SELECT ON public.kept FROM L
    grant temp on database D to public => Unused temp REVOKE TEMPORARY ON DATABASE D FROM PUBLIC
    grant create on database D to L => Unused create REVOKE CREATE ON DATABASE D FROM L
    grant create on schema public to L => Unused create:public REVOKE CREATE ON SCHEMA public FROM L
    grant trigger on public.orders to L => Unused trigger:public.orders REVOKE TRIGGER ON public.orders FROM L
    grant references (no) on public.orders to L => Unused references:public.orders REVOKE REFERENCES ON public.orders FROM L
    grant update on sequence public.orders_no_seq to L => Unused update:public.orders_no_seq REVOKE UPDATE ON SEQUENCE public.orders_no_seq FROM L
    grant usage on sequence public.counter to L => Unused usage:public.counter REVOKE USAGE ON SEQUENCE public.counter FROM L
    grant execute on function public.rich() to L => Unused execute:public.rich() REVOKE EXECUTE ON ROUTINE public.rich() FROM L
    create role L_friend; grant L_friend to L => Unused role:L_friend REVOKE L_friend FROM L
    "#;

#[tokio::test]
async fn each_right_beyond_the_tools_is_found_and_its_remedy_takes_it_away() {
    let Some((database, login)) = shop("l_mighty") else { return };
    let of = |text: &str| {
        text.replace("L_", &format!("{login}_"))
            .replace(" L", &format!(" {login}"))
            .replace("DATABASE D", "DATABASE l_mighty")
            .replace("database D", "database l_mighty")
    };
    for [grant, expected] in callgate_testkit::rows(MIGHTY) {
        database.run(&of(grant));
        let found = lines(&database, &login, &needs()).await;
        let expected = of(expected);
        assert!(found.contains(&expected), "{grant}: {expected}: {found:#?}");
        mend(&database, found);
        // A new owner's list of rights replaces that of the login, which may have lost one by a remedy.
        database.run(&of(&GRANTS.replace("LOGIN", "L")));
        assert_eq!(lines(&database, &login, &needs()).await, [""; 0], "{grant}");
    }
}

#[tokio::test]
async fn a_right_that_is_allowed_by_name_is_no_finding_unless_it_is_dangerous() {
    let Some((database, login)) = shop("l_allowed") else { return };
    database.run(&format!(
        "grant temp on database l_allowed to {login}; grant truncate on public.orders to {login}"
    ));
    let allowed = names(&["temp", "truncate:public.orders"]);
    let found = lines(&database, &login, &Needs { allowed, ..needs() }).await;
    assert_eq!(
        found,
        [format!("Dangerous truncate:public.orders REVOKE TRUNCATE ON public.orders FROM {login}")]
    );
    // The functions that the operator's own statements call may need it.
    let own_writes = vec![StatementWords::new("select public.tidy()")];
    let found = lines(&database, &login, &Needs { own_writes, ..needs() }).await;
    assert!(found.iter().all(|finding| finding.starts_with("Unused ")), "{found:?}");
}

#[tokio::test]
async fn a_right_that_is_missing_is_granted_by_its_remedy() {
    let Some((database, login)) = shop("l_missing") else { return };
    database.run(&format!("revoke all on public.orders, public.orders_no_seq from {login}; revoke usage on schema public from public"));
    let found = lines(&database, &login, &needs()).await;
    assert_eq!(
        found,
        [
            format!("Missing delete:public.orders GRANT DELETE ON public.orders TO \"{login}\""),
            format!(
                "Missing insert:public.orders GRANT INSERT (\"owner\", \"total\") ON public.orders TO \"{login}\""
            ),
            format!(
                "Missing select:public.orders GRANT SELECT (\"no\", \"owner\", \"total\") ON public.orders TO \"{login}\""
            ),
            format!(
                "Missing update:public.orders GRANT UPDATE (\"total\") ON public.orders TO \"{login}\""
            ),
            format!("Missing usage:public GRANT USAGE ON SCHEMA public TO \"{login}\""),
            format!(
                "Missing usage:public.orders_no_seq GRANT USAGE ON SEQUENCE public.orders_no_seq TO \"{login}\""
            ),
        ]
    );
    mend(&database, found);
    assert_eq!(lines(&database, &login, &needs()).await, [""; 0]);
}

#[tokio::test]
async fn the_roles_of_transactions_need_the_rights_and_the_login_needs_the_roles() {
    let Some((database, login)) = shop("l_roles") else { return };
    let role = format!("{login}_support");
    database.run(&format!("create role {role}"));
    let needs = Needs { roles: names(&[&role]), ..needs() };
    let found = lines(&database, &login, &needs).await;
    assert_eq!(found, [format!("Missing role:{role} GRANT \"{role}\" TO \"{login}\"")]);
    database.run(&format!("grant {role} to {login}"));
    assert_eq!(lines(&database, &login, &needs).await.len(), 5);
    database.run(&GRANTS.replace("LOGIN", &role));
    assert_eq!(lines(&database, &login, &needs).await, [""; 0]);
}

#[tokio::test]
async fn a_login_for_sql_of_a_model_may_read_the_listed_columns_and_run_harmless_functions() {
    let Some((database, login)) = shop("l_query") else { return };
    database.run(&format!(
        "revoke all on public.orders, public.orders_no_seq from {login}; grant select on public.orders, public.secrets to {login};
         grant execute on function public.odd(int, text) to {login};
         select lo_create(4711); grant select on large object 4711 to {login}"
    ));
    let mut needs = Needs { is_for_query: true, ..needs() };
    for table in needs.tables.values_mut() {
        *table = TableNeeds { selects: names(&["no", "total"]), ..TableNeeds::default() };
    }
    let found = lines(&database, &login, &needs).await;
    for expected in [
        "Dangerous select:public.orders REVOKE SELECT ON public.orders FROM L; GRANT SELECT (\"no\", \"total\") ON public.orders TO L",
        "Dangerous select:public.secrets REVOKE SELECT ON public.secrets FROM L",
        "Unused execute:public.odd(integer,text) REVOKE EXECUTE ON ROUTINE public.odd(integer,text) FROM L",
        "Dangerous large_object:4711 REVOKE ALL ON LARGE OBJECT 4711 FROM L",
    ] {
        let expected = expected.replace(" L;", &format!(" {login};"));
        let expected = match expected.strip_suffix(" L") {
            Some(rest) => format!("{rest} {login}"),
            None => expected,
        };
        assert!(found.contains(&expected), "{expected}: {found:#?}");
    }
    let own = found.iter().find(|it| it.starts_with("Dangerous execute:pg_catalog REVOKE EXECUTE"));
    for function in [
        "set_config(text,text,boolean)",
        "pg_notify(text,text)",
        "pg_terminate_backend(integer,bigint)",
        "pg_advisory_lock(bigint)",
        "lo_from_bytea(oid,bytea)",
    ] {
        assert!(own.is_some_and(|own| own.contains(function)), "{function}: {own:?}");
    }
    assert!(!found.iter().any(|finding| finding.contains("random()")), "{found:#?}");
    mend(&database, found);
    assert_eq!(lines(&database, &login, &needs).await, [""; 0]);
    let orders = connect(&database, &login).await;
    assert!(
        orders.run(read([rows("select set_config('a.b', 'c', true)", &[])]), soon()).await.is_err()
    );
    let came =
        orders.run(read([rows("select count(*)::text from public.orders", &[])]), soon()).await;
    assert_eq!(value(&came.unwrap()), "0");
}
