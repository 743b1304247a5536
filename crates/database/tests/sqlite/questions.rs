//! Questions in words about a music shop: each is answered by at most three calls, without SQL of the model's, as SQL of ours answers it.

use callgate_database::{EntitySettings, Operation};
use callgate_testkit::{corpus, say};
use callgate_tool::{Session, Value};
use rusqlite::types::ValueRef;

use crate::{
    calls::entity,
    shop::{Shop, folder_with, settings},
};

#[tokio::test]
async fn questions_about_a_music_shop_take_three_calls_at_most() {
    let Some(script) = corpus("databases/chinook.sqlite.sql") else { return };
    let script = std::fs::read_to_string(script).unwrap();
    let folder = folder_with(script.trim_start_matches('\u{feff}'));
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    let entities = TABLES.iter().map(|(table, columns)| EntitySettings {
        operations: vec![Operation::List, Operation::Get, Operation::Aggregate],
        filter: Some(columns.split(' ').map(str::to_owned).collect()),
        sort: Some(columns.split(' ').map(str::to_owned).collect()),
        ..entity(table)
    });
    let shop = Shop::within(folder, settings(entities.collect()), None).await;
    let (mut n_calls, mut n_questions) = (0, 0);
    for line in include_str!("questions.jsonl").lines() {
        let question = Value::parse(line).unwrap();
        let calls = question["calls"].as_array().unwrap();
        assert!((1..=3).contains(&calls.len()), "{line}");
        let mut result = Value::Null;
        for call in calls {
            let tool = format!("shop-{}", call["tool"].as_str().unwrap());
            let arguments = filled(&call["arguments"], &rows(&result));
            result = shop.call(&tool, arguments, &Session::default()).await;
            n_calls += 1;
        }
        let sql = question["sql"].as_str().unwrap();
        assert_eq!(cells(&rows(&result)), answer(&file, sql), "{line}");
        n_questions += 1;
    }
    let tokens = |is_counted: bool| -> usize {
        let tools = shop.executor.entries().filter_map(callgate_executor::Entry::declaration);
        let tools = tools.filter(|it| it.name.as_str().ends_with("-aggregate") == is_counted);
        tools.map(callgate_tool::Tool::tokens).sum()
    };
    let (counting, reading) = (tokens(true), tokens(false));
    say(&format!(
        "{n_questions} questions take {n_calls} calls; 11 entities take {reading} tokens for `list` and `get`, {counting} for `aggregate`"
    ));
    assert!(reading <= 5_000, "{reading}");
    assert!(n_questions >= 40);
}

fn rows(result: &Value) -> Vec<Value> {
    let rows = result.get("rows").and_then(Value::as_array).cloned();
    rows.unwrap_or_else(|| result.get("row").cloned().into_iter().collect())
}

/// The arguments with values of the result before: `$Name` is that of the first row, `$$Name` those of all.
fn filled(value: &Value, rows: &[Value]) -> Value {
    match value {
        Value::String(text) => match (text.strip_prefix("$$"), text.strip_prefix('$')) {
            (Some(name), _) => Value::Array(rows.iter().map(|row| row[name].clone()).collect()),
            (None, Some(name)) => rows[0][name].clone(),
            (None, None) => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().map(|it| filled(it, rows)).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, it)| (name.clone(), filled(it, rows)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// The values of the rows as texts, in no order of the columns.
fn cells(rows: &[Value]) -> Vec<Vec<String>> {
    let text = |value: &Value| match value.as_f64() {
        Some(number) => format!("{number:.6}"),
        None => value.as_str().unwrap_or("NULL").to_owned(),
    };
    let row = |row: &Value| sorted(row.as_object().unwrap().iter().map(|(_, it)| text(it)));
    rows.iter().map(row).collect()
}

fn sorted(cells: impl Iterator<Item = String>) -> Vec<String> {
    let mut cells: Vec<_> = cells.collect();
    cells.sort();
    cells
}

fn answer(file: &rusqlite::Connection, sql: &str) -> Vec<Vec<String>> {
    let mut statement = file.prepare(sql).unwrap();
    let n_columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cell = |at| match row.get_ref(at).unwrap() {
            ValueRef::Null => "NULL".to_owned(),
            #[expect(clippy::cast_precision_loss, reason = "the numbers of the shop are small")]
            ValueRef::Integer(number) => format!("{:.6}", number as f64),
            ValueRef::Real(number) => format!("{number:.6}"),
            other => other.as_str().unwrap().to_owned(),
        };
        Ok(sorted((0..n_columns).map(cell)))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// The tables with the columns of conditions.
const TABLES: [(&str, &str); 11] = [
    ("Album", "AlbumId Title ArtistId"),
    ("Artist", "ArtistId Name"),
    ("Customer", "CustomerId FirstName LastName Company City State Country Email SupportRepId"),
    ("Employee", "EmployeeId LastName FirstName Title ReportsTo HireDate City"),
    ("Genre", "GenreId Name"),
    ("Invoice", "InvoiceId CustomerId InvoiceDate BillingCity BillingCountry Total"),
    ("InvoiceLine", "InvoiceLineId InvoiceId TrackId"),
    ("MediaType", "MediaTypeId Name"),
    ("Playlist", "PlaylistId Name"),
    ("PlaylistTrack", "PlaylistId TrackId"),
    ("Track", "TrackId Name AlbumId MediaTypeId GenreId Composer Milliseconds UnitPrice"),
];
