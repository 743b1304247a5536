//! A database of a thousand tables: `t1` to `t1000`, each with the key `no` and the columns `other` and `a` to `h`. `t500` has a comment.

use std::path::Path;

use callgate_database::{DatabaseSettings, EntitySettings, Operation};
use callgate_executor::Search;
use callgate_testkit::{processor_time, say};
use tokio::time::Instant;

use crate::calls::{Tools, entity, loaded_in, settings_at};

pub(crate) fn settings(url: &str) -> DatabaseSettings {
    let of = |at: i32| EntitySettings {
        input_fields: [(Operation::Update, vec!["a".to_owned(), "b".to_owned()])].into(),
        ..entity(&format!("t{at}"))
    };
    settings_at(url, (1..=1000).map(of).collect())
}

/// Loads the tables and searches their tools.
pub(crate) async fn load(engine: &str, settings: DatabaseSettings) -> Tools {
    let (begun, processor) = (Instant::now(), processor_time());
    let loaded = loaded_in(Path::new("."), settings).await;
    let (took, processor) = (begun.elapsed(), processor_time().saturating_sub(processor));
    assert_eq!((&*loaded.findings, loaded.tools.len()), (&[][..], 5000));
    say(&format!(
        "1,000 tables of {engine} load in {took:?}, of which this process works {processor:?}"
    ));
    // A build without optimizations says nothing about times.
    assert!(cfg!(debug_assertions) || took.as_millis() <= 2000, "{took:?}");
    let tools = Tools::of(loaded, None);
    let first = |text: &str| {
        let found = tools.executor.search(&Search::new(text), |_| true);
        found.first().map(|found| found.entry.name().to_string()).unwrap_or_default()
    };
    let begun = Instant::now();
    assert_eq!(first("list t777"), "shop-t777-list");
    say(&format!("the first search among 5,000 tools of {engine} takes {:?}", begun.elapsed()));
    assert_eq!(first("delete a row of t12"), "shop-t12-delete");
    let begun = Instant::now();
    assert!(first("lighthouse keepers").starts_with("shop-t500-"));
    say(&format!("a further one takes {:?}", begun.elapsed()));
    tools
}
