//! Tests of transactions: what they come to, what they expect, and how they fail.

use callgate_testkit::list;

use super::*;
use crate::transaction::ReviewedDigest;

const SHOP: &str = "create table public.orders (
        no bigint primary key, owner text not null, total numeric(20,4) check (total >= 0), note text unique,
        parent bigint references public.orders deferrable initially deferred);
    insert into public.orders values (1, 'ann', 1.5000, 'a', null), (2, 'bob', 2, 'b', null), (3, 'bob', 3, 'c', null);
    create view public.cheap as select * from public.orders where total < 100 with check option;
    create function public.loud() returns trigger language plpgsql as
        $$ begin if new.note = 'raise' then raise 'secret row of bob'; end if; return new; end $$;
    create trigger loud before insert on public.orders for each row execute function public.loud();";

const INSERT: &str = "insert into public.orders (no, owner, total, note, parent)
    values ($1::text::bigint, $2::text, $3::text::numeric, $4::text, $5::text::bigint) returning no::text";

async fn shop(name: &str) -> Option<(PostgresDatabase, Postgres)> {
    let database = PostgresServer::of_machine()?.database(name, SHOP);
    let login = database.login("a");
    database.run(&format!(
        "grant select, insert, update, delete on all tables in schema public to {login}"
    ));
    let postgres = connect(&database, &login).await;
    Some((database, postgres))
}

#[tokio::test]
async fn rows_are_read_as_texts_and_cut_where_the_step_ends() {
    let Some((_, postgres)) = shop("r_rows").await else { return };
    let select = "select no::text, total::text, parent::text from public.orders where owner = $1 order by no";
    let came =
        postgres.run(read([rows(select, &["bob"]), rows(select, &["ann"])]), soon()).await.unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        came[0].rows.to_texts(),
        [[text("2"), text("2.0000"), None], [text("3"), text("3.0000"), None]]
    );
    assert_eq!(came[1].rows.to_texts(), [[text("1"), text("1.5000"), None]]);
    // A step without a limit of its own does not fetch more than it may, and the next call is not disturbed.
    let endless = step(
        "select a::text from generate_series(1, 10000) a, generate_series(1, 10000) b",
        &[],
        Expects::Rows { most: 51 },
    );
    let begun = Instant::now();
    let came = postgres.run(read([endless]), Instant::now() + Duration::from_mins(1)).await;
    let came = came.map(|came| came[0].rows.len());
    assert!(matches!(came, Ok(51)), "{came:?} {:?}", begun.elapsed());
    assert_eq!(value(&postgres.run(read([rows("select '7'", &[])]), soon()).await.unwrap()), "7");
}

#[tokio::test]
async fn a_write_is_committed_if_every_step_came_to_what_it_expects() {
    let Some((database, postgres)) = shop("r_write").await else { return };
    let insert = |no: &str, note: &str| {
        step(INSERT, &[no, "ann", "1", note, "1"], Expects::Affected { most: 1, some: true })
    };
    let present = |no: &str| {
        step(
            "select 1 from public.orders where no = $1::text::bigint for key share",
            &[no],
            Expects::Present,
        )
    };
    let came = postgres.run(write([present("1"), insert("10", "j")]), soon()).await.unwrap();
    assert_eq!((came[1].affected, value(&came)), (1, "10"));
    let failed = postgres.run(write([present("99"), insert("11", "k")]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::Unexpected { step: 0 });
    let update = |most| {
        step("update public.orders set note = null", &[], Expects::Affected { most, some: true })
    };
    let failed = postgres.run(write([update(3)]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::TooMany { affected: 4 });
    let none = step(
        "delete from public.orders where no = 99",
        &[],
        Expects::Affected { most: 1, some: true },
    );
    assert_eq!(
        postgres.run(write([none.clone()]), soon()).await.unwrap_err(),
        Failure::Unexpected { step: 0 }
    );
    let none = Step { expects: Expects::Affected { most: 1, some: false }, ..none };
    assert_eq!(postgres.run(write([none]), soon()).await.unwrap()[0].affected, 0);
    assert_eq!(
        database.run("select string_agg(no || coalesce(note, '-'), ',' order by no) from orders"),
        "1a,2b,3c,10j"
    );
}

#[tokio::test]
async fn rows_that_a_person_reviewed_must_be_the_same() {
    let Some((database, postgres)) = shop("r_reviewed").await else { return };
    let select =
        "select no::text, note from public.orders where owner = 'bob' order by no for update";
    let seen = postgres.run(write([rows(select, &[])]), soon()).await.unwrap();
    let reviewed = step(select, &[], Expects::Reviewed(ReviewedDigest::from_rows(&seen[0].rows)));
    let delete = step(
        "delete from public.orders where owner = 'bob'",
        &[],
        Expects::Affected { most: 2, some: true },
    );
    database.run("update orders set note = 'changed' where no = 3");
    let failed = postgres.run(write([reviewed.clone(), delete.clone()]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::Unexpected { step: 0 });
    database.run("update orders set note = 'c' where no = 3");
    assert_eq!(postgres.run(write([reviewed, delete]), soon()).await.unwrap()[1].affected, 2);
}

#[tokio::test]
async fn a_read_writes_nothing() {
    let Some((database, postgres)) = shop("r_read").await else { return };
    let insert = step(INSERT, &["9", "ann", "1", "z", "1"], Expects::Rows { most: 1 });
    assert_eq!(postgres.run(read([insert]), soon()).await.unwrap_err(), Failure::ReadOnly);
    assert_eq!(database.run("select count(*) from orders"), "3");
}

/// Statements, their values, and the failures that they come to.
const REFUSALS: &str = r#"
    INSERT => 1 | ann | 1 | z | 1 => Constraint { kind: Unique, name: Some("orders_pkey"), columns: [] }
    INSERT => 9 | ann | 1 | a | 1 => Constraint { kind: Unique, name: Some("orders_note_key"), columns: [] }
    INSERT => 9 | ann | -1 | z | 1 => Constraint { kind: Check, name: Some("orders_total_check"), columns: [] }
    INSERT => 9 | ann | 1 | z | 99 => Constraint { kind: ForeignKey, name: Some("orders_parent_fkey"), columns: [] }
    INSERT => 9 | ann | 1 | raise | 1 => Other { code: Some("P0001") }
    INSERT => x | ann | 1 | z | 1 => InvalidValue
    INSERT => 9 | a\0b | 1 | z | 1 => InvalidValue
    INSERT => 9 | ann | 1e99 | z | 1 => InvalidValue
    INSERT => 99999999999999999999 | ann | 1 | z | 1 => InvalidValue
    insert into public.orders (no) values (9) =>  => Constraint { kind: NotNull, name: None, columns: ["owner"] }
    insert into public.cheap (no, owner, total) values (9, 'ann', 100) =>  => Constraint { kind: Check, name: None, columns: [] }
    insert into public.spans values ('[2,3)') =>  => Constraint { kind: Unique, name: Some("spans_s_excl"), columns: [] }
    insert into public.secrets values (1) =>  => Denied
    insert into public.nothing values (1) =>  => Stale
    insert into nowhere.orders values (1) =>  => Stale
    insert into public.orders (nothing) values (1) =>  => Stale
    update public.orders set no = public.nothing(no) =>  => Stale
    update public.orders set note = 'x'::public.nothing =>  => Stale
    update public.orders set total = 1/(no-1) =>  => InvalidValue
    commit; drop table public.orders =>  => Malformed { code: Some("42601"), position: None }
    "#;

#[tokio::test]
async fn each_refusal_of_the_server_has_its_failure() {
    let Some((database, postgres)) = shop("r_failures").await else { return };
    database.run("create table public.secrets (n int); create table public.spans (s int4range, exclude using gist (s with &&));
        insert into public.spans values ('[1,5)'); grant all on public.spans to r_failures_a");
    for [text, values, failure] in callgate_testkit::rows(REFUSALS) {
        let (text, values) = (text.replace("INSERT", INSERT), values.replace("\\0", "\0"));
        let step = step(&text, &list(&values), Expects::Affected { most: 9, some: false });
        let failed = postgres.run(write([step]), soon()).await.unwrap_err();
        assert_eq!(format!("{failed:?}"), failure, "{text} {values:?}");
    }
    assert_eq!(database.run("select count(*) from orders"), "3");
}

#[tokio::test]
async fn a_lock_of_others_is_a_conflict() {
    let Some((database, postgres)) = shop("r_lock").await else { return };
    let locked = connect(&database, "r_lock_a").await;
    let hold = write([
        one("update public.orders set note = 'x' where no = 1", &[]),
        rows("select pg_sleep(1)::text", &[]),
    ]);
    let change = write([
        rows("select pg_sleep(0.3)::text", &[]),
        one("update public.orders set note = 'y' where no = 1", &[]),
    ]);
    let (held, changed) = tokio::join!(locked.run(hold, soon()), postgres.run(change, soon()));
    held.unwrap();
    assert_eq!(changed.unwrap_err(), Failure::Conflict);
}

#[tokio::test]
async fn a_type_that_changed_is_stale_and_not_guessed() {
    let Some((database, postgres)) = shop("r_stale").await else { return };
    let select = || read([rows("select note from public.orders order by no", &[])]);
    postgres.run(select(), soon()).await.unwrap();
    database.run("drop view public.cheap; alter table public.orders alter note type varchar(99)");
    assert_eq!(postgres.run(select(), soon()).await.unwrap_err(), Failure::Stale);
    database.run("alter table public.orders rename note to words");
    assert_eq!(postgres.run(select(), soon()).await.unwrap_err(), Failure::Stale);
}

#[tokio::test]
async fn a_number_that_became_larger_is_read_by_the_next_connection_and_any_other_type_is_stale() {
    let Some((database, postgres)) = shop("r_number").await else { return };
    database.run(
        "create table public.counts (n integer); insert into public.counts values (7);
         grant select on public.counts to r_number_a",
    );
    let run = async || {
        let step = rows("select n from public.counts", &[]);
        let came = postgres.run(Transaction { stands_alone: true, ..read([step]) }, soon()).await;
        came.map(|came| value(&came).to_owned())
    };
    // The first one prepares the statement.
    for _ in 0..2 {
        assert_eq!(run().await.unwrap(), "7");
    }
    database.run("alter table public.counts alter n type bigint");
    assert_eq!(run().await.unwrap_err(), Failure::Stale);
    for _ in 0..2 {
        assert_eq!(run().await.unwrap(), "7");
    }
    database.run("alter table public.counts alter n type numeric");
    for _ in 0..3 {
        assert_eq!(run().await.unwrap_err(), Failure::Stale);
    }
}

#[tokio::test]
async fn a_transaction_has_its_role_and_its_identity_and_the_next_one_has_neither() {
    let Some((database, postgres)) = shop("r_role").await else { return };
    database.run("create role r_role_b; alter role r_role_a noinherit; grant r_role_b to r_role_a; grant select on public.orders to r_role_b;
        create table public.of_role (n int); grant select on public.of_role to r_role_b");
    let who = || {
        read([rows("select concat_ws('|', current_user, current_setting('app.user', true))", &[])])
    };
    let identity = vec![("app.user".to_owned(), "' or true --".to_owned())];
    let role = Some("r_role_b".to_owned());
    let of_role = Transaction { identity, role, ..who() };
    assert_eq!(
        value(&postgres.run(of_role.clone(), soon()).await.unwrap()),
        "r_role_b|' or true --"
    );
    assert_eq!(value(&postgres.run(who(), soon()).await.unwrap()), "r_role_a|");
    // A statement that only the role may prepare.
    let steps = vec![rows("select count(*) from public.of_role", &[])];
    let came = postgres.run(Transaction { steps: steps.clone(), ..of_role.clone() }, soon()).await;
    assert_eq!(value(&came.unwrap()), "0");
    assert_eq!(postgres.run(read(steps), soon()).await.unwrap_err(), Failure::Denied);
    for role in ["r_role_c", "postgres", "none\"; reset role"] {
        let other = Transaction { role: Some(role.to_owned()), ..of_role.clone() };
        assert!(postgres.run(other, soon()).await.is_err(), "{role}");
    }
    assert_eq!(value(&postgres.run(who(), soon()).await.unwrap()), "r_role_a|");
}

#[tokio::test]
async fn a_login_that_may_not_execute_set_config_has_role_and_identity_too() {
    let Some((database, _)) = shop("r_unset").await else { return };
    database.run(
        "revoke execute on function set_config(text, text, boolean) from public;
        create role r_unset_b; grant r_unset_b to r_unset_a",
    );
    let postgres = connect(&database, "r_unset_a").await;
    let text = "select concat_ws('|', current_user, current_setting('app.user', true), current_setting('lock_timeout'))";
    let identity = vec![("app.user".to_owned(), r"o'neil\'; drop".to_owned())];
    let transaction =
        Transaction { identity, role: Some("r_unset_b".to_owned()), ..read([rows(text, &[])]) };
    assert_eq!(
        value(&postgres.run(transaction, soon()).await.unwrap()),
        r"r_unset_b|o'neil\'; drop|200ms"
    );
    let came = postgres.run(read([rows(text, &[])]), soon()).await.unwrap();
    assert_eq!(value(&came), "r_unset_a||200ms");
}

#[tokio::test]
async fn a_connection_serves_one_statement_of_a_model() {
    let Some((_, postgres)) = shop("r_query").await else { return };
    postgres.check_login(&Needs { is_for_query: true, ..Needs::default() }).await.unwrap();
    let lock = "select concat(pg_backend_pid(), '|', pg_try_advisory_lock(1), set_config('app.user', 'x', false))";
    let mut backends = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let came = postgres.run(read([rows(lock, &[])]), soon()).await.unwrap();
        let (backend, locked) = value(&came).split_once('|').unwrap();
        assert_eq!(locked, "tx");
        assert!(backends.insert(backend.to_owned()));
    }
    let failed = postgres.run(write([one(INSERT, &["9", "ann", "1", "z", "1"])]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::Denied);
}

/// The first call prepares the statement in a transaction; the next ones send it alone.
#[tokio::test]
async fn a_read_without_a_transaction_writes_nothing_and_ends_in_time() {
    let Some((database, postgres)) = shop("r_alone").await else { return };
    database
        .run("create sequence public.numbers; grant usage on sequence public.numbers to r_alone_a");
    let run = |text: &'static str, values: Vec<&'static str>, time| {
        let read = Transaction { stands_alone: true, ..read([rows(text, &values)]) };
        let postgres = &postgres;
        async move { postgres.run(read, Instant::now() + time).await }
    };
    let now = "select concat_ws('|', current_setting('statement_timeout') = '10s', current_setting('transaction_read_only'))";
    let mut texts = Vec::new();
    for _ in 0..2 {
        texts.push(value(&run(now, vec![], Duration::from_secs(9)).await.unwrap()).to_owned());
        let divided = "select (1 / $1::text::int)::text";
        assert_eq!(value(&run(divided, vec!["1"], Duration::from_secs(9)).await.unwrap()), "1");
        assert_eq!(
            run(divided, vec!["0"], Duration::from_secs(9)).await.unwrap_err(),
            Failure::InvalidValue
        );
        let drawn =
            run("select nextval('public.numbers')::text", vec![], Duration::from_secs(9)).await;
        assert!(drawn.is_err(), "{drawn:?}");
        let slept =
            run("select pg_sleep($1::text::float)::text", vec!["0"], Duration::from_secs(9)).await;
        assert!(slept.is_ok(), "{slept:?}");
        let slept =
            run("select pg_sleep($1::text::float)::text", vec!["9"], Duration::from_millis(200));
        let slept = slept.await.unwrap_err();
        assert!(matches!(slept, Failure::TimedOut { is_rolled_back: true }), "{slept:?}");
        texts.push(value(&run(now, vec![], Duration::from_secs(9)).await.unwrap()).to_owned());
        texts.push(value(&run(now, vec![], Duration::from_secs(9)).await.unwrap()).to_owned());
    }
    // A transaction has the time of its call, a connection that of all.
    assert_eq!(texts, ["f|on", "f|on", "t|on", "t|on", "f|on", "t|on"]);
    assert_eq!(database.run("select is_called from public.numbers"), "f");
}
