//! Pages on PostgreSQL, in its own order and by its indexes.

use callgate_database::{EntitySettings, Operation};
use callgate_testkit::{PostgresServer, corpus, say};
use callgate_tool::{Session, Value, json};
use callgate_tree::Severity;

use crate::{
    calls::{Tools, entity, loaded_in, settings_at},
    conditions::{self, Dialect},
    ordered_pages::{self, Kinds, both_ways, sorted},
    shop::{Shop, loaded_on},
};

const KINDS: Kinds = &[
    ("int", &["1", "2", "10", "13", "-5", "100"]),
    ("date", &["'2024-02-29'", "'1999-12-31'", "'10000-01-01'", "'infinity'"]),
    ("smallint", &["9", "10", "-1"]),
    ("bigint", &["9007199254740993", "-9007199254740993", "10", "9"]),
    ("oid", &["4294967295", "9", "10"]),
    ("numeric", &["1", "10", "2.50", "2.5", "-0.001", "'NaN'"]),
    ("text", &["''", "'10'", "'9'", "'a'", "'B'", "'b'", "'ä'", "'it''s'"]),
    ("varchar(5) collate \"C\"", &["'a'", "'B'", "'ä'", "'z'"]),
    ("char(4)", &["'a'", "'ab'", "'b'"]),
    ("text collate blind", &["'a'", "'A'", "'b'", "'B'"]),
    ("boolean", &["true", "false"]),
    ("timestamp", &["'2024-02-29 10:00'", "'2024-02-29 9:00'", "'0001-01-01'"]),
    ("timestamptz", &["'2024-02-29 10:00+02'", "'2024-02-29 09:30+00'", "'1999-01-01 00:00+00'"]),
    ("time", &["'10:00'", "'9:00'", "'23:59:59.5'"]),
    ("timetz", &["'10:00+02'", "'09:30+00'", "'09:30+01'"]),
    ("uuid", &["'00000000-0000-0000-0000-000000000010'", "'f0000000-0000-0000-0000-000000000009'"]),
    ("mood", &["'sad'", "'ok'", "'good'"]),
    ("small", &["9", "10", "1"]),
    ("real", &["0.1", "'NaN'", "-1e30", "16777216"]),
    ("float8", &["0.1", "'-Infinity'", "1e300", "0.30000000000000004"]),
    ("citext", &["'Ann'", "'ann'", "'bob'", "'CARL'", "'dora'", "'EVE'", "'_'"]),
    ("citext_of_shop", &["'Ann'", "'bob'", "'CARL'", "'c'"]),
];

const TYPES: &str = "create type mood as enum ('sad', 'ok', 'good');
    create domain small as int check (value < 100);
    create extension citext; create domain citext_of_shop as citext;
    create collation blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false);";

#[tokio::test]
async fn pages_by_a_column_of_every_type_are_all_rows_in_its_order() {
    let script = format!("{TYPES}{}", ordered_pages::script(KINDS));
    let settings = settings_at("", ordered_pages::entities(KINDS));
    let grants = "grant select on nullable, filled to LOGIN";
    let Some(shop) = Shop::on("paging_kinds", &script, settings, grants).await else { return };
    let own = |table: &str, order: &str| {
        let script = format!("select string_agg(no::text, ' ' order by {order}) from {table}");
        shop.database.run(&script)
    };
    ordered_pages::check(&shop, KINDS, own).await;
}

/// A table with a column of every type of the server and of some extensions, and rows with every text that the types take.
const EVERY: &str = "create extension ltree; create extension hstore; create extension isn; create extension seg;
    create table every (no int generated always as identity primary key);
    do $$
    declare of record; value text;
    begin
        for of in select oid, format_type(oid, null) as name from pg_type where typtype in ('b', 'd', 'e', 'm', 'r') and typcategory <> 'A' loop
            begin
                execute format('alter table every add column c%s %s', of.oid, of.name);
                foreach value in array array['Ann', 'ann', 'bob', 'CARL', '_', '', 'sad', 'good', '1', '9', '10', '-5', '0.1', 'NaN', '1e30',
                    'true', 'false', '2024-02-29', '0044-03-15 BC', '1999-12-31 23:59:59.5+02', 'infinity', '10:00', '9:00+01', '24:00',
                    '00000000-0000-0000-0000-000000000010', 'f0000000-0000-0000-0000-000000000009', '10.0.0.1', '[1,5)', '{}', 'a.b'] loop
                    begin
                        execute format('insert into every (c%s) values (%L)', of.oid, value);
                    exception when others then null;
                    end;
                end loop;
            exception when others then null;
            end;
        end loop;
    end $$;
    analyze every;";

#[tokio::test]
async fn every_type_that_a_server_sorts_by_has_pages_of_all_rows() {
    let every = EntitySettings { operations: vec![Operation::List], ..entity("every") };
    let mut settings = settings_at("", vec![every]);
    (settings.limits.rows, settings.limits.result_bytes) = (1000, 1 << 22);
    let (script, grants) = (format!("{TYPES}{EVERY}"), "grant select on every to LOGIN");
    let Some(shop) = Shop::on("paging_types", &script, settings, grants).await else { return };
    let (tools, database) = (&*shop, &shop.database);
    let declaration = tools.executor.find("shop-every-list").unwrap().declaration().unwrap();
    let schema = Value::parse(&declaration.input_schema.to_string()).unwrap();
    let sorts = schema.pointer("/properties/sort/items/enum").unwrap().as_array().unwrap();
    let sorts: Vec<&str> = sorts.iter().filter_map(Value::as_str).collect();
    for name in ["int4", "float8", "citext", "citext_of_shop", "mood"] {
        let column = database.run(&format!("select 'c' || '{name}'::regtype::oid"));
        assert!(sorts.contains(&column.trim()), "{name} {sorts:?}");
    }
    for sort in sorts {
        let order = match sort.strip_prefix('-') {
            Some(column) => format!("every.{column} desc"),
            None => format!("every.{sort}"),
        };
        let expected = database
            .run(&format!("select string_agg(no::text, ' ' order by {order}, no) from every"));
        let pages = ordered_pages::pages(tools, "every", &["no"], &json!([sort])).await;
        assert_eq!(pages.join(" "), expected.trim(), "{sort}");
    }
}

/// Types whose values have no order here, or none that is known before a call.
const FURTHER: Kinds = &[
    ("bytea", &["'\\x00ff'", "''"]),
    ("json", &["'{\"a\": 1}'", "'[]'"]),
    ("jsonb", &["'{\"a\": 1}'", "'null'"]),
    ("interval", &["'1 day'", "'24 hours'", "'-1 mon'"]),
    ("inet", &["'10.0.0.1/8'", "'::1'"]),
    ("int4range", &["'[1,5)'", "'empty'"]),
    ("bit varying(5)", &["B'101'", "B''"]),
    ("int[]", &["'{1,null}'", "'{}'"]),
    ("money", &["'1.50'"]),
    ("tsvector", &["'a:1'"]),
    ("numeric(6,2)", &["1.5", "-0.05", "9999.99"]),
    ("timestamp(0)", &["'2024-02-29 10:00:00.4'", "'infinity'"]),
    ("time", &["'24:00'", "'00:00'"]),
    ("timestamptz", &["'-infinity'", "'0044-03-15 12:00+00 BC'", "'10000-01-01 00:00+00'"]),
    ("date", &["'0044-03-15 BC'", "'-infinity'"]),
    ("name", &["'a'", "'B'"]),
    ("\"char\"", &["'a'", "'b'"]),
];

#[tokio::test]
async fn a_condition_on_a_column_of_any_type_means_what_it_means_to_the_engine() {
    let kinds: Kinds = Vec::leak([KINDS, FURTHER].concat());
    let script = ordered_pages::script(kinds);
    let script: Vec<_> = script.lines().filter(|line| !line.starts_with("create index")).collect();
    let script = format!("{TYPES}{}", script.join("\n"));
    let mut settings = settings_at("", vec![conditions::offered(None)]);
    (settings.limits.rows, settings.limits.result_bytes) = (1000, 1 << 22);
    let grants = "analyze nullable; grant select on nullable to LOGIN";
    let Some(shop) = Shop::on("conditions", &script, settings, grants).await else { return };
    let sql = Dialect {
        statement: "select '= ' || coalesce(string_agg(t.no::text, ' ' order by t.no), '') from nullable t where ?;",
        exact: |kind| match kind {
            _ if kind.contains("blind") => "(@ collate \"C\")",
            _ if kind.contains("citext") => "@::text",
            _ => "@",
        },
    };
    let without = conditions::check(&shop, kinds, sql, |script| shop.database.run(script)).await;
    // Not compared without a key of the configuration that asks for it, or at all.
    let types = "bytea|json|jsonb|interval|inet|int4range|bit varying(5)|int[]|money|tsvector|name|\"char\"";
    assert_eq!(without.join("|"), types);
}

#[tokio::test]
async fn an_index_serves_the_order_of_a_hundred_thousand_rows() {
    let script = "create table many (no int primary key, at date not null, seen date, total int not null);
        insert into many select n, date '2000-01-01' + n % 30000, date '2000-01-01' + n % 30000, n * 7 % 100000
            from generate_series(1, 100000) n;
        create index on many (at, no); create index on many (seen); create index on many (total);
        analyze many;";
    let columns = ["no", "at", "seen", "total"].map(str::to_owned);
    let settings = settings_at("", vec![sorted("many", columns)]);
    let grants = "grant select on many to LOGIN";
    let Some(shop) = Shop::on("paging_many", script, settings, grants).await else { return };
    for column in ["no", "-no", "at", "-at", "seen", "-seen", "total", "-total"] {
        for text in ordered_pages::statements(&shop, "many", &json!([column])).await {
            let values = vec!["null"; text.matches('$').count()].join(", ");
            let values = format!("({values})").replace("()", "");
            let plan = shop.database.run(&format!(
                "set plan_cache_mode = force_generic_plan; prepare asked as {text}; explain execute asked{values}",
            ));
            assert!(plan.contains(" using many_") && !plan.contains("Seq Scan"), "{text}\n{plan}");
        }
    }
}

/// A key is unique in its own table alone, so that a page could not begin behind one.
#[tokio::test]
async fn a_table_that_others_inherit_from_has_no_pages_and_a_warning() {
    let script = "create table parent (no int primary key, note text); create table heir () inherits (parent);
        insert into parent values (1, 'own'); insert into heir values (1, 'other'), (2, 'other');";
    let parent = EntitySettings { operations: vec![Operation::List], ..entity("parent") };
    let (settings, grants) =
        (settings_at("", vec![parent]), "grant select on parent to LOGIN; analyze parent");
    let loaded = loaded_on("paging_heirs", script, settings, grants).await;
    let Some((_, mut loaded)) = loaded else { return };
    let warning =
        loaded.findings.extract_if(.., |it| it.severity == Severity::Warning).next().unwrap();
    assert!(warning.message.contains("tables inherit from `public.parent`"), "{warning:?}");
    let tools = Tools::of(loaded, None);
    let first = tools.call("shop-parent-list", json!({"limit": 1}), &Session::default()).await;
    assert_eq!((first["more"].clone(), first.get("next")), (true.into(), None));
    let all = tools.call("shop-parent-list", json!({}), &Session::default()).await;
    assert_eq!(all["rows"].as_array().unwrap().len(), 3);
}

/// A schema of others, with rows: every table is listed, by every column both ways.
#[tokio::test]
async fn every_table_of_a_music_shop_is_paged_by_every_column() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let Some(file) = corpus("databases/chinook.postgres.sql") else { return };
    let script = std::fs::read_to_string(file).unwrap();
    let is_of_table = |line: &&str| !line.contains(" DATABASE ") && !line.starts_with("\\c");
    let script: Vec<_> = script.lines().filter(is_of_table).collect();
    let database = server.database("paging_chinook", &script.join("\n"));
    let login = database.login("tools");
    let columns = "select c.relname, string_agg(a.attname, ' ' order by a.attnum),
            (select string_agg(k.attname, ' ' order by k.attnum) from pg_attribute k where k.attrelid = i.indexrelid)
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 join pg_index i on i.indrelid = c.oid and i.indisprimary
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1, i.indexrelid order by 1";
    let tables = database.run(columns);
    let tables: Vec<Vec<&str>> = tables.lines().map(|line| line.split('|').collect()).collect();
    assert_eq!(tables.len(), 11);
    database.run(&format!("grant select on all tables in schema public to {login}"));
    let entities =
        tables.iter().map(|table| sorted(table[0], table[1].split(' ').map(str::to_owned)));
    let mut settings = settings_at(&database.url(&login), entities.collect());
    settings.limits.result_bytes = 1 << 20;
    let tools = Tools::of(loaded_in(".".as_ref(), settings).await, None);
    let mut n_orders = 0;
    for table in &tables {
        let key: Vec<_> = table[2].split(' ').collect();
        let n_rows: usize =
            database.run(&format!("select count(*) from {}", table[0])).parse().unwrap();
        // The largest table is read in pages of its key alone.
        let columns = table[1].split(' ').filter(|name| n_rows < 5000 || key.contains(name));
        for (column, mark, direction) in both_ways(columns) {
            let rest: Vec<_> = key.iter().filter(|name| **name != column).collect();
            let rest: String = rest.iter().map(|name| format!(", t.{name}")).collect();
            let text: Vec<_> = key.iter().map(|name| format!("t.{name}::text")).collect();
            let expected = database.run(&format!(
                "select string_agg({}, ' ' order by t.{column}{direction}{rest}) from {} t",
                text.join(" || '/' || "),
                table[0]
            ));
            let sort = json!([format!("{mark}{column}")]);
            let pages = ordered_pages::pages(&tools, table[0], &key, &sort).await;
            assert_eq!(pages.join(" "), expected, "{} {sort}", table[0]);
            n_orders += 1;
        }
    }
    say(&format!("{} tables are paged in {n_orders} orders", tables.len()));
}
