//! Properties of all documents and all questions.

#![cfg(test)]

use callgate_search::{Document, Field, Hit, Index, Need, Product, Query, Thing};
use callgate_tool::Effect;
use proptest::{collection::vec, prelude::*};

/// A document of random texts, which needs and produces what some others do.
fn document((texts, links): &([String; 3], (u8, u8))) -> Document<'_> {
    let [name, summary, path] = texts;
    let mut document = Document::new(name, Effect::Read);
    document.summary = summary.into();
    document.path = path;
    let thing = |n: &u8| Thing::of_argument(&format!("thing{}_id", n % 4)).unwrap();
    document.needs.push(Need { argument: "id".into(), thing: thing(&links.0) });
    document.produces.push(Product {
        thing: thing(&links.1),
        at: "id".into(),
        distance: links.1 % 3,
    });
    document
}

fn texts() -> impl Strategy<Value = Vec<([String; 3], (u8, u8))>> {
    let text = || prop_oneof!["[a-c]{1,2}( [a-cX]{1,3}){0,4}", "\\PC{0,12}"];
    vec(([text(), text(), text()], any::<(u8, u8)>()), 0..24)
}

fn found(index: &Index, question: &str, limit: usize, admits: impl Fn(usize) -> bool) -> Vec<Hit> {
    index.find(Query::new(question).with_limit(limit), admits)
}

proptest! {
    #[test]
    fn hits_are_limited_filtered_distinct_and_ordered(
        texts in texts(),
        question in "\\PC{0,40}|[a-cX ]{0,12}",
        limit in 0_usize..12,
        admitted in any::<u32>(),
    ) {
        let index = Index::new(texts.iter().map(document));
        let admits = |at: usize| admitted >> (at % 32) & 1 == 1;
        let hits = found(&index, &question, limit, admits);
        prop_assert!(hits.len() <= limit);
        prop_assert!(hits.iter().all(|hit| hit.document < texts.len() && admits(hit.document)));
        prop_assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.score > 0.0));
        prop_assert!(hits.is_sorted_by(|a, b| (b.score, a.document) < (a.score, b.document)));
        prop_assert_eq!(&hits, &found(&index, &question, limit, admits));
    }

    #[test]
    fn a_smaller_limit_returns_the_first_hits_of_a_larger_one(texts in texts(), question in "[a-cX ]{0,12}", limit in 0_usize..12) {
        let index = Index::new(texts.iter().map(document));
        let all = found(&index, &question, usize::MAX, |_| true);
        let some = found(&index, &question, limit, |_| true);
        prop_assert_eq!(&some[..], &all[..limit.min(all.len())]);
    }

    #[test]
    fn tools_that_the_filter_rejects_use_no_rank(texts in texts(), question in "[a-cX ]{0,12}") {
        let index = Index::new(texts.iter().map(document));
        let admits = |at: usize| at.is_multiple_of(2);
        let all = index.find_by_words(Query::new(&question).with_limit(usize::MAX));
        let admitted = found(&index, &question, usize::MAX, admits);
        // Whatever has the words and is admitted is found, whoever else has them.
        let worded = all.iter().filter(|hit| admits(hit.document));
        let found = |hit: &&Hit| admitted.iter().any(|known| known.document == hit.document);
        prop_assert!(worded.clone().all(|hit| found(&hit)));
    }

    #[test]
    fn a_word_of_only_one_document_finds_it(texts in texts(), at in any::<prop::sample::Index>()) {
        prop_assume!(!texts.is_empty());
        let at = at.index(texts.len());
        let mut documents: Vec<Document<'_>> = texts.iter().map(document).collect();
        documents[at].description = "zebra".into();
        let index = Index::new(documents);
        let hits = index.find_by_words(Query::new("zebras"));
        prop_assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), [at]);
    }

    #[test]
    fn resource_names_are_read_from_any_text(
        name in "\\PC{0,20}",
        path in "\\PC{0,20}",
        above in vec("\\PC{0,8}", 0..4),
    ) {
        let above: Vec<&str> = above.iter().map(String::as_str).collect();
        let named = [Thing::of_variable(&name, &path), Thing::of_argument(&name)];
        prop_assert!(named.iter().flatten().all(|thing| !thing.to_string().is_empty()));
        let field = Field { name: &name, above: &above, schema: Some(&name), path: &path };
        prop_assert!(Thing::things_and_distances(field).len() < 20);
    }
}
