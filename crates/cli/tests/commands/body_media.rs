//! `body_media:` of a toolset: which media type a request body has where the description leaves a choice.

use crate::prelude::*;

const API: &str = include_str!("body_media.yaml");

/// A dry run with these preferences and arguments.
fn planned(preferred: &str, arguments: &[&str]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "api.yaml", API);
    let toolset = "toolsets:\n  a:\n    openapi: api.yaml\n    prefix: \"\"\n    auth: none\n";
    let file = write(&folder, "callgate.yaml", format!("{toolset}    {preferred}\n"));
    let words = ["call", file, "addPet", "--dry-run", "--json"];
    callgate(&[words.as_slice(), arguments].concat())
}

#[track_caller]
fn check(preferred: &str, arguments: &[&str], media_type: &str) {
    let plan = planned(preferred, arguments).exits(0).json();
    assert!(plan.to_string().contains(&format!("\"{media_type}\"")), "{preferred}: {plan}");
}

#[test]
fn the_preferred_media_type_is_sent() {
    let name = ["name=Rex"];
    check("", &name, "application/json");
    let form = "application/x-www-form-urlencoded";
    check(&format!("body_media: [{form}]"), &name, form);
    check("body_media: ['application/*']", &name, "application/json");
    // A media type from the model overrides the preferred one.
    let arguments = ["name=Rex", "content_type=application/json"];
    check(&format!("body_media: [{form}]"), &arguments, "application/json");
}

#[test]
fn an_invalid_media_type_is_a_fault_of_the_configuration() {
    for wrong in ["[json]", "['*/*']", "['text/pl*']", "['text/plain; charset=utf-8']", "['']"] {
        let ended = planned(&format!("body_media: {wrong}"), &["name=Rex"]).exits(2);
        ended.says("expected a media type or a range of them").says("callgate.yaml:6:18");
    }
    planned("body_media: text/plain", &["name=Rex"]).exits(2).says("a list of texts");
}
