//! The rules that hold for every kind of toolset, over a sidecar: rights, repeats, dry runs, the side that executes, reloads, and
//! what a failure says of its reach, shares, and the end of a call's time. A kind is a row of `rows`; one without a row fails.

mod flags;
mod keys;
mod members;
mod nested_keys;
mod relay;
mod rows;
mod work;

use crate::prelude::*;

use rows::{Asked, Kind};
use work::Work;

const OWNER: &str = "token-of-the-owner-0123456789";
const GUEST: &str = "token-of-the-guest-0123456789";
/// Of a principal that may do what the owner may.
const MODEST: &str = "token-of-the-modest-0123456789";

/// The sidecar of one kind.
struct Trial {
    kind: Kind,
    sidecar: Sidecar,
    folder: TempDir,
}

impl Trial {
    fn start(kind: Kind) -> Self {
        Self::start_with(kind, "", "")
    }

    /// The sidecar with further members of the toolset, and further sections of the configuration.
    fn start_with(kind: Kind, more: &str, sections: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let principals = format!(
            "owner: {{bearer: 'literal:{OWNER}', admin: true}}, guest: {{bearer: 'literal:{GUEST}', toolsets: [other]}}, modest: {{bearer: 'literal:{MODEST}'}}"
        );
        let members = &kind.members;
        let away = if kind.away.is_empty() {
            String::new()
        } else {
            format!("  away: {{{}}}\n", kind.away)
        };
        let text = format!(
            "access: {{principals: {{{principals}}}}}\nidempotency: {{ttl: 1h}}\n{sections}toolsets:\n  kind: {{{members}{more}}}\n{away}  other: {{functions: [{{name: look}}]}}\n"
        );
        write(&folder, "callgate.yaml", text);
        (kind.write_files)(folder.path());
        if let (Work::Long(write), false) = (&kind.work, sections.is_empty()) {
            write(folder.path());
        }
        let sidecar = Sidecar::start(folder.path(), &[]);
        Self { kind, sidecar, folder }
    }

    /// The result of one call of a principal; `more` are further members of the request.
    fn call(&self, token: &str, asked: &Asked, more: &Value) -> Value {
        let calls = json!([{"id": "1", "tool": asked.tool, "args": asked.arguments.clone()}]);
        let mut body = json!({"calls": calls});
        for (name, value) in more.as_object().unwrap() {
            body[name.as_str()] = value.clone();
        }
        let headers = format!("Authorization: Bearer {token}\r\n");
        self.sidecar.json("POST /v1/calls", &headers, &body.to_string())["results"][0].clone()
    }

    /// A call with a key of its own.
    fn call_with_key(&self, asked: &Asked, key: &str) -> Value {
        let call = json!({"id": "1", "tool": asked.tool, "args": asked.arguments.clone(), "idempotencyKey": key});
        self.call(OWNER, asked, &json!({"calls": [call]}))
    }

    /// The reading call by the command, with further flags.
    fn call_by_command(&self, flags: &[&str]) -> Ended {
        // The command takes no configuration with a service that is away.
        let text = fs::read_to_string(self.folder.path().join("callgate.yaml")).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with("  away:"));
        let text = lines.map(|line| format!("{line}\n")).collect::<String>();
        fs::write(self.folder.path().join("alone.yaml"), text).unwrap();
        let arguments = self.kind.reads.arguments.to_string();
        let line = ["call", "alone.yaml", self.kind.reads.tool, "--args", &arguments];
        Ended::of(&mut command_in(self.folder.path(), &[&line[..], flags].concat()))
    }

    /// The reading call and the writing one.
    fn calls(&self) -> impl Iterator<Item = &Asked> {
        std::iter::once(&self.kind.reads).chain(&self.kind.writes)
    }

    /// Checks that a call leaves no trace at the service, and returns its result.
    #[track_caller]
    fn call_without_trace(&self, token: &str, asked: &Asked, more: &Value) -> Value {
        let before = (self.kind.n_requests)();
        let result = self.call(token, asked, more);
        assert_eq!((self.kind.n_requests)(), before, "{}: {result}", self.kind.name);
        result
    }
}

/// Runs a check for each kind.
fn check(check: impl Fn(&Trial)) {
    rows::kinds().into_iter().map(Trial::start).for_each(|trial| check(&trial));
}

#[test]
fn each_kind_that_runs_tools_has_a_row() {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let folders = crates.map(|entry| entry.unwrap().path().join("src"));
    let kinds = folders.filter(|folder| has_backend(folder));
    // The stand-in for a tool of a kind whose source is away runs nothing.
    let kinds = kinds.map(|folder| crate_name(&folder)).filter(|name| name != "kind");
    // Its row needs the engine that callgate brings.
    let kinds = kinds.filter(|name| cfg!(feature = "monty") || name != "code");
    let kinds: BTreeSet<_> = kinds.collect();
    let rows: BTreeSet<_> = rows::kinds().iter().map(|kind| kind.folder.to_owned()).collect();
    assert_eq!(rows, kinds, "a row of `kinds/rows.rs` for each crate that implements `Backend`");
}

/// Returns true if a source file of the folder implements the trait of kinds of tools.
fn has_backend(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.into_iter().any(|path| {
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
        let is_kind = |text: String| text.contains("\nimpl Backend for ");
        !is_test
            && if path.is_dir() {
                has_backend(&path)
            } else {
                fs::read_to_string(&path).is_ok_and(is_kind)
            }
    })
}

fn crate_name(source: &Path) -> String {
    let name = source.parent().and_then(Path::file_name).unwrap();
    name.to_str().unwrap().to_owned()
}

#[test]
fn a_call_of_a_toolset_that_its_caller_may_not_use_names_an_unknown_tool_and_sends_nothing() {
    check(|trial| {
        for asked in trial.calls() {
            let result = trial.call_without_trace(GUEST, asked, &json!({}));
            assert_eq!(result["error"]["code"], "unknown_tool", "{}: {result}", trial.kind.name);
            assert_eq!(result["error"]["reached"], "no", "{}: {result}", trial.kind.name);
        }
    });
}

#[test]
fn a_repeated_key_returns_the_first_result_and_sends_nothing() {
    check(|trial| {
        for asked in trial.calls() {
            let first = trial.call_with_key(asked, asked.tool);
            assert!(first.get("error").is_none(), "{}: {first}", trial.kind.name);
            let before = (trial.kind.n_requests)();
            let again = trial.call_with_key(asked, asked.tool);
            assert_eq!((trial.kind.n_requests)(), before, "{}: {again}", trial.kind.name);
            assert_eq!(again.get("response"), first.get("response"), "{}", trial.kind.name);
        }
    });
}

#[test]
fn a_dry_run_sends_nothing() {
    check(|trial| {
        for asked in trial.calls() {
            let result = trial.call_without_trace(OWNER, asked, &json!({"dryRun": true}));
            let is_planned = ["request", "pending"].iter().any(|name| result.get(name).is_some());
            assert!(is_planned, "{}: {result}", trial.kind.name);
        }
    });
}

#[test]
fn a_call_that_the_client_executes_waits_for_it_and_sends_nothing() {
    check(|trial| {
        for asked in trial.calls() {
            let result = trial.call_without_trace(OWNER, asked, &json!({"execution": "client"}));
            assert_eq!(result["pending"]["kind"], "client", "{}: {result}", trial.kind.name);
        }
    });
}

#[test]
fn a_reload_keeps_the_tools_and_the_results_of_keys() {
    check(|trial| {
        let asked = trial.kind.writes.as_ref().unwrap_or(&trial.kind.reads);
        let first = trial.call_with_key(asked, "kept");
        assert!(first.get("error").is_none(), "{}: {first}", trial.kind.name);
        let headers = format!("Authorization: Bearer {OWNER}\r\n");
        let reloaded = trial.sidecar.answer("POST /v1/admin/reload", &headers, "");
        assert!(reloaded.starts_with("HTTP/1.1 200"), "{}: {reloaded}", trial.kind.name);
        let before = (trial.kind.n_requests)();
        let again = trial.call_with_key(asked, "kept");
        assert_eq!((trial.kind.n_requests)(), before, "{}: {again}", trial.kind.name);
        assert_eq!(again.get("response"), first.get("response"), "{}", trial.kind.name);
        let read = trial.call(OWNER, &trial.kind.reads, &json!({}));
        assert!(read.get("error").is_none(), "{}: {read}", trial.kind.name);
    });
}

#[test]
fn a_service_that_is_away_was_not_reached() {
    check(|trial| {
        if trial.kind.away.is_empty() {
            return;
        }
        for asked in trial.calls() {
            let tool = asked.tool.replacen("kind-", "away-", 1);
            let asked = Asked { tool: tool.leak(), arguments: asked.arguments.clone() };
            let result = trial.call(OWNER, &asked, &json!({}));
            assert_eq!(result["error"]["reached"], "no", "{}: {result}", trial.kind.name);
            assert_eq!(result["error"]["next"], "try_later", "{}: {result}", trial.kind.name);
        }
    });
}
