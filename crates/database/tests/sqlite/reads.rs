//! Statements that read more rows than they may on SQLite, which are ended by the steps of the engine.

use crate::{
    reads_of_engines::{bounded, check, script},
    shop::{Shop, folder_with, settings},
};

#[tokio::test]
async fn statements_that_read_too_many_rows_are_ended_with_the_columns_of_an_index() {
    let folder = folder_with(&script("", "'n' || (i % 1000)"));
    let shop = Shop::within(folder, bounded(settings(Vec::new()), "log"), None).await;
    check(&shop).await;
}
