//! Keys of kinds of toolsets that this build lacks: the finding names the features of which one brings the kind.
#![cfg(test)]

use callgate::config::loader;

/// The key is refused, by the names of its features, in builds without them and in no other.
#[track_caller]
fn check(toolset: &str, features: &str, is_built_in: bool) {
    let expected = format!("needs a build of callgate with the feature `{features}`");
    let is_refused = match loader().text(format!("toolsets: {{a: {{{toolset}}}}}"), "") {
        Ok(_) => false,
        Err(error) => {
            let findings = error.findings().iter();
            let mut missing = findings.filter(|finding| finding.code == "missing-feature");
            missing.any(|finding| finding.message.contains(&expected))
        }
    };
    assert_eq!(is_refused, !is_built_in, "{toolset}");
}

#[test]
fn a_kind_whose_feature_is_off_is_an_error_that_names_it() {
    let has_engine = cfg!(feature = "_database");
    check("database: {url: env:A}", "mysql`, `postgres` or `sqlite", has_engine);
    check("code_interpreter: {}", "code", cfg!(feature = "code"));
    let connection = "connection: {name: projects/p/locations/l/connections/c}";
    check(connection, "connector", cfg!(feature = "connector"));
    check("documents: {folder: a}", "documents", cfg!(feature = "documents"));
    let is_searched = cfg!(any(feature = "documents", feature = "vertex"));
    // The command brings what reads these.
    check("ces_toolset: a", "ces", false);
    check("dialogflow_tool: a", "ces", false);
    check("vertex: projects/p/locations/l/dataStores/d", "documents` or `vertex", is_searched);
}
