//! Other processes on the same file, and files that come and go.

use std::{fs, time::Duration};

use callgate_testkit::shortest_time;
use tokio::time::Instant;

use super::{ORDERS, Shop, affected, name, read, rows, run, texts, write};
use crate::{
    error::ErrorKind,
    login::Grade,
    transaction::{Access, Failure},
};

#[tokio::test]
async fn a_lock_of_another_process_is_a_conflict() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let other = shop.other();
    other.execute_batch("begin immediate").unwrap();
    let most = Duration::from_secs(1);
    let took = shortest_time(most, async || {
        let began = Instant::now();
        let failure = write(&driver, "delete from orders where no = 1").await;
        assert_eq!(failure, Err(Failure::Conflict));
        began.elapsed()
    });
    let took = took.await;
    assert!(took <= most, "{took:?}");
    other.execute_batch("rollback; begin exclusive").unwrap();
    assert_eq!(read(&driver, "select no from orders").await, Err(Failure::Conflict));
    other.execute_batch("rollback").unwrap();
    assert_eq!(write(&driver, "delete from orders where no = 1").await, Ok(1));
}

#[tokio::test]
async fn a_reader_that_stays_makes_a_commit_a_conflict() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let other = shop.other();
    let mut statement = other.prepare("select no from orders").unwrap();
    let mut open = statement.query([]).unwrap();
    open.next().unwrap();
    let failure = write(&driver, "delete from orders where no = 1").await;
    assert_eq!(failure, Err(Failure::Conflict));
    drop(open);
    assert_eq!(shop.text("select count(*) from orders"), "3");
    assert_eq!(write(&driver, "delete from orders where no = 1").await, Ok(1));
}

#[tokio::test]
async fn reads_go_on_beside_a_writer_in_wal_mode() {
    let shop = Shop::new(&format!("pragma journal_mode = wal; {ORDERS}"));
    let driver = shop.with_orders().await;
    let other = shop.other();
    other.execute_batch("begin immediate; delete from orders").unwrap();
    let count = read(&driver, "select count(*) from orders").await.unwrap();
    assert_eq!(count, texts(&[&["3"]]));
    other.execute_batch("commit").unwrap();
    assert_eq!(shop.text("pragma journal_mode"), "wal");
}

#[tokio::test]
async fn a_missing_file_is_said_and_not_made() {
    let shop = Shop::orders();
    let mut settings = shop.settings();
    settings.base = shop.folder.path().join("absent");
    let error = super::Sqlite::connect(&settings).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.to_string(), "the file of the database does not exist");
    assert!(!settings.base.exists());
}

#[tokio::test]
async fn a_file_without_a_database_is_unavailable() {
    let shop = Shop::orders();
    for (content, expected) in [
        (
            &b"not a database, but long enough to be one: ".repeat(40)[..],
            "the file is no database of SQLite",
        ),
        (&fs::read(shop.file()).unwrap()[..5000], "the file of the database is damaged"),
    ] {
        fs::write(shop.folder.path().join("other.db"), content).unwrap();
        let mut settings = shop.settings();
        settings.url = callgate_secret::Secret::new("sqlite:other.db".to_owned());
        let result = super::Sqlite::connect(&settings).await;
        let error = match result {
            Err(error) => error,
            Ok(driver) => driver.read_tables(&[name("orders")]).await.unwrap_err(),
        };
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unavailable, expected));
    }
}

#[tokio::test]
async fn a_replaced_file_is_noticed() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    read(&driver, "select no from orders").await.unwrap();
    // The same tables, in another file.
    let next = Shop::new(ORDERS);
    next.batch("delete from orders where no <> 2");
    fs::rename(next.file(), shop.file()).unwrap();
    assert_eq!(read(&driver, "select no from orders").await.unwrap(), texts(&[&["2"]]));
    assert_eq!(write(&driver, "delete from orders where no = 2").await, Ok(1));
    assert_eq!(shop.text("select count(*) from orders"), "0");
    // Other tables, by the same number of changes.
    let other = Shop::new(&ORDERS.replace("owner text", "owner integer"));
    fs::rename(other.file(), shop.file()).unwrap();
    assert_eq!(read(&driver, "select no from orders").await, Err(Failure::Stale));
    fs::remove_file(shop.file()).unwrap();
    let gone =
        Failure::Unavailable { reason: "the file of the database does not exist".to_owned() };
    assert_eq!(read(&driver, "select no from orders").await, Err(gone));
    assert!(!shop.file().exists());
}

#[tokio::test]
async fn a_changed_table_is_stale_and_another_is_not() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let attempt = async || read(&driver, "select no from orders where no = 1").await.map(drop);
    assert_eq!(attempt().await, Ok(()));
    shop.batch("create table more (a); create index i on orders (total); vacuum");
    assert_eq!(attempt().await, Ok(()));
    shop.batch("alter table orders add column extra");
    assert_eq!(attempt().await, Err(Failure::Stale));
    shop.batch("alter table orders drop column extra");
    assert_eq!(attempt().await, Ok(()));
    shop.batch("drop table orders");
    assert_eq!(attempt().await, Err(Failure::Stale));
}

#[tokio::test]
async fn a_changed_column_of_a_statement_is_stale() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    driver.describe("select word from secrets").await.unwrap();
    let attempt = async || read(&driver, "select word from secrets").await.map(drop);
    assert_eq!(attempt().await, Ok(()));
    shop.batch("drop table secrets; create table secrets (word integer)");
    assert_eq!(attempt().await, Err(Failure::Stale));
    shop.batch("drop table secrets");
    assert_eq!(attempt().await, Err(Failure::Stale));
}

#[tokio::test]
async fn writes_of_many_tasks_all_arrive() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let add = async || {
        loop {
            let text = "update orders set total = total + 1 where no = 1";
            match run(&driver, Access::Write, vec![affected(text, 1)]).await {
                Ok(_) => return,
                Err(failure) => assert_eq!(failure, Failure::Conflict),
            }
        }
    };
    futures_util::future::join_all((0..40).map(|_| add())).await;
    assert_eq!(shop.text("select total from orders where no = 1"), "50");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_all_may_write_is_a_finding() {
    use std::os::unix::fs::PermissionsExt as _;

    let shop = Shop::orders();
    let driver = shop.connect().await;
    assert_eq!(driver.check_login(&super::orders_needs()).await.unwrap(), []);
    fs::set_permissions(shop.file(), fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(shop.folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let findings = driver.check_login(&super::orders_needs()).await.unwrap();
    let names: Vec<_> = findings.iter().map(|it| (it.grade, it.name.as_str())).collect();
    let expected =
        [(Grade::Unused, "world-writable:file"), (Grade::Unused, "world-writable:folder")];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn more_calls_than_connections_wait() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 1).await;
    driver.check_login(&super::orders_needs()).await.unwrap();
    let reads = (0..20).map(|_| run(&driver, Access::Read, vec![rows("select no from orders")]));
    for came in futures_util::future::join_all(reads).await {
        assert_eq!(came.unwrap()[0].rows.len(), 3);
    }
}

#[tokio::test]
async fn the_change_of_a_crashed_process_is_rolled_back_by_a_toolset_that_writes() {
    let crashed = Shop::new(&format!(
        "{ORDERS} create table bulk (x); \
         with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000) \
         insert into bulk select hex(zeroblob(500)) from n;"
    ));
    let other = crashed.other();
    other.execute_batch("pragma cache_size = 1; begin; update orders set note = null; update bulk set x = x || 'x'").unwrap();
    let shop = Shop::orders();
    for name in ["shop.db", "shop.db-journal"] {
        fs::copy(crashed.folder.path().join(name), shop.folder.path().join(name)).unwrap();
    }
    let mut settings = shop.settings();
    settings.is_read_only = true;
    let error = super::Sqlite::connect(&settings).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let driver = shop.with_orders().await;
    assert_eq!(read(&driver, "select count(note) from orders").await.unwrap(), texts(&[&["2"]]));
}
