//! Pages on MariaDB, in its own order and by its indexes.

use callgate_tool::json;

use crate::{
    calls::settings_at,
    conditions::{self, Dialect},
    ordered_pages::{self, Kinds, sorted},
    shop::Shop,
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
    ("float", &["0.1", "-1e30", "16777216"]),
    ("double", &["0.1", "1e300", "0.30000000000000004"]),
    ("uuid", &["'00000000-0000-0000-0000-000000000010'", "'f0000000-0000-0000-0000-000000000009'"]),
];

/// Values that no argument may be, and that columns hold all the same.
const BEYOND: Kinds = &[
    ("tinyint(1)", &["7", "-3", "1", "0"]),
    ("year", &["0", "1999", "2024"]),
    ("time", &["'-12:00'", "'100:00:00'", "'09:00'"]),
    ("date", &["'0000-00-00'", "'2024-00-00'", "'2024-02-29'"]),
    ("datetime(3)", &["'0000-00-00'", "'2024-02-00 10:00'", "'2024-02-29 09:00:00.5'"]),
];

const PAGED: &str = "grant select on nullable to LOGIN; grant select on filled to LOGIN";

#[tokio::test]
async fn pages_by_a_column_of_every_type_are_all_rows_in_its_order() {
    let kinds: Kinds = Vec::leak([KINDS, BEYOND].concat());
    let script = format!("set sql_mode = '';{}", ordered_pages::script(kinds));
    let settings = settings_at("", ordered_pages::entities(kinds));
    let Some(shop) = Shop::on("paging_kinds", &script, settings, PAGED).await else { return };
    let own = |table: &str, order: &str| {
        let script = format!("select no from {table} order by {order}");
        shop.database.run(&script).replace('\n', " ")
    };
    ordered_pages::check(&shop, kinds, own).await;
}

/// Types whose values the server sorts by their numbers, and compares by their texts.
const LABELS: Kinds = &[
    ("enum('sad','ok','good','Ok2','')", &["'sad'", "'ok'", "'good'", "'Ok2'", "''"]),
    ("set('red','new','big')", &["'red,big'", "'new'", "''", "'big'"]),
];

#[tokio::test]
async fn pages_by_labels_are_all_rows_in_the_order_of_their_texts() {
    let settings = settings_at("", ordered_pages::entities(LABELS));
    let script = ordered_pages::script(LABELS);
    let Some(shop) = Shop::on("paging_labels", &script, settings, PAGED).await else { return };
    let own = |table: &str, order: &str| {
        let order = order.replace(".c0", ".c0 || ''").replace(".c1", ".c1 || ''");
        let pipes = "set sql_mode = 'pipes_as_concat'";
        let script = format!("{pipes}; select no from {table} order by {order}");
        shop.database.run(&script).replace('\n', " ")
    };
    ordered_pages::check(&shop, LABELS, own).await;
}

#[tokio::test]
async fn a_condition_on_a_column_of_any_type_means_what_it_means_to_the_engine() {
    let further: Kinds = &[
        ("blob", &["x'00ff'", "''"]),
        ("varbinary(8)", &["'a'", "'A'", "x'00'"]),
        ("json", &["'{\"a\": 1}'"]),
        ("bit(5)", &["b'101'", "b'0'"]),
        ("enum('sad','ok','good')", &["'sad'", "'good'"]),
        ("set('a','b')", &["'a,b'", "''"]),
        ("time(3)", &["'-838:59:59'", "'100:00:00.5'", "'00:00'"]),
        ("inet6", &["'::1'", "'10.0.0.1'"]),
        ("int unsigned", &["4294967295", "0"]),
        ("datetime", &["'0000-00-00'", "'9999-12-31 23:59:59'"]),
        ("date", &["'2024-00-00'"]),
    ];
    let kinds: Kinds = Vec::leak([KINDS, further].concat());
    let script = ordered_pages::script(kinds);
    let script: Vec<_> = script.lines().filter(|line| !line.starts_with("create index")).collect();
    let script = format!("set sql_mode = '';{}", script.join("\n"));
    let mut settings = settings_at("", vec![conditions::offered(None)]);
    (settings.limits.rows, settings.limits.result_bytes) = (1000, 1 << 22);
    let grants = "grant select on nullable to LOGIN; analyze table nullable;";
    let Some(shop) = Shop::on("conditions", &script, settings, grants).await else { return };
    let sql = Dialect {
        statement: "select concat('= ', coalesce(group_concat(t.no order by t.no separator ' '), '')) from nullable t where ?;",
        exact: |kind| {
            if kind.contains("char(") {
                "(convert(@ using utf8mb4) collate utf8mb4_nopad_bin)"
            } else {
                "@"
            }
        },
    };
    let without = conditions::check(&shop, kinds, sql, |script| shop.database.run(script)).await;
    // A day without a month is shown, and is no date that a condition may have.
    assert_eq!(without, ["blob", "varbinary(8)", "json", "inet6", "date"]);
}

#[tokio::test]
async fn an_index_serves_the_order_of_a_hundred_thousand_rows() {
    let script = "create table many (no int primary key, at date not null, total int not null);
        insert into many select seq, date '2000-01-01' + interval seq % 30000 day, seq * 7 % 100000 from seq_1_to_100000;
        create index many_at on many (at); create index many_total on many (total); analyze table many;";
    let columns = ["no", "at", "total"].map(str::to_owned);
    let settings = settings_at("", vec![sorted("many", columns)]);
    let grants = "grant select on many to LOGIN";
    let Some(shop) = Shop::on("paging_many", script, settings, grants).await else { return };
    for column in ["no", "-no", "at", "total"] {
        let [first, _] = ordered_pages::statements(&shop, "many", &json!([column])).await;
        let plan = shop.database.run(&format!("explain {first}"));
        assert!(!plan.contains("filesort"), "{first}\n{plan}");
    }
}
