//! Sources of things that other documents need. The sources of a hit's needs are ranked right behind the hit. A source only
//! reads, and does not need the thing itself.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    mem,
};

use callgate_tool::Effect;

use super::{
    dependencies::{Need, Product, Thing},
    document::Document,
};

#[derive(Debug, Default)]
pub(crate) struct Sources {
    parts: Vec<DocumentThings>,
    things: BTreeMap<Thing, Row>,
}

#[derive(Debug)]
struct DocumentThings {
    needs: Box<[Need]>,
    products: Box<[Product]>,
}

#[derive(Debug, Default)]
struct Row {
    needed_by: Vec<u32>,
    /// The sources with the fewest needs of their own first; of these, the nearest to the thing first.
    sources: Vec<Source>,
}

#[derive(Clone, Copy, Debug, Default)]
struct NeedScore {
    /// The best score of a hit that needs the thing.
    most: f32,
    /// The largest share of a hit's score that falls to this need.
    share: f32,
}

#[derive(Clone, Copy, Debug)]
struct Source {
    document: u32,
    n_needs: u32,
    distance: u8,
}

impl Sources {
    pub(crate) fn add_document(&mut self, document: &mut Document<'_>) {
        let at = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        document.needs.truncate(MOST_NEEDS);
        document.keep_nearest_products();
        for need in &document.needs {
            let row = self.things.entry(need.thing.clone()).or_default();
            if row.needed_by.last() != Some(&at) {
                row.needed_by.push(at);
            }
        }
        for product in document.produces.iter().filter(|product| document.is_source_of(product)) {
            let row = self.things.entry(product.thing.clone()).or_default();
            row.sources.push(Source { document: at, n_needs: 0, distance: product.distance });
        }
        let needs = mem::take(&mut document.needs).into();
        let products = mem::take(&mut document.produces).into();
        self.parts.push(DocumentThings { needs, products });
    }

    /// Ends the adding. Drops needs without a source, and sources of things that no document needs.
    pub(crate) fn drop_unmatched(&mut self) {
        self.things.retain(|_, row| !row.needed_by.is_empty() && !row.sources.is_empty());
        for parts in &mut self.parts {
            let answered = mem::take(&mut parts.needs).into_iter();
            parts.needs = answered.filter(|need| self.things.contains_key(&need.thing)).collect();
        }
        for row in self.things.values_mut() {
            for source in &mut row.sources {
                let needs =
                    self.parts.get(source.document as usize).map_or(0, |parts| parts.needs.len());
                source.n_needs = u32::try_from(needs).unwrap_or(u32::MAX);
            }
            row.sources.sort_by_key(|source| (source.n_needs, source.distance, source.document));
            row.sources.shrink_to_fit();
            row.needed_by.shrink_to_fit();
        }
    }

    pub(crate) fn needs(&self, document: usize) -> &[Need] {
        self.parts.get(document).map(|parts| &*parts.needs).unwrap_or_default()
    }

    pub(crate) fn things_produced_by(&self, document: usize) -> &[Product] {
        self.parts.get(document).map(|parts| &*parts.products).unwrap_or_default()
    }

    /// The documents that return a thing, the simplest first.
    pub(crate) fn source_documents(&self, thing: &Thing) -> impl Iterator<Item = usize> {
        let row = self.things.get(thing);
        row.into_iter().flat_map(|row| &row.sources).map(|source| source.document as usize)
    }

    /// Raises the scores of sources of things that hits need: by shares of the hits' scores, to just below the best of
    /// these hits. Documents that `admits` rejects have score zero and keep it.
    pub(crate) fn raise_sources(&self, scores: &mut [f32], admits: impl Fn(usize) -> bool) {
        let mut raised = Vec::new();
        for row in self.things.values() {
            let need = row.score_of_need(scores, |at| self.needs(at as usize).len());
            if need.most > 0.0 {
                row.collect_raised_scores(scores, need, &admits, &mut raised);
            }
        }
        for (at, raised) in raised {
            if let Some(score) = scores.get_mut(at as usize) {
                *score = score.max(raised);
            }
        }
    }

    /// The size of all needs and products in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let parts = self.parts.iter().map(DocumentThings::bytes).sum::<usize>();
        let rows = self.things.iter().map(|(thing, row)| {
            let numbers = row.needed_by.capacity() * size_of::<u32>();
            let sources = row.sources.capacity() * size_of::<Source>();
            size_of::<(Thing, Row)>() + thing.bytes() + numbers + sources
        });
        self.parts.capacity() * size_of::<DocumentThings>() + parts + rows.sum::<usize>()
    }
}

impl Row {
    /// The need for the thing. A document with several needs divides its score among them.
    fn score_of_need(&self, scores: &[f32], n_needs: impl Fn(u32) -> usize) -> NeedScore {
        let mut needed = NeedScore::default();
        for at in &self.needed_by {
            let score = score_of(scores, *at);
            needed.most = needed.most.max(score);
            let n = u8::try_from(n_needs(*at)).unwrap_or(u8::MAX).max(1);
            needed.share = needed.share.max(score / f32::from(n));
        }
        needed
    }

    fn collect_raised_scores(
        &self,
        scores: &[f32],
        needed: NeedScore,
        admits: impl Fn(usize) -> bool,
        raised: &mut Vec<(u32, f32)>,
    ) {
        let mut admitted =
            self.sources.iter().filter(|source| admits(source.document as usize)).peekable();
        // A simple source makes sources with more needs of their own unnecessary.
        let fewest = admitted.peek().map_or(0, |source| source.n_needs);
        let mut nearest: Vec<&Source> = Vec::with_capacity(MOST_SOURCES + 1);
        for source in admitted.take_while(|source| source.n_needs == fewest) {
            let is_before =
                |nearest_source: &&Source| compare_by_score(scores, nearest_source, source).is_le();
            nearest.insert(nearest.partition_point(is_before), source);
            nearest.truncate(MOST_SOURCES);
        }
        for (source, share) in nearest.into_iter().zip(SHARES) {
            let score = score_of(scores, source.document) + needed.share * share;
            raised.push((source.document, score.min(needed.most * JUST_BELOW)));
        }
    }
}

impl DocumentThings {
    fn bytes(&self) -> usize {
        let needs = self.needs.iter().map(|need| need.argument.len() + need.thing.bytes());
        let products = self.products.iter().map(|product| product.at.len() + product.thing.bytes());
        size_of_val(&*self.needs)
            + size_of_val(&*self.products)
            + needs.sum::<usize>()
            + products.sum::<usize>()
    }
}

impl Document<'_> {
    /// Keeps each thing once, and prefers subjects of the response to things that it only mentions.
    fn keep_nearest_products(&mut self) {
        self.produces.sort_by(|a, b| (a.distance, &a.thing).cmp(&(b.distance, &b.thing)));
        let mut seen_things = BTreeSet::new();
        let is_new = |product: &Product| {
            seen_things.len() < MOST_PRODUCTS && seen_things.insert(product.thing.clone())
        };
        self.produces.retain(is_new);
    }

    /// True if others can get the thing from this tool: it is not deprecated, only reads, does not need the thing itself, and describes it
    /// closely.
    fn is_source_of(&self, Product { thing, distance, .. }: &Product) -> bool {
        let is_told = self.needs.iter().any(|need| need.thing == *thing);
        self.effect == Effect::Read && !self.is_deprecated && *distance <= MOST_DISTANCE && !is_told
    }
}

/// Orders sources by their fit to the question, then by their distance from the thing.
fn compare_by_score(scores: &[f32], a: &Source, b: &Source) -> Ordering {
    let score = |source: &Source| score_of(scores, source.document);
    score(b).total_cmp(&score(a)).then(a.distance.cmp(&b.distance))
}

fn score_of(scores: &[f32], document: u32) -> f32 {
    scores.get(document as usize).copied().unwrap_or_default()
}

/// The shares of a score that the sources of one thing get, the nearest first; few sources make an easy choice for a model.
const SHARES: [f32; MOST_SOURCES] = [1.0, 1.0 / 2.0, 1.0 / 3.0];
const MOST_SOURCES: usize = 3;
/// The largest distance of a source: facts about the subject count, more distant mentions do not.
const MOST_DISTANCE: u8 = 1;
/// The factor that keeps a source behind the best hit that needs it.
const JUST_BELOW: f32 = 0.999;
/// The most needs of a document; real operations have fewer than ten.
const MOST_NEEDS: usize = 16;
/// The most products of a document; real operations have fewer.
const MOST_PRODUCTS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Index, Query};

    /// A document that needs some things and produces others.
    fn document<'a>(name: &'a str, needs: &[&str], products: &[(&str, u8)]) -> Document<'a> {
        let thing = |name: &str| Thing::of_argument(&format!("{name}_id")).unwrap();
        let mut document = Document::new(name, Effect::Read);
        let need = |name: &&str| Need { argument: (*name).into(), thing: thing(name) };
        document.needs = needs.iter().map(need).collect();
        let product = |(name, distance): &(&str, u8)| Product {
            thing: thing(name),
            at: "id".into(),
            distance: *distance,
        };
        document.produces = products.iter().map(product).collect();
        document
    }

    #[track_caller]
    fn check(documents: Vec<Document<'_>>, question: &str, expected: &[usize]) {
        let hits = Index::new(documents).find(Query::new(question), |_| true);
        assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_producer_follows_the_document_that_needs_it() {
        let feed = || document("feed animals", &["pet"], &[]);
        let list = || document("list", &[], &[("pet", 0)]);
        check(vec![list(), document("feed", &[], &[]), feed()], "feed animals", &[2, 0, 1]);
        check(vec![list(), feed()], "nothing", &[]);
    }

    #[test]
    fn producers_without_needs_are_preferred() {
        let of_shop = || document("pets of shops", &["shop"], &[("pet", 0)]);
        let mentions = document("orders", &[], &[("pet", 1)]);
        let list = document("list", &[], &[("pet", 0)]);
        let feed = || document("feed", &["pet"], &[]);
        let shops = || document("shops", &[], &[("shop", 0)]);
        check(vec![of_shop(), mentions, list, feed(), shops()], "feed", &[3, 2, 1]);
        check(vec![of_shop(), feed(), shops()], "feed", &[1, 0]);
    }

    #[test]
    fn a_document_with_several_needs_divides_its_score_among_their_producers() {
        let all = vec![
            document("feed weigh wash", &["pet", "owner", "shop"], &[]),
            document("weigh", &[], &[]),
            document("owners", &[], &[("owner", 0)]),
            document("pets", &[], &[("pet", 0)]),
            document("shops", &[], &[("shop", 0)]),
        ];
        check(all, "feed weigh", &[0, 1, 2, 3, 4]);
    }

    #[test]
    fn documents_that_need_write_or_only_mention_a_resource_are_no_producers_of_it() {
        let told = document("show", &["pet"], &[("pet", 0)]);
        let far = document("far", &[], &[("pet", 2)]);
        let mut create = document("create", &[], &[("pet", 0)]);
        create.effect = Effect::Write;
        check(vec![told, far, create, document("feed", &["pet"], &[])], "feed", &[3]);
    }

    #[test]
    fn a_producer_that_the_filter_rejects_is_not_found() {
        let all = [document("list", &[], &[("pet", 0)]), document("feed", &["pet"], &[])];
        let hits = Index::new(all).find(Query::new("feed"), |at| at == 1);
        assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn an_index_returns_the_needs_and_products_of_its_documents() {
        let all =
            [document("list", &[], &[("owner", 1), ("pet", 0)]), document("feed", &["pet"], &[])];
        let index = Index::new(all);
        let things: Vec<String> =
            index.products(0).iter().map(|one| one.thing.to_string()).collect();
        assert_eq!(things, ["pet", "owner"]);
        let need = index.needs(1).first().unwrap();
        assert_eq!(index.sources(need).collect::<Vec<_>>(), [0]);
        assert!(index.bytes() > 0);
    }
}
