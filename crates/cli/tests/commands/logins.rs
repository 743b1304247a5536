//! Logins with rights that are missing or too many: what `check` prints is run as printed, and then `check` and `doctor` pass. Without servers
//! (`tests/interop/databases`, `tests/interop/mariadb`) these tests say so and end.

use callgate_testkit::{MariadbServer, PostgresServer, rows};

use crate::prelude::*;

const CONFIGURATION: &str = "toolsets:
  shop:
    database: { url: 'env:SHOP_DATABASE' }
    entities:
      orders:
        table: orders
        fields: [no, owner, total]
        input_fields: { create: [owner, total], update: [total] }
        operations: [list, get, create, update, delete]
      items: { table: items, fields: [no, name] }
";

/// Logins that lack rights or have others, by statements of the superuser. `L` is the login, `D` the database.
const OF_POSTGRES: &str = "
    nothing at all => revoke all on orders, items, orders_no_seq from L
    no right to read a table => revoke select on items from L
    no right to read a column => revoke select (total) on orders from L
    no right to read one column of each table => revoke select (no) on orders from L; revoke select (name) on items from L
    no right to add rows => revoke insert on orders from L
    no right to change a column => revoke update (total) on orders from L
    no right to delete => revoke delete on orders from L
    no right to number rows => revoke usage on sequence orders_no_seq from L
    no right to use the schema => revoke usage on schema public from public, L
    all rights on a table => grant all on orders to L
    all rights on a table with that to grant them => grant all on orders to L with grant option
    a right to change another column => grant update (note) on orders to L
    a right to change all columns, and not to add one => grant update on orders to L; revoke insert (total) on orders from L
    rights of everybody => grant insert, update, delete on items to public
    rights on a table that no tool uses => grant select, insert, update, delete, truncate on secrets to L
    rights to refer and to make triggers => grant references, trigger on orders to L; grant references (no) on items to L
    attributes => alter role L createdb createrole replication bypassrls
    a role of the server => grant pg_read_all_data to L; grant pg_signal_backend to L
    a role with rights, and none of its own => create role L_group; grant select, insert, update, delete on orders, items to L_group; grant usage on sequence orders_no_seq to L_group; revoke all on orders, items, orders_no_seq from L; grant L_group to L
    rights on the schema and the database => grant create on schema public to L; grant create, temporary on database D to L
    ownership => alter table items owner to L
    ownership of the schema and of a view => create view short as select no from orders; alter view short owner to L; create schema sales authorization L
    rights on sequences => grant all on sequence orders_no_seq to L; create sequence other; grant all on sequence other to L
";

/// A login sees no table on which it has no right at all: `check` names those that it sees.
const OF_MARIADB: &str = "
    no right to read one column of a table => revoke select (no) on items from L; grant insert (no) on items to L
    no right to read a column => revoke select (total) on orders from L
    no right to add rows => revoke insert (owner, total) on orders from L
    no right to change a column => revoke update (total) on orders from L
    no right to delete => revoke delete on orders from L
    nothing on one table and too much on the other => revoke delete on orders from L; grant all privileges on items to L
    all rights on a table => grant all privileges on orders to L
    all rights on the database with that to grant them => grant all privileges on D.* to L with grant option
    a right to change another column => grant update (note) on orders to L
    a right to change all columns, and not to add one => grant update on orders to L; revoke insert (total) on orders from L
    rights on every database => grant select, insert on *.* to L
    rights on the server => grant file, process, super, reload, create user on *.* to L
    rights on a table that no tool uses => grant select, insert, update, delete on secrets to L
    rights on tables of the server => grant select, update on mysql.user to L
    a role => create role L_group; grant delete on D.secrets to L_group; grant L_group to L
    a role that it may give to others => create role L_friend; grant L_friend to L with admin option
    rights to make things => grant create, alter, drop, index, create view, create routine, event, trigger on D.* to L
    rights to run things => grant execute on D.* to L; grant lock tables, create temporary tables on D.* to L
    rights of everybody => grant update on D.items to public
";

/// Runs `check` or `doctor` as a login.
fn run(folder: &TempDir, url: &str, command: &str) -> Ended {
    let mut command = command_in(folder.path(), &[command, "callgate.yaml"]);
    command.env("XDG_CONFIG_HOME", folder.path().join("home"));
    Ended::of(command.env("SHOP_DATABASE", url))
}

/// The statements among the remedies that are printed.
fn statements(ended: &Ended) -> Vec<String> {
    let text = format!("{}{}", ended.out, ended.err);
    let remedies = text.lines().filter_map(|line| Some(line.split_once("help: ")?.1));
    let is_statement =
        |remedy: &&str| ["ALTER ", "GRANT ", "REVOKE "].iter().any(|verb| remedy.starts_with(verb));
    let statement = |remedy: &str| remedy.split("; or accept it by").next().unwrap().to_owned();
    remedies.filter(is_statement).map(statement).collect()
}

/// Checks that the remedies for a login make it pass. `make` makes the login and returns its address, `mend` runs a statement.
fn check(
    logins: &str,
    make: impl Fn(usize, &str) -> String,
    mend: impl Fn(&str),
    forget: impl Fn(usize),
) {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "callgate.yaml", CONFIGURATION);
    for (at, [what, script]) in rows(logins).enumerate() {
        let url = make(at, script);
        let mut checked = run(&folder, &url, "check");
        assert_eq!(checked.code, Some(2), "{what}: {checked:?}");
        // A role that is taken away takes rights with it, which are granted by the second round.
        for _ in 0..2 {
            let remedies = statements(&checked);
            assert!(checked.code == Some(0) || !remedies.is_empty(), "{what}: {checked:?}");
            for statement in &remedies {
                mend(statement);
            }
            checked = run(&folder, &url, "check");
        }
        for mended in [checked, run(&folder, &url, "doctor")] {
            assert_eq!(mended.code, Some(0), "{what}: {mended:?}");
        }
        forget(at);
    }
}

#[test]
fn remedies_for_logins_of_postgresql_make_them_pass() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let script = "create table orders (no serial primary key, owner text, total int, note text);
        create table items (no int primary key, name text); create table secrets (n int);
        revoke temp on database cli_logins from public";
    let database = server.database("cli_logins", script);
    let name = |at: usize| format!("cli_logins_{at}");
    let make = |at: usize, script: &str| {
        let login = database.login(&at.to_string());
        let exact = "grant usage on schema public to L; grant select (no, owner, total), insert (owner, total), update (total), delete on orders to L;
            grant select (no, name) on items to L; grant usage on sequence orders_no_seq to L; ";
        let script = format!("{exact}{script}").replace("L_", &format!("{login}_"));
        let script = script.replace(" D to", " cli_logins to");
        let script = script.replace(" L", &format!(" {login}"));
        database.run(&script);
        database.url(&login)
    };
    let forget = |at: usize| {
        database.run("grant usage on schema public to public; drop view if exists short; drop schema if exists sales");
        database.run(&format!("drop owned by {0}; drop role {0}", name(at)));
    };
    check(OF_POSTGRES, make, |statement| drop(database.run(statement)), forget);
}

#[test]
fn remedies_for_logins_of_mariadb_make_them_pass() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let script = "create table orders (no int auto_increment primary key, owner varchar(9), total int, note text);
        create table items (no int primary key, name varchar(9)); create table secrets (n int)";
    let database = server.database("cli_logins", script);
    let make = |at: usize, script: &str| {
        let login = database.login(&at.to_string());
        let exact = "grant select (no, owner, total), insert (owner, total), update (total), delete on orders to L; grant select (no, name) on items to L; ";
        let script = format!("{exact}{script}").replace("L_", &format!("{login}_"));
        let script = script.replace(" D.", " cli_logins.").replace(" L", &format!(" {login}"));
        database.run(&script);
        database.url(&login)
    };
    let forget = |at: usize| drop(database.run(&format!("drop user cli_logins_{at}")));
    check(OF_MARIADB, make, |statement| drop(database.run(statement)), forget);
}
