//! Random values that calls write and read on SQLite.

use crate::{
    shop::{Shop, folder_with, settings},
    written_values_of_engines::{Words, check, script, with_tools},
};

#[tokio::test]
async fn every_random_value_is_read_as_it_was_written_and_as_the_engine_writes_it() {
    let settings = with_tools(settings(Vec::new()));
    let shop = Shop::within(folder_with(&script()), settings, None).await;
    let words = Words { digits: "hex(cast(@ as text))", truths: ["0", "1"] };
    check(&shop, words, |sql| shop.sql(sql).join("\n")).await;
}
