//! Questions that other people labelled with the tools that answer them: the index beside plain BM25 and plain BM25F, on the
//! same texts in the same run; and everyday questions about descriptions of the corpus. Where the labelled sets are not there it says so and passes.

#![cfg(test)]

mod bm25;
mod cranfield;
mod everyday;
mod operations;
mod sets;

use callgate_search::{Index, Query};
use callgate_testkit::say;

use self::{
    bm25::Bm25,
    everyday::{FIRST, everyday},
    operations::Operations,
    sets::{Measures, Set, sets},
};

#[test]
fn no_labelled_set_is_answered_worse_than_by_plain_bm25() {
    let sets = sets();
    for set in &sets {
        let (ours, plain, fields) = (ours(set), plain(set), fields(set));
        say(&format!("{}: index {ours}; plain BM25 {plain}; plain BM25F {fields}", set.name));
        assert!(ours.is_at_least(&plain), "{}: {ours}, plain BM25: {plain}", set.name);
        assert!(ours.is_at_least(&fields), "{}: {ours}, plain BM25F: {fields}", set.name);
    }
}

#[test]
fn everyday_questions_find_their_operations_among_the_first_five() {
    for (file, questions) in everyday() {
        let Some(operations) = Operations::read(file) else { continue };
        let index = operations.index();
        let mut n_found = 0;
        for (question, wanted) in &questions {
            let found = operations.found(&index, question);
            let at = found.iter().position(|id| wanted.contains(&&**id));
            n_found += usize::from(at.is_some_and(|at| at < 5));
            if at.is_none_or(|at| at >= 5) {
                say(&format!("{file}: {question}: {at:?} {:?}", found.get(..5)));
            }
        }
        say(&format!("{file}: {n_found} of {} among the first five", questions.len()));
        assert!(n_found * 100 >= questions.len() * LEAST, "{file}: {n_found}");
    }
}

#[test]
fn plain_questions_find_their_operation_first_or_second() {
    for (file, question, wanted) in FIRST {
        let Some(operations) = Operations::read(file) else { continue };
        let found = operations.found(&operations.index(), question);
        let first = found.get(..2).unwrap_or_default();
        assert!(first.iter().any(|id| id == wanted), "{file}: {question}: {found:?}");
    }
}

fn ours(set: &Set) -> Measures {
    let index = Index::new(set.tools.iter().map(sets::document));
    set.measured(|question| {
        let hits = index.find(Query::new(question), |_| true);
        hits.into_iter().map(|hit| hit.document).collect()
    })
}

fn fields(set: &Set) -> Measures {
    let documents: Vec<_> = set.tools.iter().map(sets::document).collect();
    let fields = Bm25::of_fields(&documents);
    set.measured(|question| fields.find(question))
}

fn plain(set: &Set) -> Measures {
    let plain = Bm25::of_texts(set.tools.iter().map(sets::whole_text));
    set.measured(|question| plain.find(question))
}

/// The part of the everyday questions, in percent, that each description must answer among the first five.
const LEAST: usize = 70;
