//! `config/schema.json`: printed from the tables of keys, true of every configuration of the repository, and of one mind
//! with the reader about the types of values.

use crate::prelude::*;

use callgate_tree::read;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::root;

fn printed() -> Value {
    serde_json::from_str(&callgate_config::schema(&kinds()).to_string()).unwrap()
}

fn tree(text: &[u8]) -> Value {
    let node: Node = read(text, &Limits::default()).unwrap().value;
    serde_json::from_str(&node.to_value().to_string()).unwrap()
}

/// The configurations of the examples and of the tests' copies.
fn configurations() -> Vec<PathBuf> {
    let folders = ["config", "tests/integration/compatibility"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|end| end == "yaml")).collect()
}

fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    validator
        .iter_errors(value)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect()
}

#[test]
fn the_schema_is_the_one_that_is_printed() {
    let kept = fs::read_to_string(root().join("config/schema.json")).unwrap();
    let printed = format!("{:#}\n", callgate_config::schema(&kinds()));
    assert!(kept == printed, "write it: `cargo run -- schema > config/schema.json`");
    assert!(jsonschema::draft202012::meta::is_valid(&self::printed()));
}

#[test]
fn every_configuration_of_the_repository_is_valid() {
    let validator = jsonschema::validator_for(&printed()).unwrap();
    let files = configurations();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(faults(&validator, &tree(text.as_bytes())), [""; 0], "{}", file.display());
        let is_example = file.starts_with(root().join("config"));
        let header = "# yaml-language-server: $schema=schema.json\n";
        assert!(!is_example || text.starts_with(header), "{} names its schema", file.display());
    }
}

#[test]
fn every_toolset_of_a_fixture_is_valid() {
    let validator = jsonschema::validator_for(&printed()).unwrap();
    let mut checked = 0;
    for folder in ["answers", "files", "ledger", "pets", "styles"] {
        let toolset =
            tree(&fs::read(root().join("fixtures").join(folder).join("toolset.yaml")).unwrap());
        let value = json!({"toolsets": {"fixture": toolset}});
        assert_eq!(faults(&validator, &value), [""; 0], "{folder}");
        checked += 1;
    }
    assert_eq!(checked, 5);
}

/// For each key of the full example: whatever value the schema refuses, the reader refuses, and says so at its place. No key
/// takes a list of truth values, so that each is refused one at least.
#[test]
fn the_reader_refuses_every_configuration_that_the_schema_refuses() {
    let validator = jsonschema::validator_for(&printed()).unwrap();
    let probes =
        json!([[true], true, -1, 0, 1.5, 1e9, "two words", "", [], [1], {}, {"x": 1}, [{}]]);
    let mut refused = 0;
    let mut taken = Vec::new();
    for file in FULL.split_whitespace() {
        let whole = tree(&fs::read(root().join(file)).unwrap());
        let mut pointers = Vec::new();
        places(&whole, "", &mut pointers);
        for (pointer, probe) in pointers.iter().flat_map(|pointer| {
            probes.as_array().unwrap().iter().map(move |probe| (pointer, probe))
        }) {
            let mut broken = whole.clone();
            *broken.pointer_mut(pointer).unwrap() = probe.clone();
            let is_any = ANY_VALUE.iter().any(|key| pointer.contains(key));
            if validator.is_valid(&broken) {
                assert!(is_any || *probe != json!([true]), "the schema takes {probe} at {pointer}");
            } else if is_refused_at(pointer, &broken) {
                refused += 1;
            } else {
                taken.push(format!("{pointer}: {probe}"));
            }
        }
    }
    assert!(taken.is_empty(), "the reader takes what the schema refuses: {taken:#?}");
    assert!(refused > 800, "{refused}");
}

/// The examples that show every key together.
pub(crate) const FULL: &str =
    "config/full.yaml config/full-approle.yaml config/full-cluster.yaml config/full-code.yaml
    config/full-connection.yaml config/full-database.yaml config/full-documents.yaml
    config/full-vertex.yaml";

/// The keys whose values are those of arguments, which a description decides about.
const ANY_VALUE: [&str; 4] = [
    "/edit/listPets/defaults/",
    "/edit/listPets/examples/",
    "/edit/listPets/fix/",
    "/top_customers/inputs/since/",
];

fn is_refused_at(pointer: &str, configuration: &Value) -> bool {
    let read = loader().text(configuration.to_string(), root().join("config"));
    let Err(error) = read else { return false };
    let mut places = error.findings().iter().map(|found| found.pointer.as_str());
    places.any(|found| found.starts_with(pointer) || pointer.starts_with(found))
}

/// The pointers of all members of mappings.
pub(crate) fn places(value: &Value, pointer: &str, found: &mut Vec<String>) {
    for (name, below) in value.as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        places(below, &pointer, found);
        found.push(pointer);
    }
}

#[test]
fn every_key_of_the_schema_has_a_description() {
    for table in tables(&kinds()) {
        for key in table.keys() {
            let is_sentence =
                key.about.starts_with(|first: char| first.is_uppercase() || first == '`');
            assert!(is_sentence && !key.about.ends_with('.'), "`{}` of {}", key.name, table.name);
        }
        let sorted = table.keys().windows(2).all(|pair| pair[0].name < pair[1].name);
        assert!(sorted, "no key of {} is declared twice", table.name);
    }
    let kinds = kinds();
    let tables = tables(&kinds);
    let counts = tables.iter().flat_map(callgate_config::Table::keys);
    assert!(counts.filter(|key| matches!(key.kind, Kind::Count(120))).count() == 1);
}
