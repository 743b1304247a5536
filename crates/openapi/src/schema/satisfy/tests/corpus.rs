//! Looks for schemas that are reported and yet met, in every description of the corpus, where there is one.

use std::fs;

use callgate_tool::{Object, Value};
use callgate_tree::{Node, Path};
use proptest::{
    prelude::ProptestConfig,
    test_runner::{RngAlgorithm, TestRng},
};

use super::{
    super::{can_contradict_itself, schema_conflict},
    candidates::Candidates,
};
use crate::{
    budget::Budget,
    document::Document,
    limits::Limits,
    schema::{Builder, View, cache::SchemaCache},
};

/// The pointers of all objects that are read as schemas and reported.
fn reported(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let mut ahead = vec![(document.root(), String::new())];
    while let Some((node, pointer)) = ahead.pop() {
        let below =
            |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        match node {
            Node::Array(items) => ahead
                .extend(items.iter().enumerate().map(|(at, item)| (item, below(&at.to_string())))),
            Node::Object(members) => {
                if can_contradict_itself(members)
                    && schema_conflict(document, node, &Path::at(&pointer)).is_some()
                {
                    found.push(pointer.clone());
                }
                ahead.extend(
                    members
                        .iter()
                        .filter(|(name, _)| !name.starts_with("example"))
                        .map(|(name, node)| (node, below(name))),
                );
            }
            _ => {}
        }
    }
    found
}

fn built(document: &Document, pointer: &str) -> serde_json::Value {
    let kept = SchemaCache::new(Budget::for_definitions(document));
    let mut builder = Builder::new(document, &kept, View::Complete);
    let node = document.root().at(pointer).unwrap();
    let schema = builder.build_schema(node, &Path::at(pointer));
    let mut whole = Object::new();
    whole.insert("allOf".to_owned(), Value::Array(vec![schema]));
    builder.finish_with_definitions(whole).0.to_value().to_serde_json()
}

#[expect(clippy::print_stderr, reason = "the counts are read by people")]
#[test]
fn no_schema_of_the_corpus_is_reported_although_a_value_meets_it() {
    let Some(folder) = callgate_testkit::corpus("specs") else { return };
    let (mut n_files, mut n_reported) = (0, 0);
    let is_long = ProptestConfig::default().cases > 256;
    for path in callgate_testkit::descriptions(&folder).into_iter().step_by(if is_long {
        1
    } else {
        SAMPLE
    }) {
        let Ok(read) = Document::read(&fs::read(&path).unwrap(), &Limits::default()) else {
            continue;
        };
        n_files += 1;
        let document = read.value;
        for pointer in reported(&document) {
            n_reported += 1;
            let schema = built(&document, &pointer);
            let validator =
                jsonschema::options().with_draft(jsonschema::Draft::Draft202012).build(&schema);
            let Ok(validator) = validator else { continue };
            let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
            let values = Candidates { root: &schema, rng }.of(&schema, 200);
            let accepted = values.iter().find(|value| validator.is_valid(value));
            assert_eq!(accepted, None, "{} {pointer}", path.display());
            if std::env::args().any(|argument| argument == "--nocapture") {
                eprintln!("{} {pointer}", path.display());
            }
        }
    }
    eprintln!("{n_files} descriptions, {n_reported} schemas reported");
}

/// Of so many descriptions one is read, unless `PROPTEST_CASES` asks for a long run.
const SAMPLE: usize = 40;
