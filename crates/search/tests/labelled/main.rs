//! Questions that other people labelled with the tools that answer them: the index beside plain BM25, on the same texts in
//! the same run. Where the labelled sets are not there it says so and passes.

#![cfg(test)]

mod plain;
mod sets;

use std::io::{Write, stderr};

use callgate_search::{Index, Query};

use self::{
    plain::Plain,
    sets::{Measures, Set, sets},
};

#[test]
fn no_set_is_answered_worse_than_by_plain_bm25() {
    let sets = sets();
    if sets.is_empty() {
        return say("corpus absent: no labelled question is asked");
    }
    for set in &sets {
        let (ours, plain) = (ours(set), plain(set));
        say(&format!("{}: index {ours}; plain BM25 {plain}", set.name));
        assert!(ours.is_at_least(&plain), "{}: {ours}, plain BM25: {plain}", set.name);
    }
}

fn ours(set: &Set) -> Measures {
    let index = Index::new(set.tools.iter().map(sets::document));
    set.measured(|question| {
        let hits = index.find(Query::new(question), |_| true);
        hits.into_iter().map(|hit| hit.document).collect()
    })
}

fn plain(set: &Set) -> Measures {
    let plain = Plain::new(set.tools.iter().map(sets::whole_text));
    set.measured(|question| plain.find(question))
}

/// Tests of a library print nothing else.
fn say(line: &str) {
    writeln!(stderr(), "{line}").unwrap();
}
