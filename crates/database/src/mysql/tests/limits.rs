//! Tests of the limits of transactions: they are sent again when they change and after a failure, and otherwise not.

use callgate_testkit::rounds;

use super::*;

/// The statements that have set something in this session.
const N_SET: &str = "select variable_value from information_schema.session_status \
    where variable_name = 'COM_SET_OPTION'";

async fn reader(name: &str) -> Option<(MariadbDatabase, Mysql)> {
    let script = "create table orders (no bigint, a int, b int, c int); insert into orders values (1, 1, 1, 1), (2, 2, 2, 2)";
    let database = MariadbServer::of_machine()?.database(name, script);
    let login = database.login("a");
    database.run(&format!("grant select, insert on {name}.* to {login}"));
    let connecting = connecting(&database.url(&login));
    let limits = DatabaseLimits { connections: 1, ..connecting.limits.clone() };
    let mysql = Mysql::connect(&Connecting { limits, ..connecting }).await.unwrap();
    Some((database, mysql))
}

/// The number of statements that have set something before this call, which may be one of them.
async fn n_set(mysql: &Mysql) -> usize {
    let came = mysql.run(read([rows(N_SET, &[])]), soon()).await.unwrap();
    value(&came).parse().unwrap()
}

#[tokio::test]
async fn equal_limits_are_sent_once() {
    let Some((_, mysql)) = reader("m_equal").await else { return };
    let (n_calls, before) = (rounds(500, 100), n_set(&mysql).await);
    for _ in 0..n_calls {
        n_set(&mysql).await;
    }
    // A call that the machine lets wait for long enough has a time limit of its own.
    let n_sent = n_set(&mysql).await - before;
    assert!(n_sent <= n_calls / 10, "{n_sent}");
}

#[tokio::test]
async fn a_limit_that_changed_is_in_force_for_the_call_that_has_it() {
    let Some((_, mysql)) = reader("m_changed").await else { return };
    let shown = "select concat_ws('|', @@sql_select_limit, @@innodb_lock_wait_timeout, @@idle_transaction_timeout), \
        @@max_statement_time";
    for (seconds, most, lock, expected) in [
        (10_u32, 50, 1, "50|1|11"),
        (10, 50, 1, "50|1|11"),
        (20, 50, 1, "50|1|21"),
        (20, 7, 1, "7|1|21"),
        (20, 7, 3, "7|3|21"),
        (10, 50, 1, "50|1|11"),
    ] {
        let step = step(shown, &[], Expects::Rows { most });
        let transaction = Transaction { lock_time: Duration::from_secs(lock), ..read([step]) };
        let deadline = Instant::now() + Duration::from_secs(seconds.into());
        let came = mysql.run(transaction, deadline).await.unwrap();
        assert_eq!(value(&came), expected);
        let time: f64 = came[0].rows.row(0).unwrap().value(1).flatten().unwrap().parse().unwrap();
        let left = f64::from(seconds) - time;
        assert!((0.05..2.0).contains(&left), "{time} s of {seconds}");
    }
    // A write has no limit of rows, and the reading after it has one again.
    let all = "18446744073709551615";
    let write = write([rows("select @@sql_select_limit", &[])]);
    assert_eq!(value(&mysql.run(write, soon()).await.unwrap()), all);
    let read = read([rows("select @@sql_select_limit", &[])]);
    assert_eq!(value(&mysql.run(read, soon()).await.unwrap()), "50");
}

#[tokio::test]
async fn a_connection_that_comes_back_from_a_failure_gets_its_limits_again() {
    let Some((_, mysql)) = reader("m_failed").await else { return };
    let id = read([rows("select connection_id()", &[])]);
    let connection = value(&mysql.run(id.clone(), soon()).await.unwrap()).to_owned();
    for _ in 0..3 {
        let before = n_set(&mysql).await;
        let several = "select (select no from orders)";
        let failed = mysql.run(read([rows(several, &[])]), soon()).await;
        assert_eq!(failed.unwrap_err(), Failure::Other { code: Some("1242".to_owned()) });
        assert!(n_set(&mysql).await > before);
    }
    assert_eq!(value(&mysql.run(id, soon()).await.unwrap()), connection);
}

#[tokio::test]
async fn the_catalog_is_read_without_the_limits_of_the_call_before() {
    let Some((_, mysql)) = reader("m_catalog").await else { return };
    let step = step("select no from orders", &[], Expects::Rows { most: 1 });
    mysql.run(read([step]), soon()).await.unwrap();
    let name = TableName { schema: None, name: "orders".to_owned() };
    let tables = mysql.with_same_connections().read_tables(&[name]).await.unwrap();
    assert_eq!(tables.values().map(|table| table.columns.len()).collect::<Vec<_>>(), [4]);
}
