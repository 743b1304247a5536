//! Tests of values: what is bound as a text and cast is read back as the database's own text of it.

use super::*;
use crate::{catalog::ColumnKind, engine::Engine};

/// Types, and values of them that are easily read or written wrongly.
const VALUES: &[(&str, &[&str])] = &[
    ("smallint", &["-32768", "0"]),
    ("integer", &["2147483647"]),
    ("bigint", &["9223372036854775807", "-9223372036854775808"]),
    (
        "numeric",
        &["123456789012345678901234567890123.000000000000000000001", "NaN", "Infinity", "1e-20"],
    ),
    ("numeric(20,4)", &["1234567890123456.7890"]),
    ("real", &["3.4028235e38", "1e-45", "NaN", "-Infinity"]),
    ("double precision", &["0.1", "1.7976931348623157e308", "-0"]),
    ("money", &["1234567.89", "-0.01"]),
    ("boolean", &["t", "no"]),
    ("boolean[]", &["{t,NULL,f}"]),
    ("oid", &["4294967295"]),
    ("text", &["", "a\"b\\c'd\n\u{1}\u{2028}\u{1f600}", "NULL"]),
    ("varchar(5)", &["ab   "]),
    ("char(5)", &["ab"]),
    ("\"char\"", &["x"]),
    ("name", &["pg_class"]),
    ("bytea", &["\\x00ff27", "\\x"]),
    ("date", &["2024-02-29", "infinity", "0044-03-15 BC"]),
    ("time", &["24:00:00", "12:34:56.789012"]),
    ("timetz", &["12:34:56.5+05:30"]),
    ("timestamp", &["2024-02-29 23:59:59.999999"]),
    ("timestamptz", &["2024-02-29 23:59:59+14", "-infinity", "0001-01-01 00:00:00+00 BC"]),
    ("interval", &["1 year -2 mons 3 days 04:05:06.789", "-00:00:00.000001", "0"]),
    ("uuid", &["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"]),
    ("json", &[r#"{"a":1, "a": 12345678901234567890123, "b": "\u00e9"}"#]),
    ("jsonb", &[r#"{"b": 1.10, "a": [null, true]}"#, "1e400"]),
    ("xml", &["<a b=\"c\">&amp;</a>"]),
    ("inet", &["::1/128", "10.0.0.1/8"]),
    ("cidr", &["10.0.0.0/8"]),
    ("macaddr", &["08:00:2b:01:02:03"]),
    ("bit(5)", &["10101"]),
    ("bit varying", &["1"]),
    ("point", &["(1.5,-2)"]),
    ("int4range", &["[1,5)", "empty"]),
    ("int8multirange", &["{[1,2),[5,9)}"]),
    ("tsvector", &["'fat':2 'rat':3A"]),
    ("integer[]", &["{1,NULL,-3}", "{}", "[2:3]={1,2}", "{{1,2},{3,4}}"]),
    ("text[]", &[r#"{"a b","c,d","e\"f",NULL,"NULL",""}"#]),
    ("public.mood", &["it's \"fine\""]),
    ("public.mood[]", &[r#"{sad,"it's \"fine\""}"#]),
    ("public.code", &["abc"]),
    ("public.big", &["-9223372036854775808"]),
    ("public.flag", &["f"]),
    ("public.pair", &["(1,\"a,b\")"]),
];

const TYPES: &str = "create type public.mood as enum ('sad', 'it''s \"fine\"');
    create domain public.code as varchar(5) check (value <> 'x');
    create domain public.big as bigint; create domain public.flag as boolean;
    create type public.pair as (n int, t text);";

#[tokio::test]
async fn every_type_is_written_and_read_as_the_text_of_the_database() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("v_values", TYPES);
    let login = database.login("a");
    let columns = VALUES.iter().enumerate().map(|(at, (of, _))| format!("c{at} {of}"));
    let columns: Vec<_> = columns.collect();
    database.run(&format!(
        "create table public.sink (no int, {}); grant select, insert on public.sink to {login}",
        columns.join(", ")
    ));
    let postgres = connect(&database, &login).await;
    let name = TableName { schema: None, name: "sink".to_owned() };
    let tables = postgres.read_tables(std::slice::from_ref(&name)).await.unwrap();
    let mut no = 0;
    for (at, (_, values)) in VALUES.iter().enumerate() {
        let column = &tables[&name].columns[at + 1];
        let sql_type = &column.sql_type;
        // Arrays and bytes are read in forms of their own.
        let shown = match column.kind {
            ColumnKind::Array(_) | ColumnKind::Bytes => format!("left(c{at}::text, 8193)"),
            _ => Engine::Postgres.sql().shown_column(column, &format!("c{at}"), 8193),
        };
        let insert = format!(
            "insert into public.sink (no, c{at}) values ($1::text::int, $2::text::{sql_type}) returning c{at}::text"
        );
        for value in *values {
            no += 1;
            let written =
                postgres.run(write([one(&insert, &[&no.to_string(), value])]), soon()).await;
            let select = format!("select {shown} from public.sink where no = $1::text::int");
            let read =
                postgres.run(read([rows(&select, &[&no.to_string()])]), soon()).await.unwrap();
            assert_eq!(
                written.as_ref().map(|came| &came[0].rows),
                Ok(&read[0].rows),
                "{sql_type}: {value}"
            );
            let own = "set timezone = 'UTC'; set intervalstyle = 'iso_8601'; set extra_float_digits = 1; set lc_monetary = 'C';";
            let own = database.run(&format!(
                "{own} select to_json(c{at}::text) from public.sink where no = {no}"
            ));
            let own: String = serde_json::from_str(&own).unwrap();
            assert_eq!(
                read[0].rows.row(0).unwrap().value(0).flatten(),
                Some(&*own),
                "{sql_type}: {value}"
            );
        }
    }
    assert!(no > 60);
}
