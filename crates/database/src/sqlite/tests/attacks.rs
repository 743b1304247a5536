//! Statements that must have no effect, whoever writes them.

use super::{ORDERS, Shop, affected, name, orders_needs, read, rows, run, texts};
use crate::{
    error::ErrorKind,
    login::{Needs, TableNeeds},
    sqlite::Sqlite,
    transaction::{Access, Expects, Failure},
};

const ATTACKS: &[&str] = &[
    "vacuum into 'copy.db'",
    "vacuum",
    "attach 'other.db' as o",
    "attach ':memory:' as o",
    "detach main",
    "select load_extension('x')",
    "select fts3_tokenizer('simple')",
    "select readfile('/etc/passwd')",
    "select writefile('out', 'x')",
    "pragma query_only = 0",
    "pragma writable_schema = on",
    "pragma journal_mode = delete",
    "pragma user_version = 7",
    "pragma user_version",
    "pragma schema_version",
    " pragma schema_version ",
    "PRAGMA schema_version",
    "PRAGMA schema_version;",
    "pragma table_info(orders)",
    "select * from pragma_table_info('orders')",
    "select * from pragma_database_list",
    "select * from sqlite_schema",
    "select * from sqlite_master",
    "select * from main.sqlite_master",
    "select * from sqlite_temp_master",
    "select * from dbstat",
    "update sqlite_master set sql = ''",
    "insert into sqlite_master values ('table', 'x', 'x', 2, 'create table x (a)')",
    "begin",
    "commit",
    "rollback",
    "COMMIT",
    "end",
    "savepoint a",
    "release a",
    "create table t (a)",
    "create temp table t (a)",
    "create table t as select * from orders",
    "create view v as select * from orders",
    "create temp view v as select * from orders",
    "create trigger t after insert on orders begin delete from secrets; end",
    "create temp trigger t after insert on orders begin delete from secrets; end",
    "create index i on orders (note)",
    "create virtual table f using fts5(a)",
    "drop table secrets",
    "drop table orders",
    "alter table orders rename to o",
    "alter table orders add column x",
    "analyze",
    "reindex",
    "select word from secrets",
    "select (select word from secrets)",
    "select no from orders union select word from secrets",
    "select no from orders; delete from orders",
    "select 1; commit",
    "delete from secrets",
    "insert into secrets values ('x')",
    "update secrets set word = 'x'",
    "replace into secrets values ('x')",
    "explain select word from secrets",
    "",
    "-- nothing",
    "select 'unended",
];

/// Refused when it is run, in reads and in writes, and the file stays the same to the byte.
#[track_caller]
fn same_file(shop: &Shop, before: &[u8]) {
    assert_eq!(std::fs::read(shop.file()).unwrap(), before);
    let names: Vec<_> = std::fs::read_dir(shop.folder.path()).unwrap().flatten().collect();
    let others =
        names.iter().filter(|entry| !entry.file_name().to_string_lossy().starts_with("shop.db"));
    assert_eq!(others.count(), 0);
}

async fn run_all(driver: &Sqlite, access: Access) {
    for attack in ATTACKS {
        for step in [rows(attack), affected(attack, 100)] {
            let came = run(driver, access, vec![step]).await;
            assert!(came.is_err(), "{attack}: {came:?}");
        }
    }
}

#[tokio::test]
async fn statements_on_anything_but_the_tables_are_refused() {
    let shop = Shop::orders();
    let before = std::fs::read(shop.file()).unwrap();
    let driver = shop.with_orders().await;
    run_all(&driver, Access::Read).await;
    run_all(&driver, Access::Write).await;
    same_file(&shop, &before);
    read(&driver, "select no from orders").await.unwrap();
}

#[tokio::test]
async fn statements_on_a_read_only_driver_are_refused() {
    let shop = Shop::orders();
    let before = std::fs::read(shop.file()).unwrap();
    let driver = shop.connect_with(|settings| settings.is_read_only = true).await;
    driver.check_login(&orders_needs()).await.unwrap();
    run_all(&driver, Access::Read).await;
    for change in ["delete from orders", "update orders set note = 'x'"] {
        let failure = run(&driver, Access::Read, vec![affected(change, 9)]).await.unwrap_err();
        assert_eq!(failure, Failure::Denied, "{change}");
        let failure = run(&driver, Access::Write, vec![affected(change, 9)]).await.unwrap_err();
        assert_eq!(failure, Failure::Denied, "{change}");
        assert_eq!(driver.describe(change).await.unwrap_err().kind(), ErrorKind::Statement);
    }
    same_file(&shop, &before);
}

#[tokio::test]
async fn a_statement_that_reads_or_changes_no_rows_cannot_be_prepared() {
    let shop = Shop::orders();
    let before = std::fs::read(shop.file()).unwrap();
    let driver = shop.connect().await;
    for attack in ATTACKS {
        let words =
            !attack.contains("secrets") || attack.contains("drop") || attack.contains("create");
        if words && !attack.starts_with("explain") {
            let described = driver.describe(attack).await;
            assert_eq!(
                described.map_err(|error| error.kind()).err(),
                Some(ErrorKind::Statement),
                "{attack}"
            );
        }
    }
    same_file(&shop, &before);
}

#[tokio::test]
async fn nothing_runs_before_rights_are_granted() {
    let shop = Shop::orders();
    let driver = shop.connect().await;
    assert_eq!(read(&driver, "select no from orders").await, Err(Failure::Denied));
}

#[tokio::test]
async fn columns_are_updated_only_where_a_tool_does() {
    let shop = Shop::orders();
    let driver = shop.connect().await;
    let mut needs = orders_needs();
    let table = needs.tables.get_mut(&name("orders")).unwrap();
    (table.updates, table.deletes) = (["note".to_owned()].into(), false);
    table.inserts.clear();
    driver.check_login(&needs).await.unwrap();
    let attempt = async |text| run(&driver, Access::Write, vec![affected(text, 9)]).await.map(drop);
    assert_eq!(attempt("update orders set note = 'x' where no = 1").await, Ok(()));
    for denied in [
        "update orders set owner = 'x' where no = 1",
        "delete from orders where no = 1",
        "insert into orders values (9, 'x', 1, null)",
        "replace into orders values (9, 'x', 1, null)",
    ] {
        assert_eq!(attempt(denied).await, Err(Failure::Denied), "{denied}");
    }
}

/// A file with a view that shows less than its table, and a driver for a model's own SQL on it.
async fn for_query(shop: &Shop) -> Sqlite {
    let driver = shop.connect_with(|settings| settings.is_read_only = true).await;
    let columns = |names: &[&str]| TableNeeds {
        selects: names.iter().map(|name| (*name).to_owned()).collect(),
        ..TableNeeds::default()
    };
    let needs = Needs {
        tables: [
            (name("orders"), columns(&["no", "owner"])),
            (name("public_secrets"), columns(&["word", "hint"])),
        ]
        .into(),
        is_for_query: true,
        ..Needs::default()
    };
    driver.read_tables(&[name("orders"), name("public_secrets")]).await.unwrap();
    driver.check_login(&needs).await.unwrap();
    driver
}

fn shop_for_query() -> Shop {
    Shop::new(&format!(
        "{ORDERS} alter table secrets add column hint; \
         alter table secrets add column is_public integer default 0; \
         insert into secrets values ('open', 'a hint', 1); \
         create view public_secrets as select word, hint from secrets where is_public = 1; \
         create view all_secrets as select word from secrets;"
    ))
}

#[tokio::test]
async fn a_model_reads_listed_columns_only() {
    let shop = shop_for_query();
    let before = std::fs::read(shop.file()).unwrap();
    let driver = for_query(&shop).await;
    for honest in [
        "select no, owner from orders",
        "select count(*) from orders",
        "with x as (select owner from orders) select upper(owner) from x",
        "select owner, count(*), sum(no) over (order by no) from orders group by owner having count(*) > 0",
        "select value from json_each('[1,2]')",
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < 5) select i from n",
        "select strftime('%Y', '2025-01-01'), json_object('a', 1) -> '$.a'",
        "values (1), (2)",
        "select o.no from orders o join orders p on o.no = p.no",
        "select word, hint from public_secrets",
        "select s.word from public_secrets as s where s.word like 'o%'",
    ] {
        let rows = read(&driver, honest).await;
        assert!(rows.as_ref().is_ok_and(|rows| !rows.is_empty()), "{honest}: {rows:?}");
        driver.describe(honest).await.unwrap();
    }
    for denied in [
        "select total from orders",
        "select * from orders",
        "select no from orders where total > 1",
        "select no from orders order by note",
        "select rowid, owner from secrets",
        "select word from secrets",
        "select count(*) from secrets",
        "select word from all_secrets",
        "select last_insert_rowid()",
        "select changes()",
        "select sqlite_version()",
        "select sqlite_compileoption_get(1)",
        // A common table expression with the name of a view that may be read.
        "with public_secrets as (select word from secrets) select * from public_secrets",
        "with public_secrets as (select is_public from secrets) select * from public_secrets",
        "select * from (with public_secrets as (select word from main.secrets) select * from public_secrets)",
        "WITH\tpublic_secrets(a) AS MATERIALIZED (SELECT hint FROM secrets WHERE is_public = 0) SELECT a FROM public_secrets",
        "with/**/public_secrets as (select word from secrets) select * from public_secrets",
        "select * from (select word from secrets) as public_secrets",
    ] {
        let failure = read(&driver, denied).await;
        assert_eq!(failure, Err(Failure::Denied), "{denied}");
        assert!(driver.describe(denied).await.is_err(), "{denied}");
    }
    run_all(&driver, Access::Read).await;
    same_file(&shop, &before);
}

/// The engine does say the name of a common table expression where it says that of a view: this is what the driver guards
/// against.
#[test]
fn the_engine_takes_a_common_table_expression_for_a_view() {
    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

    let shop = shop_for_query();
    let mut connection = shop.other();
    let (sender, receiver) = std::sync::mpsc::channel();
    let note = move |context: AuthContext<'_>| {
        if let AuthAction::Read { column_name: "word", .. } = context.action {
            sender.send(context.accessor.map(str::to_owned)).unwrap();
        }
        Authorization::Allow
    };
    connection.authorizer(Some(note)).unwrap();
    let text = "with public_secrets as (select word from secrets) select * from public_secrets";
    connection.prepare(text).unwrap();
    assert_eq!(receiver.try_recv().unwrap().as_deref(), Some("public_secrets"));
}

#[tokio::test]
async fn the_catalogs_statements_are_nobodys_to_run() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    shop.batch("create table later (a)");
    read(&driver, "select no from orders").await.unwrap();
    let text = "SELECT name, type, strict FROM pragma_table_list(?1) WHERE schema = 'main' \
        AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let step = super::step(text, &[Some("orders")], Expects::Rows { most: 1 });
    assert_eq!(run(&driver, Access::Read, vec![step]).await.unwrap_err(), Failure::Denied);
}

#[tokio::test]
async fn a_name_in_double_quotes_never_becomes_a_text() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    assert!(read(&driver, "select \"gone\" from orders").await.is_err());
    assert_eq!(
        read(&driver, "select \"no\" from orders where no = 1").await.unwrap(),
        texts(&[&["1"]])
    );
}

#[tokio::test]
async fn triggers_and_foreign_keys_do_what_the_schema_says() {
    let shop = Shop::new(&format!(
        "{ORDERS} create table log (what text); \
         create trigger logs after delete on orders begin insert into log select word from secrets; end; \
         create table items (no integer references orders (no) on delete cascade, n integer); \
         create table parts (n integer references items (rowid_of) on delete set null);
         drop table parts; \
         create table notes (no integer references orders on delete set null); \
         insert into items values (1, 1); insert into notes values (1);"
    ));
    let driver = shop.with_orders().await;
    run(&driver, Access::Write, vec![affected("delete from orders where no = 1", 1)])
        .await
        .unwrap();
    assert_eq!(shop.text("select what from log"), "hunter2");
    assert_eq!(shop.text("select count(*) from items"), "0");
    assert_eq!(shop.text("select count(*) from notes where no is null"), "1");
    let denied =
        run(&driver, Access::Write, vec![affected("delete from log", 9)]).await.unwrap_err();
    assert_eq!(denied, Failure::Denied);
}
