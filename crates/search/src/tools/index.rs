//! The index of a catalog. `postings` scores documents by their words, `sources` by the things they need and produce.

use std::mem;

use super::{
    dependencies::{Need, Product},
    document::Document,
    postings::{Postings, Words},
    sources::Sources,
    titles::Titles,
};
use crate::{
    query::{Hit, Query, best},
    synonyms::Synonyms,
    vocabulary::{Learner, Vocabulary},
};

/// Documents that can be found by their words.
#[derive(Debug, Default)]
pub struct Index {
    vocabulary: Vocabulary,
    postings: Postings,
    sources: Sources,
    titles: Titles,
    deprecated: Box<[usize]>,
    n_documents: usize,
    synonyms: Synonyms,
}

impl Index {
    /// Indexes documents. The position of a document is its number in the index.
    pub fn new<'a>(documents: impl IntoIterator<Item = Document<'a>>) -> Self {
        let (mut learner, mut sources) = (Learner::default(), Sources::default());
        let (mut names, mut deprecated) = (Vec::new(), Vec::new());
        let read = |(at, mut document): (usize, Document<'a>)| {
            sources.add_document(&mut document);
            deprecated.extend(document.is_deprecated.then_some(at));
            names.push([document.name.into(), document.summary_or_first_sentence()]);
            Words::read_document(&mut learner, &document)
        };
        let all: Vec<Words> = documents.into_iter().enumerate().map(read).collect();
        sources.drop_unmatched();
        let vocabulary = learner.into_vocabulary();
        let postings = Postings::new(&all, vocabulary.len());
        let mut titles = Titles::default();
        let methods = vocabulary.word_numbers(METHODS, &Synonyms::default());
        for names in names {
            titles.add_document(
                names.map(|name| vocabulary.word_numbers_if_indexed(&name)),
                &methods,
            );
        }
        let (n_documents, synonyms) = (all.len(), Synonyms::default());
        let deprecated = deprecated.into();
        Self { vocabulary, postings, sources, titles, deprecated, n_documents, synonyms }
    }

    /// Adds synonyms, which widen the words of every question.
    #[must_use]
    pub fn with_synonyms(mut self, synonyms: Synonyms) -> Self {
        self.synonyms = synonyms;
        self
    }

    /// The best documents for a question among those that `admits` accepts. Sources of the things that matching documents
    /// need are found too.
    pub fn find(&self, query: Query<'_>, admits: impl Fn(usize) -> bool) -> Vec<Hit> {
        let mut scores = self.text_scores(query.text);
        for (document, score) in scores.iter_mut().enumerate() {
            if *score > 0.0 && !admits(document) {
                *score = 0.0;
            }
        }
        if let Some(words) = self.vocabulary.word_numbers_if_indexed(query.text) {
            self.titles.raise_exact_matches(&words, &mut scores);
        }
        self.sources.raise_sources(&mut scores, admits);
        self.lower_deprecated(&mut scores);
        best(&scores, query.limit)
    }

    /// Lowers the scores of deprecated documents below those of all others that are found, in their order.
    fn lower_deprecated(&self, scores: &mut [f32]) {
        let mut lowered = Vec::with_capacity(self.deprecated.len());
        for at in &self.deprecated {
            lowered.push(scores.get_mut(*at).map(mem::take).unwrap_or_default());
        }
        let most = lowered.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let least = scores.iter().copied().filter(|score| *score > 0.0).fold(most, f32::min);
        for (at, score) in self.deprecated.iter().zip(lowered) {
            scores.get_mut(*at).into_iter().for_each(|it| *it = score * JUST_BELOW * least / most);
        }
    }

    /// The best documents by their words alone.
    pub fn find_by_words(&self, query: Query<'_>) -> Vec<Hit> {
        best(&self.text_scores(query.text), query.limit)
    }

    /// The things that a document needs and other documents return.
    pub fn needs(&self, document: usize) -> &[Need] {
        self.sources.needs(document)
    }

    /// The things that a document produces, the subject of its response first.
    pub fn products(&self, document: usize) -> &[Product] {
        self.sources.things_produced_by(document)
    }

    /// The documents that return the needed thing, the simplest to call first.
    pub fn sources(&self, need: &Need) -> impl Iterator<Item = usize> {
        self.sources.source_documents(&need.thing)
    }

    /// The size of the index in bytes.
    pub fn bytes(&self) -> usize {
        self.postings.bytes() + self.vocabulary.bytes() + self.sources.bytes() + self.titles.bytes()
    }

    fn text_scores(&self, text: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.n_documents];
        let words = self.vocabulary.word_numbers(text, &self.synonyms);
        for word in &words {
            self.postings.add_scores(*word, &mut scores);
        }
        self.titles.raise_by_name_match(&words, &mut scores);
        scores
    }
}

/// The factor that keeps deprecated documents behind the last of the others.
const JUST_BELOW: f32 = 0.999;
/// Methods of HTTP that begin names (`PostRefunds`) and say little; who deletes says so.
const METHODS: &str = "get patch post put";

#[cfg(test)]
mod tests {
    use callgate_tool::Effect;

    use super::*;

    fn document<'a>(name: &'a str, summary: &'a str, description: &'a str) -> Document<'a> {
        let mut document = Document::new(name, Effect::Write);
        (document.summary, document.description) = (summary.into(), description.into());
        document
    }

    #[track_caller]
    fn check(documents: Vec<Document<'_>>, question: &str, expected: &[usize]) {
        let hits = Index::new(documents).find(Query::new(question), |_| true);
        assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_document_whose_title_is_the_question_is_the_first() {
        let all = || {
            vec![
                document("createIssueComment", "Create an issue comment", "issue create"),
                document("a", "Create an issue", ""),
                document("b", "", "<p>Create an issue. And more.</p>"),
            ]
        };
        check(all(), "create the issues", &[1, 2, 0]);
        let mut deprecated = all();
        deprecated[1].is_deprecated = true;
        check(deprecated, "create the issues", &[2, 0, 1]);
    }

    #[test]
    fn deprecated_documents_come_last_in_the_order_of_their_scores() {
        let mut old = document("old pets", "pets pets", "pets");
        old.is_deprecated = true;
        let mut older = document("pets pets", "pets", "");
        older.is_deprecated = true;
        let all = vec![old.clone(), older.clone(), document("a", "", "once there were pets")];
        check(all, "pets", &[2, 1, 0]);
        check(vec![old, older], "pets", &[1, 0]);
    }

    #[test]
    fn a_name_whose_words_are_all_in_the_question_precedes_a_longer_one() {
        let long = document("PostReadersReaderRefundPayment", "", "Refund a payment in person");
        let short = document("PostRefunds", "", "Create a refund of a payment");
        // Most operations of such a service are about payments.
        let others = ["GetPaymentLinks", "GetPaymentMethods", "PostPaymentIntents"];
        let others = others.map(|name| document(name, "", "Works on a payment"));
        let [a, b, c] = others;
        check(vec![long, short, a, b, c], "refund a payment", &[1, 0, 2, 3, 4]);
    }

    #[test]
    fn a_question_about_me_finds_the_current_user() {
        let all = || {
            vec![
                document("getUser", "Get a user", ""),
                document("getAuthenticated", "Get the authenticated user", ""),
                document("listPets", "List pets", ""),
            ]
        };
        for question in ["who am i", "whoami", "Who am I?"] {
            check(all(), question, &[1, 0]);
        }
        check(all(), "what is it", &[]);
    }
}
