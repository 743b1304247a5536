//! Pages on SQLite, in its own order and by its indexes.

use callgate_database::{EntitySettings, Operation};
use callgate_testkit::{corpus, say};
use callgate_tool::json;
use rusqlite::Connection;

use crate::{
    calls::entity,
    conditions::{self, Dialect},
    ordered_pages::{self, Kinds, both_ways, sorted},
    shop::{Shop, folder_with, settings},
};

const KINDS: Kinds = &[
    ("integer", &["1", "2", "10", "13", "-5", "100"]),
    ("date", &["'2024-02-29'", "'1999-12-31'"]),
    ("bigint", &["9007199254740993", "10", "9"]),
    ("text", &["''", "'10'", "'9'", "'a'", "'B'", "'b'", "'ä'", "'it''s'"]),
    ("text collate nocase", &["'a'", "'A'", "'b'", "'B'"]),
    ("varchar(20) collate rtrim", &["'a'", "'a '", "'b'"]),
    ("boolean", &["1", "0"]),
    ("datetime", &["'2024-02-29 10:00:00'", "'2024-02-29 09:00:00'"]),
];

fn own(file: &Connection, text: &str) -> String {
    file.query_one(text, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn pages_by_a_column_of_every_type_are_all_rows_in_its_order() {
    let folder = folder_with(&ordered_pages::script(KINDS));
    let settings = settings(ordered_pages::entities(KINDS));
    let shop = Shop::within(folder, settings, None).await;
    let file = shop.file();
    let own = |table: &str, order: &str| {
        own(
            &file,
            &format!("select group_concat(no, ' ') from (select no from {table} order by {order})"),
        )
    };
    ordered_pages::check(&shop, KINDS, own).await;
}

#[tokio::test]
async fn a_condition_on_a_column_of_any_type_means_what_it_means_to_the_engine() {
    let further: Kinds = &[
        ("real", &["0.1", "-1e30", "16777217"]),
        ("blob", &["x'00ff'", "x''"]),
        ("numeric(6,2)", &["1.5", "-0.05", "9999.99"]),
        ("json", &["'{\"a\": 1}'"]),
        ("time", &["'10:00:00'", "'23:59:59'"]),
        ("", &["1", "'1'", "x'31'", "1.5"]),
    ];
    let kinds: Kinds = Vec::leak([KINDS, further].concat());
    let folder = folder_with(&ordered_pages::script(kinds));
    let takes_values = |at: &usize| ![9, 11, 13].contains(at);
    let filter = (0..kinds.len()).filter(takes_values).map(|at| format!("c{at}"));
    let mut settings = settings(vec![conditions::offered(Some(filter.collect()))]);
    (settings.limits.rows, settings.limits.result_bytes) = (1000, 1 << 22);
    let shop = Shop::within(folder, settings, None).await;
    let file = shop.file();
    let sql = Dialect {
        statement: "select '= ' || coalesce(group_concat(no, ' '), '') from (select no from nullable t where ? order by no)",
        exact: |kind| if kind.contains("collate") { "(@ collate binary)" } else { "@" },
    };
    let own = |script: &str| {
        let lines: Vec<_> = script.lines().map(|text| own(&file, text)).collect();
        lines.join("\n")
    };
    let without = conditions::check(&shop, kinds, sql, own).await;
    assert_eq!(without, ["blob", "json", ""]);
}

#[tokio::test]
async fn an_index_serves_the_order_of_a_hundred_thousand_rows() {
    let folder = folder_with(
        "create table many (no integer primary key, at date not null, total int not null);
        with recursive n (i) as (select 1 union all select i + 1 from n limit 100000)
            insert into many select i, date('2000-01-01', (i % 30000) || ' days'), i * 7 % 100000 from n;
        create index many_at on many (at); create index many_total on many (total);",
    );
    let columns = ["no", "at", "total"].map(str::to_owned);
    let shop = Shop::within(folder, settings(vec![sorted("many", columns)]), None).await;
    let file = shop.file();
    for column in ["no", "-no", "at", "-at", "total", "-total"] {
        for text in ordered_pages::statements(&shop, "many", &json!([column])).await {
            let mut plan = file.prepare(&format!("explain query plan {text}")).unwrap();
            (1..=plan.parameter_count()).for_each(|at| plan.raw_bind_parameter(at, "1").unwrap());
            let lines = plan.raw_query().mapped(|row| row.get::<_, String>(3));
            let plan: Vec<_> = lines.map(Result::unwrap).collect();
            let plan = plan.join("\n");
            let is_sorted = plan.contains("B-TREE FOR ORDER BY");
            assert!(!is_sorted, "{text}\n{plan}");
        }
    }
}

#[tokio::test]
async fn an_indexed_column_whose_order_has_no_pages_sorts_only_if_the_settings_name_it() {
    let folder = folder_with(
        "create table prices (no integer primary key, price real, total numeric, label text);
        create index prices_price on prices (price); create index prices_total on prices (total);
        insert into prices values (1, 0.5, 0.5, 'a');",
    );
    let prices = EntitySettings { operations: vec![Operation::List], ..entity("prices") };
    let shop = Shop::within(folder, settings(vec![prices]), None).await;
    let schema = shop
        .executor
        .find("shop-prices-list")
        .unwrap()
        .declaration()
        .unwrap()
        .input_schema
        .to_string();
    assert!(schema.contains("\"-label\""), "{schema}");
    assert!(!schema.contains("\"-price\"") && !schema.contains("\"-total\""), "{schema}");
}

/// A schema of others, with rows: every table is listed, by every column both ways.
#[tokio::test]
async fn every_table_of_a_music_shop_is_paged_by_every_column_that_has_pages() {
    let Some(script) = corpus("databases/chinook.sqlite.sql") else { return };
    let script = std::fs::read_to_string(script).unwrap();
    let folder = folder_with(script.trim_start_matches('\u{feff}'));
    let file = Connection::open(folder.path().join("shop.db")).unwrap();
    let lines = own(
        &file,
        "select group_concat(line, ';') from (select t.name || '|' || group_concat(c.name, ' ') || '|' ||
            (select group_concat(k.name, ' ') from pragma_table_info(t.name) k where k.pk) as line
            from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite%'
            and c.type not like 'NUMERIC%' group by t.name)",
    );
    let tables: Vec<Vec<&str>> = lines.split(';').map(|line| line.split('|').collect()).collect();
    assert_eq!(tables.len(), 11);
    let entities =
        tables.iter().map(|table| sorted(table[0], table[1].split(' ').map(str::to_owned)));
    let mut settings = settings(entities.collect());
    settings.limits.result_bytes = 1 << 20;
    let shop = Shop::within(folder, settings, None).await;
    let mut n_orders = 0;
    for table in &tables {
        let key: Vec<_> = table[2].split(' ').collect();
        let n_rows: usize =
            own(&file, &format!("select count(*) || '' from {}", table[0])).parse().unwrap();
        // The largest tables are read in pages of their keys alone.
        let columns = table[1].split(' ').filter(|name| n_rows < 3000 || key.contains(name));
        for (column, mark, direction) in both_ways(columns) {
            let rest: Vec<_> = key.iter().filter(|name| **name != column).collect();
            let rest: String = rest.iter().map(|name| format!(", {name}")).collect();
            let text = key.join(" || '/' || ");
            let expected = own(
                &file,
                &format!(
                    "select group_concat({text}, ' ') from (select * from {} order by {column}{direction}{rest})",
                    table[0]
                ),
            );
            let sort = json!([format!("{mark}{column}")]);
            let pages = ordered_pages::pages(&shop, table[0], &key, &sort).await;
            assert_eq!(pages.join(" "), expected, "{} {sort}", table[0]);
            n_orders += 1;
        }
    }
    say(&format!("{} tables are paged in {n_orders} orders", tables.len()));
}
