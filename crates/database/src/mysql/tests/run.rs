//! Tests of transactions: what they come to, what they expect, and how they fail.

use callgate_testkit::shortest_time;

use super::*;
use crate::transaction::{Constraint, ReviewedDigest};

const SHOP: &str = "create table orders (
        no bigint primary key, owner varchar(40) not null, total decimal(20,4) check (total >= 0), note varchar(40) unique,
        parent bigint, foreign key (parent) references orders (no));
    insert into orders values (1, 'ann', 1.5, 'a', null), (2, 'bob', 2, 'b', null), (3, 'bob', 3, 'c', null);
    delimiter //
    create trigger loud before insert on orders for each row
        if new.note = 'raise' then signal sqlstate '45000' set message_text = 'secret row of bob'; end if //";

const INSERT: &str = "insert into orders (no, owner, total, note, parent) values (?, ?, ?, ?, ?)";

async fn shop(name: &str) -> Option<(MariadbDatabase, Mysql)> {
    let database = MariadbServer::of_machine()?.database(name, SHOP);
    let login = database.login("a");
    database.run(&format!(
        "grant select on {name}.* to {login};
         grant insert, update, delete on {name}.orders to {login}"
    ));
    let mysql = connect(&database, &login).await;
    Some((database, mysql))
}

#[tokio::test]
async fn rows_are_read_as_texts_and_cut_where_the_step_ends() {
    let Some((_, mysql)) = shop("m_rows").await else { return };
    let select = "select cast(no as char), cast(total as char), parent from orders where owner = ? order by no";
    let transaction = read([rows(select, &["bob"]), rows(select, &["ann"])]);
    let came = mysql.run(transaction, soon()).await.unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        came[0].rows.to_texts(),
        [[text("2"), text("2.0000"), None], [text("3"), text("3.0000"), None]]
    );
    assert_eq!(came[1].rows.to_texts(), [[text("1"), text("1.5000"), None]]);
    // The server makes no more rows of a reading than are read, and the next call is not disturbed.
    let endless = step("select seq from seq_1_to_100000000", &[], Expects::Rows { most: 51 });
    let most = Duration::from_secs(2);
    let took = shortest_time(most, async || {
        let begun = Instant::now();
        let came = mysql.run(read([endless.clone()]), soon()).await.unwrap();
        assert_eq!(came[0].rows.len(), 51);
        begun.elapsed()
    });
    let took = took.await;
    assert!(took <= most, "{took:?}");
    let came = mysql.run(read([endless, rows("select '8'", &[])]), soon()).await.unwrap();
    assert_eq!(came[0].rows.len(), 51);
    assert_eq!(value(&mysql.run(read([rows("select '7'", &[])]), soon()).await.unwrap()), "7");
}

#[tokio::test]
async fn a_write_is_committed_if_every_step_came_to_what_it_expects() {
    let Some((database, mysql)) = shop("m_write").await else { return };
    let insert = |no: &str, note: &str| one(INSERT, &[no, "ann", "1", note, "1"]);
    let present = |no: &str| step("select 1 from orders where no = ?", &[no], Expects::Present);
    let came = mysql.run(write([present("1"), insert("10", "j")]), soon()).await.unwrap();
    assert_eq!(came[1].affected, 1);
    let failed = mysql.run(write([present("99"), insert("11", "k")]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::Unexpected { step: 0 });
    let update =
        |most| step("update orders set note = null", &[], Expects::Affected { most, some: true });
    let failed = mysql.run(write([update(3)]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::TooMany { affected: 4 });
    // A row that is as it should be is one that was found.
    let same = one("update orders set owner = 'ann' where no = 1", &[]);
    assert_eq!(mysql.run(write([same]), soon()).await.unwrap()[0].affected, 1);
    let text = "select owner from orders where no = 1";
    let reviewed = |owner: &str| {
        let rows = [vec![Some(owner.to_owned())]];
        step(text, &[], Expects::Reviewed(ReviewedDigest::from_rows(&rows.to_vec().into())))
    };
    let delete = || one("delete from orders where no = 10", &[]);
    let failed = mysql.run(write([reviewed("bob"), delete()]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::Unexpected { step: 0 });
    mysql.run(write([reviewed("ann"), delete()]), soon()).await.unwrap();
    assert_eq!(database.run("select count(*), count(note) from orders"), "3|3");
}

#[tokio::test]
async fn a_failure_says_its_kind_and_no_value_of_a_row() {
    let Some((database, mysql)) = shop("m_failures").await else { return };
    let constraint = |kind, name: &str| Failure::Constraint {
        kind,
        name: Some(name.to_owned()),
        columns: Vec::new(),
    };
    for (values, failure) in [
        (["1", "ann", "1", "x", "1"], constraint(Constraint::Unique, "PRIMARY")),
        (["9", "ann", "1", "a", "1"], constraint(Constraint::Unique, "note")),
        (["9", "ann", "-1", "x", "1"], constraint(Constraint::Check, "total")),
        (["9", "ann", "1", "x", "99"], constraint(Constraint::ForeignKey, "orders_ibfk_1")),
        (["9", "ann", "much", "x", "1"], Failure::InvalidValue),
        (["9", "ann", "1", &"x".repeat(41), "1"], Failure::InvalidValue),
        (["9", "ann", "1", "raise", "1"], Failure::Other { code: Some("1644".to_owned()) }),
    ] {
        let failed = mysql.run(write([one(INSERT, &values)]), soon()).await;
        assert_eq!(failed.unwrap_err(), failure, "{values:?}");
    }
    let null = Step {
        values: ["9", "", "1", "x", "1"]
            .map(|it| Some(it.to_owned()).filter(|it| !it.is_empty()))
            .into(),
        ..one(INSERT, &[])
    };
    let failed = mysql.run(write([null]), soon()).await;
    let missing = Failure::Constraint {
        kind: Constraint::NotNull,
        name: None,
        columns: vec!["owner".to_owned()],
    };
    assert_eq!(failed.unwrap_err(), missing);
    let denied = mysql.run(read([one("delete from orders where no = 1", &[])]), soon()).await;
    assert_eq!(denied.unwrap_err(), Failure::ReadOnly);
    for (text, failure) in [
        ("select nope from orders", Failure::Stale),
        ("select no from nothing", Failure::Stale),
        ("select user from mysql.user", Failure::Denied),
        (
            "select 1; select 2",
            Failure::Malformed { code: Some("1064".to_owned()), position: None },
        ),
    ] {
        let failed = mysql.run(read([rows(text, &[])]), soon()).await;
        assert_eq!(failed.unwrap_err(), failure, "{text}");
    }
    assert_eq!(database.run("select count(*) from orders"), "3");
}

const HOLDS: &str =
    "begin; select no from orders where no = 1 for update; select sleep(4); rollback";

const IS_HELD: &str =
    "select count(*) from information_schema.processlist where info like 'select sleep(4)%'";

#[tokio::test]
async fn a_lock_of_another_ends_a_write_in_its_own_time() {
    let Some((database, mysql)) = shop("m_locks").await else { return };
    let holder = {
        let database = database.clone();
        tokio::task::spawn_blocking(move || database.run(HOLDS))
    };
    while database.run(IS_HELD) == "0" {}
    let begun = Instant::now();
    let update = one("update orders set owner = 'x' where no = 1", &[]);
    let failed = mysql.run(write([update]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::Conflict);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    holder.await.unwrap();
}
