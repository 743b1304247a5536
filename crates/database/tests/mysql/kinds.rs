//! Values of every type: what a call writes, another one reads, and the database itself shows.

use callgate_database::Operation;
use callgate_tool::{Value, json};

use crate::{
    calls::fields,
    shop::{Shop, entity, settings, user},
};

/// Types, and values as arguments write them.
const VALUES: &[(&str, &[&str])] = &[
    ("tinyint", &["-128", "127"]),
    ("tinyint(1)", &["true", "false", "38", "-128"]),
    ("tinyint unsigned", &["255"]),
    ("smallint", &["-32768"]),
    ("mediumint unsigned", &["16777215"]),
    ("int", &["-2147483648", "2147483647"]),
    ("bigint", &["9223372036854775807", "-9223372036854775808"]),
    ("bigint unsigned", &["18446744073709551615", "9007199254740993"]),
    ("decimal(65,30)", &["12345678901234567890123456789012345.123456789012345678901234567890"]),
    ("decimal(10,2)", &["-0.10", "99999999.99"]),
    ("double", &["0.1", "1.7976931348623157e308", "-2.5"]),
    ("float", &["0.5", "16777216"]),
    ("bit(1)", &["true"]),
    ("bit(64)", &["18446744073709551615", "0"]),
    ("year", &["2155"]),
    ("date", &["\"2024-02-29\"", "\"9999-12-31\""]),
    ("time(6)", &["\"23:59:59.999999\"", "\"-25:30:00.500000\"", "\"838:59:59.000000\""]),
    ("inet6", &["\"::1\""]),
    ("datetime(6)", &["\"2024-02-29T23:59:59.000001\"", "\"1000-01-01T00:00:00.000000\""]),
    ("datetime", &["\"2024-02-29T23:59:59\""]),
    ("timestamp(3)", &["\"2024-02-29T23:59:59.120Z\""]),
    ("char(5)", &["\"ab\""]),
    ("varchar(20)", &["\"ab  \"", "\"\"", "\"\u{1f600} ünd\"", "\"a\\\"b\\\\c'd\\n\""]),
    ("varchar(20) character set latin1", &["\"ünd\""]),
    ("text", &["\"NULL\"", "\"007\""]),
    ("longtext", &["\"{}\""]),
    ("enum('a','it''s','b,c')", &["\"it's\"", "\"b,c\""]),
    ("set('x','y','z')", &["\"x,z\"", "\"\""]),
    ("json", &["{\"a\":[1.10,null,12345678901234567890123]}", "\"text\""]),
    ("uuid", &["\"123e4567-e89b-12d3-a456-426614174000\""]),
    ("varbinary(10)", &["\"AP8nXA==\"", "\"\""]),
    ("blob", &["\"AAEC\""]),
];

#[tokio::test]
async fn every_value_is_read_as_it_was_written() {
    let columns = VALUES.iter().enumerate().map(|(at, (of, _))| format!("c{at} {of}"));
    let columns: Vec<_> = columns.collect();
    let names: Vec<_> = (0..VALUES.len()).map(|at| format!("c{at}")).collect();
    let mut settings = settings();
    let mut sink = entity("sink");
    sink.operations = vec![Operation::Create, Operation::Get, Operation::List];
    sink.fields = Some(fields(names.iter().map(String::as_str).chain(["no"])));
    settings.entities.push(sink);
    let script = format!(
        "create table sink (no int auto_increment primary key, {});
         grant select, insert ({}) on sink to LOGIN;",
        columns.join(", "),
        names.join(", ")
    );
    let Some(shop) = Shop::with("my_kinds", settings, &script).await else { return };
    let (ann, mut n_values) = (user("ann"), 0);
    for (at, (of, values)) in VALUES.iter().enumerate() {
        for text in *values {
            n_values += 1;
            let (name, value) = (format!("c{at}"), Value::parse(text).unwrap());
            let row = Value::Object([(name.as_str(), value)].into());
            let created = shop.call("shop-sink-create", row, &ann).await["row"].clone();
            assert_eq!(created[name.as_str()].to_string(), *text, "{of}: {created}");
            let key = json!({"no": created["no"]});
            let read = shop.call("shop-sink-get", key, &ann).await["row"].clone();
            assert_eq!(read, created, "{of}");
            let filter = json!({"where": {"no": created["no"]}});
            let listed = shop.call("shop-sink-list", filter, &ann).await["rows"][0].clone();
            assert_eq!(listed, created, "{of}");
        }
    }
    assert_eq!(shop.database.run("select count(*) from sink"), n_values.to_string());
    // The digits are those of the database.
    let decimal = VALUES.iter().position(|(of, _)| *of == "decimal(65,30)").unwrap();
    let own =
        shop.database.run(&format!("select c{decimal} from sink where c{decimal} is not null"));
    assert_eq!(own, VALUES[decimal].1[0]);
}

#[tokio::test]
async fn geometries_are_read_as_texts() {
    let mut settings = settings();
    let mut places = entity("places");
    places.operations = vec![Operation::List];
    settings.entities.push(places);
    let script = "create table places (no int primary key, spot point, area geometry not null);
        insert into places values (1, point(1, 2.5), st_geomfromtext('LINESTRING(0 0,1 1)')), (2, null, point(0, 0));
        grant select on places to LOGIN;";
    let Some(shop) = Shop::with("my_geometries", settings, script).await else { return };
    let rows = shop.call("shop-places-list", json!({}), &user("ann")).await["rows"].clone();
    let expected = json!([
        {"no": 1, "spot": "POINT(1 2.5)", "area": "LINESTRING(0 0,1 1)"},
        {"no": 2, "spot": null, "area": "POINT(0 0)"},
    ]);
    assert_eq!(rows, expected);
}

#[tokio::test]
async fn a_value_that_a_column_cannot_hold_is_refused_before_it_is_sent() {
    let mut settings = settings();
    let mut sink = entity("sink");
    sink.operations = vec![Operation::Create, Operation::List];
    settings.entities.push(sink);
    let script = "create table sink (no int auto_increment primary key, a tinyint unsigned, b decimal(5,2), c varchar(3),
        d date, e datetime, f enum('x'), g varchar(9) character set latin1);
        grant select, insert (a, b, c, d, e, f, g) on sink to LOGIN;";
    let Some(shop) = Shop::with("my_kinds_refused", settings, script).await else { return };
    let rows = r#"{"a": 256}|{"a": -1}|{"a": "nobody"}|{"b": 1000}|{"b": "0.001"}|{"c": "abcd"}|{"d": "2023-02-29"}|{"d": "0000-00-00"}|{"e": "2024-01-01T00:00:00.5"}|{"f": "X"}|{"g": "ж"}"#;
    for row in rows.split('|').map(|row| Value::parse(row).unwrap()) {
        shop.fault("shop-sink-create", row, &user("ann")).await;
    }
    assert_eq!(shop.database.run("select count(*) from sink"), "0");
}
