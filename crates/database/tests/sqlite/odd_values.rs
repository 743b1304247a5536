//! Values that a database could take for others.

use crate::{
    odd,
    shop::{Shop, folder_with},
};

#[tokio::test]
async fn no_odd_value_gives_a_row_of_another() {
    let shop = Shop::within(folder_with(odd::TABLES), odd::settings("sqlite:shop.db"), None).await;
    odd::no_row_of_another(&shop).await;
    assert_eq!(
        shop.sql("select group_concat(mark, ' ') from (select * from notes order by no)"),
        ["ann bob 0 7"]
    );
    assert_eq!(
        shop.sql("select group_concat(mark, ' ') from (select * from accounts order by no)"),
        ["0 7 8"]
    );
    assert_eq!(shop.sql("select count(*) from names"), ["4"]);
}
