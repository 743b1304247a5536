//! Misspelt keys at the top of a configuration: each key of the example with every key, with one edit, alone in its file. The
//! finding names the key that is meant, whatever else the file could be taken for.
#![cfg(test)]

use std::{collections::BTreeMap, fs, path::Path};

use callgate_config::{DescriptionOptions, Environment, Loader, Location};

/// The keys of the example, each with its text.
fn blocks() -> BTreeMap<String, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/full.yaml");
    let text = fs::read_to_string(file).unwrap();
    let mut blocks: BTreeMap<String, String> = BTreeMap::new();
    let mut current = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        if line.starts_with(|c: char| c.is_ascii_lowercase()) {
            current = line.split_once(':').map(|(key, _)| key.to_owned());
        }
        if let Some(key) = &current {
            let block = blocks.entry(key.clone()).or_default();
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

/// The texts at one edit from a key: a letter less, another, one more, two exchanged.
fn edits(key: &str) -> Vec<String> {
    let letters: Vec<char> = key.chars().collect();
    let mut edits = Vec::new();
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        let text = |parts: [&[char]; 3]| parts.concat().iter().collect::<String>();
        for letter in ['a', 'e', 's', 'x', '_'] {
            edits.push(text([before, &[letter], after]));
            if let [_, rest @ ..] = after {
                edits.push(text([before, &[letter], rest]));
            }
        }
        if let [first, rest @ ..] = after {
            edits.push(text([before, &[], rest]));
            if let [second, rest @ ..] = rest {
                edits.push(text([before, &[*second, *first], rest]));
            }
        }
    }
    edits
}

/// The findings about a configuration with this text, as lines.
fn said(text: &str) -> Vec<String> {
    let location = Location::Text("callgate.yaml".into(), text.as_bytes().into());
    let environment = Environment::new().without_audit().listing_missing();
    let config = Loader::new().open(location, &DescriptionOptions::default());
    let built = config.and_then(|config| config.build_blocking(&environment, None));
    match built {
        Ok(built) => built.findings().iter().map(ToString::to_string).collect(),
        Err(error) => error.findings().iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_file_with_only_a_misspelt_key_suggests_the_correct_key() {
    let blocks = blocks();
    assert!(blocks.len() >= 15, "{:?}", blocks.keys());
    let mut wrong = Vec::new();
    let mut n = 0;
    for (key, block) in &blocks {
        for edit in edits(key).into_iter().filter(|edit| !blocks.contains_key(edit)) {
            // An empty key, or one that YAML reads as something else, is no misspelling.
            if edit.is_empty() || edit == *key {
                continue;
            }
            n += 1;
            let text = block.replacen(key.as_str(), &edit, 1);
            let said = said(&text);
            let meant = format!("did you mean `{key}`?");
            if !said.iter().any(|one| one.contains(&meant)) {
                wrong.push(format!("{edit} for {key}: {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n > 1000, "{n}");
}

#[test]
fn a_configuration_with_a_log_is_no_recording_of_a_browser() {
    let text = "log: {format: json}\ntoolsetz: {t: {openapi: spec.yaml}}\n";
    let said = said(text).join("\n");
    assert!(said.contains("did you mean `toolsets`?") && !said.contains("HAR"), "{said}");
}
