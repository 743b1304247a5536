//! The example configurations: each one loads, and `config/full.yaml` shows every key there is.

use crate::prelude::*;

use crate::root;

fn examples() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("config")).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    // Beside them lies what they name.
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    files
}

#[test]
fn every_example_configuration_loads() {
    assert!(examples().len() >= 2);
    let environment = Environment::new().without_audit().without_source_requests();
    for file in examples() {
        let kinds = kinds().with_text_models(callgate_agent::text_model);
        let config = loader().with_kinds(kinds).file(&file).unwrap();
        let built = build_in(&config, &environment).unwrap();
        for toolset in &built.toolsets {
            assert!(toolset.report.count(OperationStatus::Exposed) > 0, "{toolset:?}");
        }
        assert!(built.warnings.iter().all(|finding| finding.severity == Severity::Warning));
    }
}

#[test]
fn the_full_example_shows_every_key() {
    let mut shown = Vec::new();
    // The others show what cannot stand beside what the first shows.
    for file in FULL.split_whitespace() {
        let text = fs::read(root().join(file)).unwrap();
        keys(&callgate_tree::read(&text, &Limits::default()).unwrap().value, &mut shown);
    }
    for table in tables(&kinds()) {
        for key in table.keys() {
            assert!(
                shown.iter().any(|known| known == key.name),
                "config/full.yaml lacks `{}` of {}",
                key.name,
                table.name
            );
        }
    }
}

#[test]
fn a_literal_secret_is_warned_about_and_never_shown() {
    let text = fs::read_to_string(root().join("config/demo.yaml")).unwrap();
    let text = text.replace("file:demo.key", "literal:demo-key");
    let built = build(&Config::from_text(&text, root().join("config")).unwrap()).unwrap();
    assert!(built.warnings.iter().any(|finding| finding.code == "literal-secret"), "{built:?}");
    assert!(!format!("{built:?}").contains("demo-key"));
}

fn keys(node: &Node, shown: &mut Vec<String>) {
    if let Some(object) = node.as_object() {
        for (key, below) in object.iter() {
            shown.push(key.to_string());
            keys(below, shown);
        }
    }
    node.as_array().into_iter().flatten().for_each(|item| keys(item, shown));
}
