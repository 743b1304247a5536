//! `callgate audit verify`: what it says of a file, and how it ends.

use crate::prelude::*;

use callgate::{
    Arguments, Executor, Secret, Session, ToolCall,
    policy::{Audit, AuditArguments, AuditConfig, AuditMode},
};

const KEY: &str = "0123456789abcdef";

/// A file of two calls.
fn written(folder: &TempDir) -> String {
    let file = folder.path().join("audit.jsonl");
    let (mode, arguments) = (AuditMode::Required, AuditArguments::Digest);
    let config = AuditConfig { file: file.clone(), mode, arguments };
    let key = Secret::new(KEY.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let audit = Audit::open(&config, &key, Duration::from_secs(1)).unwrap();
        let builder = Executor::builder().middleware(audit);
        let builder =
            builder.function("", "get", json!({"type": "object"}), |_| async { Value::Null });
        let executor = builder.build().unwrap();
        for _ in 0..2 {
            let asked = ToolCall::new("1", "get", Arguments::new());
            executor.call(&asked, &Session::default()).await;
        }
    });
    file.display().to_string()
}

fn verify(arguments: &[&str]) -> Ended {
    let mut command = command_in(&root(), &["audit", "verify", "--key", "env:AUDIT_KEY"]);
    Ended::of(command.args(arguments).env("AUDIT_KEY", KEY))
}

#[test]
fn audit_verify_accepts_an_unchanged_file_and_reports_the_first_changed_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&folder);
    let fine = verify(&[&file]).exits(0).prints("5 lines are as they were written\nhead ");
    let head = fine.out.trim().rsplit(' ').next().unwrap().to_owned();
    verify(&[&file, "--head", &head]).exits(0);
    assert_eq!(verify(&[&file, "--json"]).exits(0).json()["head"].as_str(), Some(&*head));

    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = text.lines().collect();
    for (text, line, what, head) in [
        (text.replacen("begun", "ended", 1), 2, "altered", None),
        ([&lines[..2], &lines[3..]].concat().join("\n") + "\n", 3, "missing", None),
        (text.get(..text.len() - 20).unwrap().to_owned(), 5, "torn", None),
        (lines[..3].join("\n") + "\n", 4, "cut", Some(&head)),
    ] {
        fs::write(&file, text).unwrap();
        let head: Vec<_> = head.iter().flat_map(|head| ["--head", head.as_str()]).collect();
        verify(&[&[&*file], &*head].concat()).exits(1).prints(&format!("line {line} "));
        let told = verify(&[&[&*file, "--json"], &*head].concat()).exits(1).json();
        assert_eq!(told["flaw"]["kind"].as_str(), Some(what));
        assert_eq!(told["flaw"]["line"].to_string(), line.to_string());
    }
}

#[test]
fn audit_verify_without_a_file_or_key_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere").display().to_string();
    verify(&[&nowhere]).exits(2).says("cannot open the audit file");
    let line = ["audit", "verify", &nowhere, "--key", "env:AUDIT_KEY"];
    Ended::of(command_in(&root(), &line).env_remove("AUDIT_KEY")).exits(2).says("no key");
}
