//! A way in makes each call for its caller: `Call::of_caller` takes the rights. What makes a call that may use every tool belongs to
//! programs, so the crates that let callers in never name it. Code of tests is exempt.

use crate::prelude::*;
use syn::{ExprPath, Member};

use super::{
    test_code::{code_of, is_file_of_tests},
    workspace::{File, rust_files},
};

/// The crates that make calls for others.
const WAYS_IN: [&str; 4] =
    ["crates/agent/src", "crates/ces/src", "crates/gateway/src", "crates/mcp/src"];

/// The methods of an executor that make a call without a caller.
const METHODS: [&str; 4] = ["call", "call_all", "dry_run", "stream"];

struct Walk<'a> {
    file: &'a str,
    calls: Vec<String>,
}

/// The rule: every call of a file that may use every tool.
fn unlimited_calls(files: &[File]) -> Vec<String> {
    let mut calls = Vec::new();
    for file in files.iter().filter(|file| !is_file_of_tests(&file.path)) {
        let mut walk = Walk { file: &file.path, calls: Vec::new() };
        walk.visit_file(&code_of(file));
        calls.append(&mut walk.calls);
    }
    calls
}

impl Walk<'_> {
    fn refuse(&mut self, call: &str) {
        self.calls.push(format!("{}: `{call}` has no caller", self.file));
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let mut names = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let (last, before) = (names.next(), names.next());
        if last.as_deref() == Some("new") && before.as_deref() == Some("Call") {
            self.refuse("Call::new");
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let method = call.method.to_string();
        if METHODS.contains(&method.as_str()) && is_executor(&call.receiver) {
            self.refuse(&format!("executor.{method}"));
        }
        visit::visit_expr_method_call(self, call);
    }
}

fn is_executor(receiver: &Expr) -> bool {
    match receiver {
        Expr::Field(field) => matches!(&field.member, Member::Named(name) if name == "executor"),
        Expr::MethodCall(call) => call.method == "executor",
        Expr::Path(path) => path.path.is_ident("executor"),
        _ => false,
    }
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(unlimited_calls(&[File::new(path, text)]), expected);
}

#[test]
fn a_call_without_a_caller_is_refused() {
    let refused = "a/calls.rs: `Call::new` has no caller";
    check("a/calls.rs", "fn a() { Call::new(b, c) }", &[refused]);
    check("a/calls.rs", "fn a() { b.map(callgate_executor::Call::new) }", &[refused]);
    let refused = "a/calls.rs: `executor.dry_run` has no caller";
    check("a/calls.rs", "fn a() { b.built.executor.dry_run(c, d) }", &[refused]);
}

#[test]
fn a_call_of_a_caller_and_code_of_tests_are_accepted() {
    check("a/calls.rs", "fn a() { Call::of_caller(b, c, d) }", &[]);
    check("a/calls.rs", "fn a() { ToolCall::new(b, c, d); executor.call_with(e); f.call(g) }", &[]);
    check("a/calls.rs", "#[cfg(test)] mod tests { fn a() { Call::new(b, c) } }", &[]);
    check("a/calls/tests.rs", "fn a() { Call::new(b, c) }", &[]);
}

#[test]
fn no_way_in_makes_a_call_without_a_caller() {
    let files: Vec<File> = WAYS_IN.into_iter().flat_map(rust_files).collect();
    assert!(!files.is_empty());
    assert_eq!(unlimited_calls(&files), Vec::<String>::new());
}
