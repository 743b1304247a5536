//! Values that a database could take for others.

use callgate_database::Operation;

use crate::{odd, shop::Shop};

#[tokio::test]
async fn no_odd_value_gives_a_row_of_another() {
    let grants = "grant select, insert, update (mark), delete on notes, accounts, names to LOGIN";
    let mut settings = odd::settings("");
    for entity in settings.entities.iter_mut().take(2) {
        entity.input_fields = [(Operation::Update, vec!["mark".to_owned()])].into();
    }
    let Some(shop) = Shop::on("odd_values", odd::TABLES, settings, grants).await else { return };
    odd::no_row_of_another(&shop).await;
    let database = &shop.database;
    assert_eq!(database.run("select string_agg(mark, ' ' order by no) from notes"), "ann bob 0 7");
    assert_eq!(database.run("select string_agg(mark, ' ' order by no) from accounts"), "0 7 8");
    assert_eq!(database.run("select count(*) from names"), "4");
}
