//! Pages on MariaDB, in its own order and by its indexes.

use callgate_testkit::MariadbServer;
use callgate_tool::json;

use crate::{
    calls::{Tools, loaded_in, settings_at},
    ordered_pages::{self, Kinds, sorted},
};

/// Without `enum` and `set`, which callgate sorts by their labels, as it compares them.
const KINDS: Kinds = &[
    ("int", &["1", "2", "10", "13", "-5", "100"]),
    ("date", &["'2024-02-29'", "'1999-12-31'", "'9999-12-31'"]),
    ("tinyint", &["9", "10", "-1"]),
    ("bigint unsigned", &["18446744073709551615", "10", "9"]),
    ("decimal(20,4)", &["1", "10", "2.50", "-0.001", "12345678901234.5678"]),
    ("varchar(20)", &["''", "'10'", "'9'", "'a'", "'A'", "'B'", "'b'", "'ä'", "'a '"]),
    ("varchar(20) collate utf8mb4_bin", &["'a'", "'A'", "'b'", "'ä'"]),
    ("varchar(20) character set latin1", &["'a'", "'A'", "'b'", "'ü'"]),
    ("char(4)", &["'a'", "'ab'", "'b'"]),
    ("tinyint(1)", &["1", "0"]),
    ("datetime(3)", &["'2024-02-29 10:00'", "'2024-02-29 09:00:00.5'", "'1000-01-01'"]),
    ("timestamp(3)", &["'2024-02-29 10:00'", "'1999-01-01'"]),
    ("time", &["'10:00'", "'09:00'", "'23:59:59'"]),
    ("year", &["1999", "2024"]),
    ("uuid", &["'00000000-0000-0000-0000-000000000010'", "'f0000000-0000-0000-0000-000000000009'"]),
];

#[tokio::test]
async fn pages_by_a_column_of_every_type_are_all_rows_in_its_order() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("paging_kinds", &ordered_pages::script(KINDS));
    let login = database.login("tools");
    database
        .run(&format!("grant select on nullable to {login}; grant select on filled to {login}"));
    let settings = settings_at(&database.url(&login), ordered_pages::entities(KINDS));
    let tools = Tools::of(loaded_in(".".as_ref(), settings).await, None);
    let own = |table: &str, order: &str| {
        database.run(&format!("select no from {table} order by {order}")).replace('\n', " ")
    };
    ordered_pages::check(&tools, KINDS, own).await;
}

#[tokio::test]
async fn an_index_serves_the_order_of_a_hundred_thousand_rows() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let script = "create table many (no int primary key, at date not null, total int not null);
        insert into many select seq, date '2000-01-01' + interval seq % 30000 day, seq * 7 % 100000 from seq_1_to_100000;
        create index many_at on many (at); create index many_total on many (total); analyze table many;";
    let database = server.database("paging_many", script);
    let login = database.login("tools");
    database.run(&format!("grant select on many to {login}"));
    let columns = ["no", "at", "total"].map(str::to_owned);
    let settings = settings_at(&database.url(&login), vec![sorted("many", columns)]);
    let tools = Tools::of(loaded_in(".".as_ref(), settings).await, None);
    for column in ["no", "-no", "at", "total"] {
        let [first, _] = ordered_pages::statements(&tools, "many", &json!([column])).await;
        let plan = database.run(&format!("explain {first}"));
        assert!(!plan.contains("filesort"), "{first}\n{plan}");
    }
}
