//! Suites of all engines that need tables of their own, on the server of an engine.

use crate::{
    aggregates,
    calls::settings_at,
    reads,
    shop::{Shop, settings},
    tables::{AGGREGATES, LOG, LOG_NAME, SHOWN, WRITTEN},
    written_values,
};

#[tokio::test]
async fn random_calls_have_the_engines_own_answers() {
    let mut settings = settings();
    settings.entities.push(aggregates::things());
    (settings.limits.rows, settings.limits.result_bytes) = (10_000, 1 << 22);
    let script = format!("{} grant select on things to LOGIN;", aggregates::script());
    let Some(shop) = Shop::with("aggregates", settings, &script).await else { return };
    let run = |script: &str| shop.database.run(&format!("{SHOWN}{script}"));
    aggregates::check(&shop, AGGREGATES, run).await;
}

#[tokio::test]
async fn statements_that_would_read_too_many_rows_are_refused_with_the_columns_of_an_index() {
    let settings = reads::bounded(settings_at("", Vec::new()), LOG_NAME);
    let [limit, text, analyze] = LOG;
    let script = format!("{} {analyze} log;", reads::script(limit, text));
    let grants = "grant select on log to LOGIN";
    let Some(shop) = Shop::on("rows_read", &script, settings, grants).await else { return };
    reads::check(&shop).await;
}

#[tokio::test]
async fn every_random_value_is_read_as_it_was_written_and_as_the_server_writes_it() {
    let settings = written_values::with_tools(settings_at("", Vec::new()));
    let script = written_values::script();
    let grants = "grant select, insert (no, c0, c1, c2, c3, c4, c5, c6, c7) on written to LOGIN";
    let Some(shop) = Shop::on("written_values", &script, settings, grants).await else { return };
    written_values::check(&shop, WRITTEN, |sql| shop.database.run(sql)).await;
}
