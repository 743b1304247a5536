//! Loads after one another.

use std::{fs, path::Path, time::Duration};

use callgate_database::{Resources, load_with};
use callgate_tool::json;
use tokio::{
    task::yield_now,
    time::{Instant, timeout},
};

use crate::{
    calls::{Tools, around, user},
    shop::{entity, folder, settings},
};

/// The number of times that this process has a file open.
fn n_open(file: &Path) -> usize {
    let files = fs::read_dir("/proc/self/fd").unwrap().flatten();
    files.filter(|open| fs::read_link(open.path()).is_ok_and(|open| open == file)).count()
}

#[tokio::test]
async fn a_file_is_closed_when_the_load_that_opened_it_is_gone() {
    let folder = folder();
    let file = folder.path().join("shop.db").canonicalize().unwrap();
    let settings = || settings(vec![entity("orders")]);
    let first = load_with(settings(), around(folder.path()), Resources::default()).await;
    let resources = Resources { earlier: first.connections.clone(), ..Resources::default() };
    let first = Tools::of(first, None);
    first.call("shop-orders-list", json!({}), &user("ann")).await;
    let second = Tools::of(load_with(settings(), around(folder.path()), resources).await, None);
    second.call("shop-orders-list", json!({}), &user("ann")).await;
    let n_of_both = n_open(&file);
    drop(first);
    let left = async |most: usize| {
        let begun = Instant::now();
        while n_open(&file) > most && begun.elapsed() < Duration::from_secs(5) {
            yield_now().await;
        }
        n_open(&file)
    };
    assert!(left(n_of_both - 1).await < n_of_both);
    second.call("shop-orders-list", json!({}), &user("ann")).await;
    drop(second);
    let n_left = timeout(Duration::from_secs(6), left(0)).await.unwrap();
    assert_eq!(n_left, 0);
}
