//! `callgate explain`: every code; those of descriptions with a text in which `callgate check` finds it, and its mended form, in which it does not.

use crate::prelude::*;

/// The description that overlays of examples change.
const PETS: &str = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\nservers: [{url: https://api.example.com}]\n\
                    paths: {/pets: {get: {operationId: listPets, description: Lists pets., responses: {'200': {description: ok}}}}}\n";

/// The examples of all codes: the folders of the tables.
fn examples() -> BTreeMap<String, [String; 2]> {
    let mut examples = BTreeMap::new();
    for folder in ["crates/openapi/src/code", "crates/cli/src/codes"] {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        for folder in entries.filter(|path| path.is_dir()) {
            let read = |name| fs::read_to_string(folder.join(name)).unwrap();
            let code = folder.file_name().unwrap().to_str().unwrap().to_owned();
            examples.insert(code, [read("wrong.yaml"), read("mended.yaml")]);
        }
    }
    examples
}

/// What is found in a text, as codes and as it is told.
fn found(folder: &Path, code: &str, text: &str) -> (Vec<String>, Ended) {
    let bytes = text.as_bytes().to_vec();
    // The one byte that an example cannot have, which is shown as text.
    let cut = text
        .split_once("<E9>,")
        .map(|(before, after)| [before.as_bytes(), b"\xe9,", after.as_bytes()].concat());
    fs::write(folder.join("text.yaml"), cut.unwrap_or(bytes)).unwrap();
    fs::write(folder.join("pets.yaml"), PETS).unwrap();
    let secured = root().join("crates/openapi/src/code/secured.yaml");
    fs::copy(secured, folder.join("secured.yaml")).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (text, lint) = (file("text.yaml"), ["--lint", "--severity", "note"]);
    let ended = if code.starts_with("overlay-") {
        callgate(&[&["check", &file("pets.yaml"), "--overlay", &text][..], &lint].concat())
    } else {
        callgate(&[&["check", &text][..], &lint].concat())
    };
    let all = format!("{}{}", ended.out, ended.err);
    let codes = all.lines().filter_map(|line| line.split_once('[')?.1.split_once("]: "));
    let codes = codes.map(|(code, _)| code.to_owned()).collect();
    (codes, ended)
}

/// Findings that come with the examples of others: one about providers, and one about the machine of the test.
const IN_OTHERS: [&str; 2] = ["missing-secret", "provider-limit"];

#[test]
fn the_finding_of_a_code_is_in_its_wrong_example_and_not_in_the_mended_one() {
    let folder = tempfile::tempdir().unwrap();
    for (code, [wrong, mended]) in examples() {
        let (in_wrong, ended) = found(folder.path(), &code, &wrong);
        assert!(in_wrong.contains(&code), "{code}: {ended:#?}");
        let others =
            in_wrong.iter().filter(|other| !IN_OTHERS.contains(&other.as_str()) && **other != code);
        let others: Vec<_> = others.collect();
        let comes_with_others = matches!(&*code, "provider-limit" | "more-findings");
        assert!(others.is_empty() || comes_with_others, "{code} comes with {others:?}");
        let (in_mended, ended) = found(folder.path(), &code, &mended);
        assert!(!in_mended.contains(&code), "{code}: {ended:#?}");
        assert!(!ended.out.contains("error["), "{code}: {ended:#?}");
        assert!(!ended.out.contains("warning["), "{code}: {ended:#?}");
    }
}

#[test]
fn codes_of_calls_and_configurations_are_explained() {
    for (code, parts) in [
        ("unknown_tool", ["There is no tool of that name. Nothing was sent.", "The model sees"]),
        ("unreachable", ["could not be reached, or the connection broke.", "A person looks"]),
        ("literal-secret", ["A secret is written into the configuration.", "`env:NAME`"]),
        ("import-account", ["The account that requests tokens differs", "Grant the account"]),
    ] {
        let told = callgate(&["explain", code]).exits(0);
        assert!(parts.iter().all(|part| told.out.contains(part)), "{code}: {told:#?}");
    }
    let list = callgate(&["explain"]).exits(0);
    for code in ["no-server", "wrong-value", "import-invalid", "timed_out"] {
        assert!(list.out.lines().any(|line| line == code), "{code}: {list:#?}");
    }
    assert_eq!(list.err.lines().count(), 3, "{list:#?}");
    let _told = list.says("findings about descriptions:").says("failed calls:");
}

#[test]
fn every_code_of_a_description_is_explained_by_an_example() {
    let examples = examples();
    let codes = callgate(&["explain"]).exits(0).out;
    for code in codes.lines() {
        let ended = callgate(&["explain", code]).exits(0);
        let Some([wrong, mended]) = examples.get(code) else {
            assert!(!ended.out.contains("Found in:"), "{code}: {ended:#?}");
            continue;
        };
        let first = |text: &str| format!("\n    {}\n", text.lines().last().unwrap());
        let ended = ended.prints("Found in:");
        let _shown = ended.prints(&first(wrong)).prints("Mended:").prints(&first(mended));
    }
    for code in examples.keys() {
        assert!(codes.lines().any(|known| known == code), "{code} is no code");
    }
}

/// Keys of descriptions that explanations name, among those of the configuration.
const OF_DESCRIPTIONS: [&str; 10] = [
    "enum",
    "maxLength",
    "minLength",
    "required",
    "style",
    "type",
    "wrapped",
    "xml",
    "additionalProperties",
    "unevaluatedProperties",
];

#[test]
fn a_key_or_a_flag_that_an_explanation_advises_exists() {
    let schema = callgate(&["schema"]).exits(0).out;
    let help = callgate(&["check", "--help"]).exits(0).out;
    let mut n_advised = 0;
    for code in callgate(&["explain"]).exits(0).out.lines() {
        let told = callgate(&["explain", code]).exits(0).out;
        let words = told.split("Found in:").next().unwrap();
        for advised in words.split('`').skip(1).step_by(2) {
            let (key, rest) = advised.split_once([':', ' ']).unwrap_or((advised, ""));
            let is_key = advised.contains(':')
                && (rest.is_empty() || rest.starts_with(' '))
                && !OF_DESCRIPTIONS.contains(&key)
                && key.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
            if advised.starts_with("--") {
                assert!(help.contains(key), "{code}: there is no flag `{advised}`");
            } else if is_key {
                assert!(
                    schema.contains(&format!("\"{key}\"")),
                    "{code}: there is no key `{advised}`"
                );
            } else {
                continue;
            }
            n_advised += 1;
        }
    }
    assert!(n_advised >= 15, "{n_advised} keys and flags");
}
