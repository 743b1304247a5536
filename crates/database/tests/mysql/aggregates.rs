//! Counts, sums and bounds by groups on MariaDB.

use crate::{
    aggregates_of_engines::{Words, check, script, things},
    shop::{Shop, settings},
};

#[tokio::test]
async fn random_calls_have_the_engines_own_answers() {
    let mut settings = settings();
    settings.entities.push(things());
    (settings.limits.rows, settings.limits.result_bytes) = (10_000, 1 << 22);
    let script = format!("{} grant select on things to LOGIN;", script());
    let Some(shop) = Shop::with("aggregates", settings, &script).await else { return };
    let words = Words {
        exact: "(@ collate utf8mb4_nopad_bin)",
        text: "cast(@ as char)",
        contains: "locate(cast(? as binary), cast(@ as binary)) > 0",
        has_ties: true,
    };
    check(&shop, words, |script| shop.database.run(&format!("set names utf8mb4;\n{script}"))).await;
}
