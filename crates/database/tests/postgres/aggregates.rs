//! Counts, sums and bounds by groups on PostgreSQL.

use crate::{
    aggregates_of_engines::{Words, check, script, things},
    shop::{Shop, settings},
};

#[tokio::test]
async fn random_calls_have_the_engines_own_answers() {
    let mut settings = settings();
    settings.entities.push(things());
    (settings.limits.rows, settings.limits.result_bytes) = (10_000, 1 << 22);
    let script = format!("{}; grant select on things to LOGIN;", script());
    let Some(shop) = Shop::with("aggregates", settings, &script).await else { return };
    let words =
        Words { exact: "@", text: "(@)::text", contains: "position(? in @) > 0", has_ties: false };
    check(&shop, words, |script| shop.database.run(script)).await;
}
