//! Toolsets with documents: their keys with every refusal at its place, and builds over a folder.
#![cfg(test)]
#![cfg(feature = "documents")]

#[path = "support/keys.rs"]
mod keys;

use std::fs;

use callgate::config::loader;
use callgate_config::{Built, Environment, Error, IndexCounts};
use callgate_tool::{FaultCode, Object, Outcome, Session, Value, json};
use tempfile::TempDir;

use crate::keys::{call, check, names};

/// A folder `handbook` with a document for everybody and one for the staff.
fn handbook() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("handbook")).unwrap();
    write(&folder, "open.md", "---\naudience: all\n---\n# Hours\n\nThe shop opens at nine.\n");
    write(&folder, "pay.md", "---\naudience: staff\n---\n# Salaries\n\nThe shop pays monthly.\n");
    folder
}

fn write(folder: &TempDir, name: &str, text: &str) {
    fs::write(folder.path().join("handbook").join(name), text).unwrap();
}

fn counts(built: &Built) -> IndexCounts {
    built.sources[0].followed.as_ref().unwrap().index_counts()
}

const FOLDER: &str = "documents: {folder: handbook}";

#[test]
fn wrong_keys_are_refused_at_their_places_with_help() {
    check(
        "handbook",
        "documents: {foldr: a} => /documents/foldr => did you mean `folder`?
        documents: {} => /documents => add `folder: …`
        documents: {folder: a, where: {audience: {ayn: a}}} => /documents/where/audience/ayn => did you mean `any`?
        documents: {folder: a, where: {audience: {any: $sesion.params.a}}} => /documents/where/audience/any => did you mean `$session.params.a`?
        documents: {folder: handbook}, limits: {snipets: 3} => /limits/snipets => did you mean `snippets`?
        documents: {folder: a, where: {audience: {any: []}}} => /documents/where/audience/any => for example `[staff, all]`, or `$session.params.audience`
        documents: {folder: a, where: {audience: {any: [1]}}} => /documents/where/audience/any/0 => quote it
        documents: {folder: a, where: {audience: {eq: ''}}} => /documents/where/audience/eq => for example `$session.params.user_id`
        documents: {folder: a, where: {audience: [a]}} => /documents/where/audience => its keys are `any`, `contains`, `eq`, `gt`, `gte`, `lt`, `lte`, `neq`, `starts_with`
        documents: {folder: handbook}, server: 'https://a' => /server => remove it
        documents: {folder: handbook}, openapi: a.yaml => /openapi => put it into a toolset of its own
        documents: {folder: handbook}, limits: {timeout: 1s} => /limits/timeout => remove it; with `documents`, `limits` takes `breaker`, `concurrency`, `file_bytes`, `files`, `folder_bytes`, `folder_depth`, `rate`, `result_bytes`, `snippets`
        documents: {folder: handbook}, tools: {tags: [a]} => /tools/tags => remove it; with `documents`, `tools` takes `edit`, `exclude`, `include`, `read_only`
        openapi: a.yaml, limits: {snippets: 5} => /limits/snippets => write `documents: {folder: FOLDER}` into the toolset, or remove the key",
    );
}

fn built(folder: &TempDir, keys: &str) -> Result<Built, Error> {
    again(folder, keys, None)
}

fn again(folder: &TempDir, keys: &str, previous: Option<&Built>) -> Result<Built, Error> {
    let text = format!("toolsets: {{handbook: {{{keys}}}}}");
    loader().text(&text, folder.path())?.build_blocking(&Environment::new(), previous)
}

/// The documents that a search for the shop finds.
fn found(built: &Built, tool: &str, session: &Session) -> Vec<String> {
    let outcome = call(built, tool, json!({"query": "shop"}), session);
    let result = Value::parse(outcome.text().unwrap()).unwrap();
    let snippets = result.get("snippets").and_then(Value::as_array).unwrap().iter();
    let names = snippets.map(|one| one.get("document").and_then(Value::as_str).unwrap().to_owned());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}

#[test]
fn a_folder_is_searched_and_read_by_its_tools() {
    let folder = handbook();
    let built = built(&folder, FOLDER).unwrap();
    assert_eq!(names(&built), ["handbook-search", "handbook-read"]);
    assert_eq!(found(&built, "handbook-search", &Session::default()), ["open.md", "pay.md"]);
    let outcome = call(&built, "handbook-read", json!({"document": "pay.md"}), &Session::default());
    assert!(outcome.text().unwrap().contains("monthly"), "{outcome:?}");
    let counts = counts(&built);
    assert_eq!((&*built.sources[0].name, counts.files, counts.pieces), ("handbook", 2, 2));
}

#[test]
fn conditions_select_documents_by_the_session_and_by_fixed_values() {
    let folder = handbook();
    let by_session =
        "documents: {folder: handbook, where: {audience: {any: $session.params.audience}}}";
    let built = built(&folder, by_session).unwrap();
    let session =
        |audience: Value| Session::new("s").with_parameters(Object::from([("audience", audience)]));
    assert_eq!(found(&built, "handbook-search", &session("all".into())), ["open.md"]);
    let outcome = call(&built, "handbook-search", json!({"query": "shop"}), &Session::default());
    let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
    assert_eq!(fault.code, FaultCode::MissingSessionValue);
    let declared = built.executor.find("handbook-search").unwrap().declaration().unwrap();
    assert!(!declared.input_schema.to_value().to_string().contains("audience"));
    let fixed = "documents: {folder: handbook, where: {audience: {any: [all, world], neq: staff}}}";
    let built = self::built(&folder, fixed).unwrap();
    assert_eq!(found(&built, "handbook-search", &Session::default()), ["open.md"]);
}

#[test]
fn the_selection_and_the_edits_apply_to_tools_of_documents() {
    let folder = handbook();
    let keys = format!(
        "{FOLDER}, tools: {{exclude: [read], edit: {{search: {{name: find, hide: [also]}}}}}}"
    );
    let built = built(&folder, &keys).unwrap();
    assert_eq!(names(&built), ["handbook-find"]);
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    assert_eq!(found(&built, "handbook-find", &Session::default()).len(), 2);
}

#[test]
fn a_file_that_cannot_be_read_is_a_warning_at_the_key() {
    let folder = handbook();
    fs::write(folder.path().join("handbook/bad.md"), b"\xff").unwrap();
    let built = built(&folder, FOLDER).unwrap();
    let [finding] = built.warnings.as_slice() else { panic!("{:?}", built.warnings) };
    assert_eq!(finding.code, "documents-unreadable");
    assert_eq!(finding.pointer.as_str(), "/toolsets/handbook/documents/folder");
    assert!(finding.position.is_some() && finding.message.starts_with("`bad.md:1`: "), "{finding}");
    assert_eq!(built.sources[0].findings().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_used_is_refused_and_an_empty_one_reported() {
    let folder = handbook();
    let refused = |keys: &str| {
        let error = built(&folder, keys).unwrap_err();
        let [finding] = error.findings() else { panic!("{error}") };
        (finding.code, finding.pointer.clone())
    };
    let pointer = |key: &str| format!("/toolsets/handbook/documents/{key}");
    assert_eq!(refused("documents: {folder: gone}"), ("documents-folder", pointer("folder")));
    let include = refused("documents: {folder: handbook, include: ['a[']}");
    assert_eq!(include, ("documents-setting", pointer("include")));
    let uri = refused("documents: {folder: handbook, uri: 'https://a.example/'}");
    assert_eq!(uri, ("documents-setting", pointer("uri")));
    let empty = built(&folder, "documents: {folder: handbook, include: ['*.html']}").unwrap();
    assert_eq!(empty.warnings[0].code, "documents-folder");
}

#[test]
fn files_beyond_the_bytes_or_the_depth_of_a_folder_are_left_out_and_reported() {
    let folder = handbook();
    fs::create_dir_all(folder.path().join("handbook/a/b")).unwrap();
    write(&folder, "a/b/deep.md", "# Deep\n\nThe shop below.\n");
    for (limits, documents, left) in [
        ("folder_depth: 2, folder_bytes: 1KiB", &["a/b/deep.md", "open.md", "pay.md"][..], None),
        ("folder_depth: 1", &["open.md", "pay.md"], Some("`a/b`")),
        ("folder_bytes: 100", &["a/b/deep.md", "open.md"], Some("`pay.md`")),
    ] {
        let built = built(&folder, &format!("{FOLDER}, limits: {{{limits}}}")).unwrap();
        assert_eq!(found(&built, "handbook-search", &Session::default()), documents, "{limits}");
        let codes: Vec<_> = built.warnings.iter().map(|finding| finding.code).collect();
        let expected: Vec<_> = left.iter().map(|_| "documents-left-out").collect();
        assert_eq!(codes, expected, "{limits}");
        let says = |path| built.warnings.iter().all(|finding| finding.message.contains(path));
        assert!(left.is_none_or(says), "{limits}: {:?}", built.warnings);
    }
}

#[test]
fn a_later_build_uses_the_index_again_and_finds_what_has_changed() {
    let folder = handbook();
    let first = built(&folder, FOLDER).unwrap();
    write(&folder, "new.md", "---\ncolour: red\n---\n# New\n\nA second shop.\n");
    let second = again(&folder, FOLDER, Some(&first)).unwrap();
    // One index behind both: the earlier build knows the file too.
    assert_eq!(counts(&first), counts(&second));
    let schema = |built: &Built| {
        let search = built.executor.find("handbook-search").unwrap();
        search.declaration().unwrap().input_schema.to_value().to_string()
    };
    assert!(!schema(&first).contains("colour") && schema(&second).contains("colour"));
    let third = again(&folder, "documents: {folder: handbook, exclude: [new.md]}", Some(&second));
    assert_eq!(counts(&third.unwrap()).files, 2);
    assert_eq!(counts(&second).files, 3);
}

#[test]
fn a_completion_asks_for_names_alone() {
    let folder = handbook();
    let text = format!("toolsets: {{handbook: {{{FOLDER}}}}}");
    let config = loader().text(&text, folder.path()).unwrap();
    let built = config.build_blocking(&Environment::new().without_source_requests(), None).unwrap();
    assert_eq!(names(&built), ["handbook-search", "handbook-read"]);
    assert!(built.sources.is_empty());
}

#[test]
fn a_condition_on_a_value_that_any_principal_may_set_is_reported() {
    let folder = handbook();
    let text = "access: {principals: {a: {bearer: env:A}}}\ntoolsets: {handbook: {documents: {folder: handbook, where: {audience: {any: $session.params.audience}}}}}";
    let environment = Environment::new().with_sidecar_examination();
    let built = loader().text(text, folder.path()).unwrap();
    let built = built.build_blocking(&environment, None).unwrap();
    let open = built.warnings.iter().find(|finding| finding.code == "open-session-value").unwrap();
    assert_eq!(open.pointer, "/toolsets/handbook/documents/where/audience/any");
}

const STORE: &str = "projects/p/locations/l/collections/c/dataStores/manuals";

/// A build with a tool over a data store, and these further members of the configuration.
fn with_store(folder: &TempDir, vertex: &str, stores: &str) -> Result<Built, Error> {
    let text = format!(
        "{stores}\ntoolsets:\n  handbook: {{{FOLDER}}}\n  manuals:\n    prefix: ''\n    vertex: {{data_stores: [{STORE}], name: find, {vertex}}}\n"
    );
    loader().text(&text, folder.path())?.build_blocking(&Environment::new(), None)
}

#[test]
fn a_data_store_is_searched_in_the_folder_that_it_is_pointed_at() {
    let folder = handbook();
    let stores = format!("data_stores: {{{STORE}: {{toolset: handbook}}}}");
    let built = with_store(&folder, "description: Our manuals", &stores).unwrap();
    assert_eq!(names(&built), ["handbook-search", "handbook-read", "find"]);
    let tool = built.executor.find("find").unwrap();
    assert_eq!(tool.toolset(), "manuals");
    assert!(tool.declaration().unwrap().description.starts_with("Our manuals. Passages"));
    assert_eq!(found(&built, "find", &Session::default()), ["open.md", "pay.md"]);
    let unused = |vertex: &str| {
        let built = with_store(&folder, vertex, &stores).unwrap();
        let mut warnings = built.warnings.iter();
        warnings.find(|finding| finding.code == "unused-key").map(|found| found.message.clone())
    };
    assert_eq!(unused("arguments: google"), None);
    for (keys, expected) in [
        ("answer: true, arguments: google", "`answer`"),
        (
            "extractive_answers: 1, extractive_segments: 2, grounding: 0.5, mode: chunks, snippets: false",
            "`extractive_answers`, `extractive_segments`, `grounding`, `mode`, `snippets`",
        ),
    ] {
        let message = unused(keys).unwrap();
        assert!(message.ends_with(&format!("which have no effect there: {expected}")), "{message}");
    }
    let limited = unused("}\n    limits: {snippets: 1").unwrap();
    assert!(limited.starts_with("expected no `snippets`"), "{limited}");
}

#[test]
fn a_data_store_beside_those_of_a_folder_and_a_filter_that_no_folder_reads_are_refused() {
    let folder = handbook();
    let refused = |vertex: &str, stores: &str| {
        let error = with_store(&folder, vertex, stores).unwrap_err();
        let [finding] = error.findings() else { panic!("{error}") };
        (finding.code, finding.pointer.clone())
    };
    let code = "vertex-unavailable";
    let local = |keys: &str| format!("data_stores: {{{STORE}: {{{keys}}}}}");
    let at = format!("/data_stores/{}", STORE.replace('/', "~1"));
    let filter = "filter: 'lang: ANY(\"en\")'";
    assert_eq!(refused(filter, &local("toolset: handbook")), (code, at.clone()));
    assert!(with_store(&folder, filter, &local("toolset: handbook, filter: where")).is_ok());
    let unknown = ("unknown-toolset", format!("{at}/toolset"));
    assert_eq!(refused("", &local("toolset: manuals")), unknown);
    check(
        "handbook",
        "vertex: {filter: a} => /vertex => for example `{data_stores: [projects/p/locations/global/collections/default_collection/dataStores/manuals]}`
        vertex: {engine: a}, output: {fields: [a]} => /output => remove it",
    );
    let file = folder.path().join("callgate.yaml");
    let text =
        format!("data_stores: {{{STORE}: {{}}}}\ntoolsets: {{manuals: {{vertex: {STORE}}}}}");
    fs::write(&file, text).unwrap();
    let config = loader().file(&file).unwrap();
    let error = config.build_blocking(&Environment::new(), None).unwrap_err();
    assert_eq!(error.findings().len(), 1, "the missing key is reported once: {error}");
    let other = format!("{STORE}2");
    let text = format!(
        "data_stores: {{{STORE}: {{toolset: handbook}}}}\ntoolsets:\n  handbook: {{{FOLDER}}}\n  manuals:\n    vertex: {{data_stores: [{STORE}, {other}]}}\n"
    );
    let built = loader().text(&text, folder.path()).unwrap();
    let error = built.build_blocking(&Environment::new(), None).unwrap_err();
    assert_eq!(error.findings()[0].code, code);
}
