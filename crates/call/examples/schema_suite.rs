//! Runs the JSON Schema Test Suite over the evaluator: `schema_suite FOLDER LIST`. FOLDER holds the suite's files of one
//! dialect; LIST says which groups are out of scope, each with a reason. Anything else that fails, a group of which a
//! keyword is not applied, and an entry of the list that is not needed make the run fail.

#![expect(clippy::print_stdout, reason = "the result is read by people")]

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use callgate_call::{Evaluator, Verdict};
use callgate_tool::Value;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Failure> {
    let mut arguments = env::args().skip(1).map(PathBuf::from);
    let (Some(folder), Some(list)) = (arguments.next(), arguments.next()) else {
        return Err("usage: schema_suite FOLDER LIST".into());
    };
    let mut suite = Suite { excluded: excluded(&list)?, ..Suite::default() };
    let mut files = Vec::new();
    find(&folder, &mut files)?;
    files.sort();
    for file in &files {
        let name = file.strip_prefix(&folder)?.to_string_lossy().into_owned();
        suite.file(&name, &Value::from_slice(&fs::read(file)?)?);
    }
    Ok(suite.report())
}

/// What came of the tests so far.
#[derive(Default)]
struct Suite {
    /// Files, groups (`file: group`) and tests (`file: group: test`) that are out of scope.
    excluded: BTreeSet<String>,
    needed: BTreeSet<String>,
    n_passed: usize,
    n_excluded: usize,
    failures: Vec<String>,
}

impl Suite {
    fn file(&mut self, file: &str, groups: &Value) {
        for group in groups.as_array().into_iter().flatten() {
            let name = format!("{file}: {}", text(group, "description"));
            let schema = group.get("schema").cloned().unwrap_or_default();
            let evaluator = Evaluator::new(schema);
            let unknown = evaluator.unknown_keywords();
            if !unknown.is_empty() {
                self.fail(&[file, &name], format!("{name}: not applied: {}", unknown.join(", ")));
            }
            for test in group.get("tests").and_then(Value::as_array).into_iter().flatten() {
                self.test(&evaluator, test, [file, &name]);
            }
        }
    }

    fn test(&mut self, evaluator: &Evaluator, test: &Value, [file, group]: [&str; 2]) {
        let name = format!("{group}: {}", text(test, "description"));
        let Some(data) = test.get("data") else { return };
        let expected = match test.get("valid") {
            Some(Value::Bool(true)) => Verdict::Valid,
            _ => Verdict::Invalid,
        };
        let evaluated = evaluator.evaluate("value", data);
        let is_explained = evaluated.problems.is_empty() == (expected == Verdict::Valid);
        if evaluated.verdict == expected && is_explained {
            self.n_passed += 1;
            return;
        }
        let told = format!("{name}: expected {expected:?}, got {evaluated:?}");
        self.fail(&[file, group, &name], told);
    }

    /// A failure is none where its file, its group or the test itself is out of scope.
    fn fail(&mut self, names: &[&str], told: String) {
        let Some(name) = names.iter().find(|name| self.excluded.contains(**name)) else {
            return self.failures.push(told);
        };
        self.needed.insert((*name).to_owned());
        self.n_excluded += 1;
    }

    fn report(self) -> ExitCode {
        for failure in &self.failures {
            println!("FAIL {failure}");
        }
        let stale: Vec<_> = self.excluded.difference(&self.needed).collect();
        for name in &stale {
            println!("FAIL {name}: listed as out of scope, and passes");
        }
        let n_failed = self.failures.len() + stale.len();
        println!(
            "JSON Schema Test Suite: {} passed, {} out of scope ({} entries), {n_failed} failed",
            self.n_passed,
            self.n_excluded,
            self.excluded.len(),
        );
        if n_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn excluded(list: &Path) -> Result<BTreeSet<String>, Failure> {
    let list = Value::from_slice(&fs::read(list)?)?;
    let reasons = list.as_array().into_iter().flatten();
    let names = reasons.filter_map(|each| each.get("names").and_then(Value::as_array)).flatten();
    Ok(names.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    Ok(())
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
