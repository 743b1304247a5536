//! Abstracts, and questions about them that people judged (Cranfield): the index of pieces beside plain BM25, for the questions as
//! they are and for whole abstracts as questions. Where the collection is not there it says so and passes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use callgate_search::{PieceIndex, PieceWords};
use callgate_testkit::{corpus, say};

use super::bm25::Bm25;

/// A question with the abstracts that answer it.
struct Judged {
    question: String,
    relevant: BTreeSet<usize>,
}

#[test]
fn no_question_about_abstracts_is_answered_worse_than_by_plain_bm25_however_long_it_is() {
    let Some(folder) = corpus("retrieval").map(|folder| folder.join("cranfield")) else { return };
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let files = ["cran.all.1400.xml", "cran.qry.xml", "cranqrel.trec.txt"].map(read);
    let [Some(abstracts), Some(questions), Some(judgements)] = files else { return };
    let texts: Vec<&str> = parts(&abstracts, "text");
    let questions = read_judgements(&parts(&questions, "title"), &judgements);
    let mut index = PieceIndex::default();
    let (mut reader, mut words) = (index.piece_tokenizer(), PieceWords::default());
    for text in &texts {
        reader.read("", text, &mut words);
    }
    index.append(&words);
    index.update_length_weights();
    let plain = Bm25::of_texts(texts.iter().map(|text| (*text).to_owned()));
    let ours = |question: &str| -> Vec<usize> {
        let hits = index.find(question, 10, |_| true);
        hits.into_iter().map(|hit| hit.document).collect()
    };
    let long = whole_abstracts(&questions, &texts);
    for (name, questions) in [("questions", &questions), ("whole abstracts", &long)] {
        let [ours, plain] =
            [gain(questions, ours), gain(questions, |question| plain.find(question))];
        say(&format!(
            "Cranfield, {} {name}: index {ours:.4}, plain BM25 {plain:.4}",
            questions.len()
        ));
        assert!(ours >= plain, "{name}: {ours}, plain BM25: {plain}");
    }
}

/// The texts between the tags of a name.
fn parts<'t>(text: &'t str, tag: &str) -> Vec<&'t str> {
    let (begin, end) = (format!("<{tag}>"), format!("</{tag}>"));
    let after = text.split(&begin).skip(1);
    after.map(|part| part.split(&end).next().unwrap()).collect()
}

/// The judgements name questions by their order, and abstracts by their numbers from 1.
fn read_judgements(questions: &[&str], judgements: &str) -> Vec<Judged> {
    let mut relevant = BTreeMap::<usize, BTreeSet<usize>>::new();
    for line in judgements.lines() {
        let numbers: Vec<i64> =
            line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        if let [question, _, document, grade] = numbers[..]
            && grade > 0
        {
            let document = usize::try_from(document - 1).unwrap();
            relevant.entry(usize::try_from(question - 1).unwrap()).or_default().insert(document);
        }
    }
    let judged = relevant.into_iter().filter_map(|(at, relevant)| {
        questions.get(at).map(|question| Judged { question: (*question).to_owned(), relevant })
    });
    judged.collect()
}

/// The first relevant abstract of each question, for which the others are relevant.
fn whole_abstracts(questions: &[Judged], texts: &[&str]) -> Vec<Judged> {
    let long = questions.iter().filter_map(|judged| {
        let mut relevant = judged.relevant.clone();
        let question = (*texts.get(relevant.pop_first()?)?).to_owned();
        (!relevant.is_empty()).then_some(Judged { question, relevant })
    });
    long.collect()
}

/// The mean gain of the ten best (nDCG).
fn gain(questions: &[Judged], find: impl Fn(&str) -> Vec<usize>) -> f64 {
    let discount = |at: usize| 1.0 / f64::from(u32::try_from(at + 2).unwrap()).log2();
    let gains = questions.iter().map(|judged| {
        let found = find(&judged.question);
        let hits = found.iter().take(10).enumerate();
        let gain: f64 = hits
            .filter(|(_, document)| judged.relevant.contains(document))
            .map(|(at, _)| discount(at))
            .sum();
        gain / (0..judged.relevant.len().min(10)).map(discount).sum::<f64>()
    });
    gains.sum::<f64>() / f64::from(u32::try_from(questions.len()).unwrap())
}
