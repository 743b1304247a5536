//! Folders of documents as tools of the command: what is found, what is shown, and what is said about files.

use crate::{prelude::*, run_at_home as run};

const HANDBOOK: &str = "toolsets:\n  handbook:\n    documents: { folder: handbook, uri: 'https://a.example/{stem}' }\n";

/// A folder with a handbook of two files, and this configuration.
fn handbook(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let backups = "# Backups\n\n## Restore\n\nCopy the file back, then start the shop.\n";
    write(&folder, "handbook/backups.md", backups);
    let faq = "question,answer\nWhen does it open?,At nine.\n";
    write(&folder, "handbook/faq.csv", faq);
    write(&folder, "callgate.yaml", text);
    folder
}

#[test]
fn a_folder_is_checked_listed_and_searched() {
    let folder = handbook(HANDBOOK);
    let checked = run(&folder, &["check", "callgate.yaml"]).exits(0);
    checked.prints("the documents of `handbook`: files: 2, documents: 2, passages: 2");
    run(&folder, &["doctor"]).exits(0).prints("ok     documents ");
    run(&folder, &["tools", "callgate.yaml"]).exits(0).prints("handbook-search");
    let search = ["call", "callgate.yaml", "handbook-search", "query=restore a backup"];
    let page = run(&folder, &search).exits(0);
    let expected = "1. Backups > Restore\n   backups.md:1-5  https://a.example/backups\n\n   # Backups\n\n   ## Restore\n\n   Copy the file back, then start the shop.\n\n";
    assert_eq!(page.out, expected);
    let json = run(&folder, &[&search[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(json["snippets"][0]["document"], json!("backups.md"));
    let faq = ["call", "callgate.yaml", "handbook-search", "query=when open"];
    run(&folder, &faq).exits(0).prints("   At nine.\n");
    let nothing = ["call", "callgate.yaml", "handbook-search", "query=zyzzyva"];
    run(&folder, &nothing).exits(0).prints("nothing was found");
}

#[test]
fn a_file_that_cannot_be_read_is_a_warning_of_the_check() {
    let folder = handbook(HANDBOOK);
    write(&folder, "handbook/bad.md", b"\xff");
    let checked = run(&folder, &["check", "callgate.yaml"]).exits(0);
    checked.says("documents-unreadable").says("bad.md:1").says("callgate.yaml:3");
    run(&folder, &["explain", "documents-unreadable"]).exits(0).prints("UTF-8");
}

#[test]
fn a_folder_that_is_not_there_is_a_fault_at_its_line() {
    let folder = handbook(&HANDBOOK.replace("folder: handbook", "folder: gone"));
    let refused = run(&folder, &["check", "callgate.yaml"]).exits(2);
    refused.says("documents-folder").says("callgate.yaml:3");
}

#[test]
fn a_sidecar_follows_its_folder_and_reports_files_that_become_unreadable() {
    let folder = handbook(HANDBOOK);
    let mut sidecar = Sidecar::start(folder.path(), &["callgate.yaml"]);
    let search = |words: &str| {
        let args = json!({"query": words});
        let call = json!({"id": "1", "tool": "handbook-search", "args": args});
        json!({"calls": [call]}).to_string()
    };
    let found = sidecar.answer("POST /v1/calls", "", &search("restore"));
    assert!(found.contains("Copy the file back"), "{found}");
    write(&folder, "handbook/faq.csv", b"question,answer\n\xff,\n");
    let told = sidecar.until("documents-unreadable");
    assert!(told.contains("faq.csv:2"), "{told}");
    let ready = sidecar.answer("GET /readyz", "", "");
    assert!(ready.contains("documents-unreadable") && ready.contains("200 OK"), "{ready}");
    let metrics = sidecar.answer("GET /metrics", "", "");
    assert!(metrics.contains("callgate_documents_findings{toolset=\"handbook\"} 1"), "{metrics}");
    assert!(metrics.contains("callgate_documents{toolset=\"handbook\"} 1"), "{metrics}");
    let found = sidecar.answer("POST /v1/calls", "", &search("nine"));
    assert!(found.contains("\"snippets\":[]"), "{found}");
    fs::remove_dir_all(folder.path().join("handbook")).unwrap();
    sidecar.until("documents-folder");
    let gone = sidecar.answer("POST /v1/calls", "", &search("restore"));
    assert!(gone.contains("\"unreachable\""), "{gone}");
}

#[test]
fn a_data_store_of_an_exported_agent_is_searched_in_a_folder() {
    let store = "projects/p/locations/l/collections/c/dataStores/d";
    let local = format!("data_stores: {{ {store}: {{ toolset: handbook }} }}\n");
    let folder =
        handbook(&format!("{local}{HANDBOOK}  manuals: {{ dialogflow_tool: Manuals.json }}\n"));
    let export = root().join("fixtures/exports/pets_agent/tools/Manuals/Manuals.json");
    fs::copy(export, folder.path().join("Manuals.json")).unwrap();
    let call = ["call", "callgate.yaml", "Manuals", "query=restore a backup"];
    run(&folder, &call).exits(0).prints("1. Backups > Restore");
    let alone =
        fs::read_to_string(folder.path().join("callgate.yaml")).unwrap().replace(&local, "");
    write(&folder, "callgate.yaml", alone);
    // Without it the tool is Google's, and nothing is asked.
    run(&folder, &["check", "callgate.yaml"]).exits(0).says("roles/discoveryengine.viewer");
    run(&folder, &["tools", "callgate.yaml"]).exits(0).prints("Manuals");
}
