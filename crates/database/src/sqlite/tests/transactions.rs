//! Transactions: rows, counts, expectations and failures.

use super::{Shop, affected, read, rows, run, step, texts, write};
use crate::transaction::{Access, Constraint, Expects, Failure, ReviewedDigest};

#[tokio::test]
async fn rows_are_texts() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let rows = read(&driver, "select no, owner, note, x'00ff', 0.5 from orders where no = 3").await;
    let expected = ["3", "ann", "", "00FF", "0.5"].map(|text| Some(text.to_owned()));
    let [mut row] = <[_; 1]>::try_from(rows.unwrap()).unwrap();
    assert_eq!(row[2], None);
    row[2] = Some(String::new());
    assert_eq!(row, expected);
}

#[tokio::test]
async fn values_are_bound_in_their_order() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let text = "select no from orders where owner = ?1 and no > cast(?2 as integer)";
    let step = step(text, &[Some("ann"), Some("1")], Expects::Rows { most: 10 });
    let came = run(&driver, Access::Read, vec![step]).await.unwrap();
    assert_eq!(came[0].rows.to_texts(), texts(&[&["3"]]));
}

#[tokio::test]
async fn at_most_the_wanted_rows_are_fetched() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let text = "select no from orders order by no";
    let came = run(&driver, Access::Read, vec![step(text, &[], Expects::Rows { most: 2 })]).await;
    assert_eq!(came.unwrap()[0].rows.to_texts(), texts(&[&["1"], &["2"]]));
}

#[tokio::test]
async fn a_change_that_holds_is_committed_with_its_count() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let step = step(
        "update orders set note = ?1 where owner = ?2 returning no",
        &[None, Some("ann")],
        Expects::Affected { most: 2, some: true },
    );
    let came = run(&driver, Access::Write, vec![step]).await.unwrap();
    assert_eq!((came[0].affected, came[0].rows.len()), (2, 2));
    assert_eq!(shop.text("select count(*) from orders where note is null"), "2");
}

#[tokio::test]
async fn a_change_of_too_many_rows_is_rolled_back() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let failure = write(&driver, "delete from orders where owner = 'ann'").await;
    assert_eq!(failure, Err(Failure::TooMany { affected: 2 }));
    let failure = write(&driver, "update orders set note = null returning no").await;
    assert_eq!(failure, Err(Failure::TooMany { affected: 3 }));
    assert_eq!(shop.text("select count(note) from orders"), "2");
}

#[tokio::test]
async fn a_change_of_no_row_is_unexpected_where_one_is_needed() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let failure = write(&driver, "delete from orders where no = 9").await;
    assert_eq!(failure, Err(Failure::Unexpected { step: 0 }));
    let text = "delete from orders where no = 9";
    let step = step(text, &[], Expects::Affected { most: 1, some: false });
    let came = run(&driver, Access::Write, vec![step]).await.unwrap();
    assert_eq!(came[0].affected, 0);
}

#[tokio::test]
async fn a_failed_step_undoes_those_before_it() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let steps = vec![
        affected("delete from orders where no = 1", 1),
        step("select 1 from orders where no = 9", &[], Expects::Present),
    ];
    let failure = run(&driver, Access::Write, steps).await.unwrap_err();
    assert_eq!(failure, Failure::Unexpected { step: 1 });
    assert_eq!(shop.text("select count(*) from orders"), "3");
}

#[tokio::test]
async fn a_select_before_a_change_does_not_count_as_one() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let steps = vec![
        affected("delete from orders where no = 1", 1),
        step("select no from orders", &[], Expects::Affected { most: 5, some: false }),
    ];
    let came = run(&driver, Access::Write, steps).await.unwrap();
    assert_eq!(came[1].affected, 0);
}

#[tokio::test]
async fn rows_must_be_those_that_were_reviewed() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let text = "select no, note from orders order by no";
    let reviewed = ReviewedDigest::from_rows(&read(&driver, text).await.unwrap().into());
    let steps = || {
        vec![
            step(text, &[], Expects::Reviewed(reviewed)),
            affected("update orders set note = 'x' where no = 1", 1),
        ]
    };
    run(&driver, Access::Write, steps()).await.unwrap();
    let failure = run(&driver, Access::Write, steps()).await.unwrap_err();
    assert_eq!(failure, Failure::Unexpected { step: 0 });
}

#[tokio::test]
async fn a_read_changes_nothing() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let steps = vec![affected("delete from orders where no = 1", 1)];
    assert_eq!(run(&driver, Access::Read, steps).await.unwrap_err(), Failure::Denied);
    let steps = vec![rows("delete from orders returning no")];
    assert_eq!(run(&driver, Access::Read, steps).await.unwrap_err(), Failure::Denied);
    assert_eq!(shop.text("select count(*) from orders"), "3");
}

#[track_caller]
fn constraint(failure: &Failure, kind: Constraint, name: Option<&str>, column: Option<&str>) {
    let columns = column.into_iter().flat_map(|names| names.split(' ')).map(str::to_owned);
    let (name, columns) = (name.map(str::to_owned), columns.collect());
    assert_eq!(*failure, Failure::Constraint { kind, name, columns });
}

#[tokio::test]
async fn constraints_are_named_without_values() {
    let shop = Shop::new(&format!(
        "{} create table items (no integer references orders (no), a text, b text, unique (a, b)); \
         create unique index by_lower on orders (lower(owner || no)); \
         create table typed (n integer) strict;",
        super::ORDERS
    ));
    let driver = shop.connect().await;
    driver.describe("insert into orders values (?, ?, ?, ?)").await.unwrap();
    driver.describe("insert into items values (?, ?, ?)").await.unwrap();
    driver.describe("insert into typed values (?)").await.unwrap();
    let failure =
        async |values: &str| write(&driver, &format!("insert into {values}")).await.unwrap_err();
    constraint(
        &failure("orders values (1, 'x', 0, 'x')").await,
        Constraint::Unique,
        None,
        Some("no"),
    );
    constraint(
        &failure("orders values (9, 'x', 0, 'first')").await,
        Constraint::Unique,
        None,
        Some("note"),
    );
    constraint(
        &failure("orders values (9, null, 0, 'x')").await,
        Constraint::NotNull,
        None,
        Some("owner"),
    );
    constraint(
        &failure("orders values (9, 'x', -1, 'x')").await,
        Constraint::Check,
        Some("not_negative"),
        None,
    );
    constraint(&failure("items values (9, 'a', 'b')").await, Constraint::ForeignKey, None, None);
    write(&driver, "insert into items values (1, 'a', 'b')").await.unwrap();
    constraint(&failure("items values (1, 'a', 'b')").await, Constraint::Unique, None, Some("a b"));
    assert_eq!(failure("typed values ('x')").await, Failure::InvalidValue);
}

#[tokio::test]
async fn the_words_of_a_trigger_are_nobodys() {
    let shop = Shop::new(&format!(
        "{} create trigger no_deletes before delete on orders \
         begin select raise(abort, 'row of ann: first'); end;",
        super::ORDERS
    ));
    let driver = shop.with_orders().await;
    let failure = write(&driver, "delete from orders where no = 1").await.unwrap_err();
    constraint(&failure, Constraint::Check, None, None);
}
