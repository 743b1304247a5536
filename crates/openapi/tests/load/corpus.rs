//! Loads every description of the corpus, where there is one: nothing panics, every operation is accounted for, every
//! name is legal and unique, every declaration builds. What each schema means is tested elsewhere.

use crate::prelude::*;

use callgate_testkit::{corpus, descriptions};
use callgate_tool::Schema;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Of how many operations of a description every schema is built; of the others of each twentieth.
const BUILT: usize = 20;
const EACH: usize = 20;

/// The operations of a document by its text alone, through local path item references.
fn n_operations(root: &Node) -> usize {
    let paths = root.get("paths").and_then(Node::as_object);
    let items = paths.into_iter().flat_map(callgate_tree::Object::iter);
    let items = items.filter(|(key, _)| !key.starts_with("x-"));
    items.map(|(_, item)| METHODS.iter().filter(|method| item.get(method).is_some()).count()).sum()
}

/// Every schema of an operation.
fn schemas(operation: &Operation) -> impl Iterator<Item = Value> {
    let tool = operation.declaration().unwrap();
    let declared = [Some(&tool.input_schema), tool.output_schema()].into_iter().flatten();
    declared.map(Schema::to_value).chain([operation.arguments_schema().clone()])
}

fn check(path: &Path, loaded: &Loaded, document: &Document) {
    let report = &loaded.report;
    assert_eq!(report.operations.len(), n_operations(document.root()), "{}", path.display());
    let names: BTreeSet<_> =
        loaded.operations.iter().map(|operation| &operation.tool_name).collect();
    assert_eq!(names.len(), loaded.operations.len(), "{}", path.display());
    for (at, operation) in loaded.operations.iter().enumerate() {
        let arguments: BTreeSet<_> = operation.inputs.iter().map(|input| &input.argument).collect();
        assert_eq!(arguments.len(), operation.inputs.len(), "{}", operation.label());
        // Large descriptions repeat themselves; building every schema of all of them takes minutes.
        if at >= BUILT && at % EACH != 0 {
            continue;
        }
        assert!(!operation.declaration().unwrap().description.is_empty());
        for schema in schemas(operation) {
            assert!(
                jsonschema::draft202012::meta::is_valid(&schema.to_serde_json()),
                "{}",
                operation.label()
            );
        }
    }
}

#[expect(clippy::print_stdout, reason = "the counts are read by people")]
#[test]
fn every_description_of_the_corpus_loads() {
    let Some(folder) = corpus("specs") else { return };
    let options = LoadOptions {
        server: Some("https://api.example.com".to_owned()),
        ..LoadOptions::default()
    };
    for path in descriptions(&folder) {
        let bytes = fs::read(&path).unwrap();
        let Ok(read) = Document::read(&bytes, &Limits::default()) else { continue };
        let loaded = load(&read.value, &options);
        check(&path, &loaded, &read.value);
        let count = |status| loaded.report.count(status);
        println!(
            "{} {} {} {} {}; {} steps",
            path.strip_prefix(&folder).unwrap().display(),
            read.value.version(),
            count(OperationStatus::Exposed),
            count(OperationStatus::Degraded),
            count(OperationStatus::Refused),
            loaded.report.steps,
        );
        for diagnostic in &loaded.report.diagnostics {
            if std::env::args().any(|argument| argument == "--nocapture")
                && diagnostic.severity > Severity::Note
            {
                println!("  {diagnostic} {} {:?}", diagnostic.pointer, diagnostic.operation);
            }
        }
    }
}
