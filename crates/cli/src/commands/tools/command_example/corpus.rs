//! The example on the page of each tool of the fixtures and of the corpus: a shell reads the line, the command reads its words, and
//! its dry run ends as planned. A tool without a line has the reason. `CALLGATE_SHARED` names the folder of the corpus; large
//! descriptions are left out unless `CALLGATE_EXAMPLES=all`, so that the test takes less than a minute.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use callgate::{
    Outcome, Session, ToolCall,
    config::{Built, Environment, Loader, kinds},
    dialect::{read_json, read_session},
};

use super::for_tool;
use crate::{
    args::{self, CallArguments, SourceArguments},
    commands::call::{arguments_of_call, block_on},
    effects,
    open::{self, build_silently, description_options},
};

const MOST_BYTES: u64 = 500_000;
const MOST_TOOLS: usize = 150;

/// The examples of one file.
#[derive(Debug, Default)]
struct Examples {
    /// The lines by the names of their tools.
    lines: Vec<(String, String)>,
    /// The reasons why tools have none.
    reasons: Vec<(String, String)>,
}

fn is_full_corpus_requested() -> bool {
    env::var_os("CALLGATE_EXAMPLES").is_some_and(|which| which == "all")
}

fn fixture_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let specs = [
        "answers/spec.yaml",
        "files/spec.yaml",
        "ledger/spec.json",
        "pets/spec.yaml",
        "styles/spec.yaml",
    ];
    let mut files: Vec<_> = specs.iter().map(|file| root.join("fixtures").join(file)).collect();
    files.push(root.join("config/demo.yaml"));
    files
}

/// The descriptions of the corpus that are looked at; none without `CALLGATE_SHARED`.
fn corpus_files() -> Vec<PathBuf> {
    if env::var_os("CALLGATE_SHARED").is_none() {
        return Vec::new();
    }
    let is_small = |file: &PathBuf| {
        is_full_corpus_requested() || fs::metadata(file).is_ok_and(|data| data.len() <= MOST_BYTES)
    };
    callgate_testkit::listed_descriptions().into_iter().filter(is_small).collect()
}

fn parse_call_words(words: Vec<String>) -> CallArguments {
    let read = args::parse_arguments(words.into_iter().map(Into::into), &kinds());
    match read.unwrap_or_else(|error| panic!("{error}")).command {
        args::Command::Call(call) => *call,
        other => panic!("{other:?}"),
    }
}

/// The flags of `callgate tools FILE`.
fn source_arguments(file: &Path) -> SourceArguments {
    let file = file.to_str().unwrap().to_owned();
    parse_call_words(["callgate", "call", &file, "tool"].map(str::to_owned).to_vec()).source
}

fn make_examples(built: &Built, source: &SourceArguments) -> Examples {
    let most = if is_full_corpus_requested() { usize::MAX } else { MOST_TOOLS };
    let mut examples = Examples::default();
    for entry in built.executor.entries().filter(|one| one.declaration().is_some()).take(most) {
        let example = for_tool(&built.executor, entry, source, &kinds()).unwrap();
        let name = entry.name().to_string();
        match example.line {
            Ok(line) => examples.lines.push((name, line)),
            Err(reason) => examples.reasons.push((name, reason)),
        }
    }
    examples
}

/// The words and the standard input that a shell makes of each line.
fn words_read_by_shell(lines: &[(String, String)]) -> Vec<(Vec<String>, String)> {
    let mut script =
        "callgate() { printf '%s\\0' \"$@\"; printf '\\001\\0'; cat; printf '\\0\\002\\0'; }\n"
            .to_owned();
    for (_, line) in lines {
        script.push_str(&format!("{line} --dry-run\n"));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("examples.sh");
    fs::write(&file, script).unwrap();
    let ended = Command::new("sh").arg(&file).stdin(Stdio::null()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let text = String::from_utf8(ended.stdout).unwrap();
    let parts = text.split("\0\u{2}\0").filter(|part| !part.is_empty());
    let read = parts.map(|part| {
        let (words, input) = part.split_once("\u{1}\0").unwrap();
        (words.split_terminator('\0').map(str::to_owned).collect(), input.to_owned())
    });
    read.collect()
}

/// The fault of the dry run that these words ask for.
fn dry_run_fault(words: &[String], input: &str, builds: &mut Builds) -> Option<String> {
    let call = parse_call_words([&["callgate".to_owned()][..], words].concat());
    assert!(call.dry_run, "{words:?}");
    let built = builds.get_or_build(&call.source);
    let name = call.tool.clone().unwrap();
    let Some(entry) = built.executor.find(&name) else { return Some(format!("no tool {name}")) };
    let Ok(arguments) = arguments_of_call(&call, Some(entry)) else {
        return Some(format!("is not read: {words:?}"));
    };
    let session = match &call.session {
        Some(_) => read_session(read_json(input).unwrap()).unwrap(),
        None => Session::default(),
    };
    let planned = block_on(built.executor.dry_run(&ToolCall::new("1", name, arguments), &session));
    match planned.unwrap().outcome {
        Outcome::Failed(fault) => Some(format!("{} {words:?}", fault.message)),
        _ => None,
    }
}

fn dry_run_loader() -> Loader {
    open::loader_with_effects(&kinds(), effects::DRY_RUN)
}

/// A file with its own server, and with those that examples name.
#[derive(Default)]
struct Builds(BTreeMap<Option<String>, Built>);

impl Builds {
    fn get_or_build(&mut self, source: &SourceArguments) -> &Built {
        let options = description_options(&source.description);
        let server = options.server.clone();
        self.0.entry(server).or_insert_with(|| {
            let environment = Environment::new().without_audit();
            build_silently(&source.file, &options, &dry_run_loader(), &environment).unwrap()
        })
    }
}

/// The tools, those with a line, and what is wrong.
#[derive(Debug, Default)]
struct Count {
    n: usize,
    n_lines: usize,
    reasons: BTreeMap<String, String>,
    failures: BTreeMap<String, String>,
}

impl Count {
    fn check_file_examples(&mut self, file: &Path) {
        let source = source_arguments(file);
        let environment = Environment::new().without_audit();
        let options = description_options(&source.description);
        let Ok(built) = build_silently(file, &options, &dry_run_loader(), &environment) else {
            return;
        };
        let Examples { lines, reasons } = make_examples(&built, &source);
        self.n += lines.len() + reasons.len();
        self.n_lines += lines.len();
        let key = |name: &str| format!("{} {name}", file.display());
        for (name, reason) in reasons {
            assert!(!reason.is_empty(), "{}", key(&name));
            self.reasons.insert(key(&name), reason);
        }
        let mut builds = Builds::default();
        let read = words_read_by_shell(&lines);
        assert_eq!(read.len(), lines.len(), "{}", file.display());
        for ((name, line), (words, input)) in lines.iter().zip(read) {
            if let Some(why) = dry_run_fault(&words, &input, &mut builds) {
                self.failures.insert(key(name), format!("{why}: {line}"));
            }
        }
    }
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "the numbers are for whoever runs the test")]
fn check_examples_share(files: &[PathBuf], least_share: f64) {
    let mut count = Count::default();
    for file in files {
        count.check_file_examples(file);
    }
    let Count { n, n_lines, reasons, failures } = &count;
    println!("{n_lines} of {n} tools of {} files have an example", files.len());
    for (tool, why) in reasons.iter().chain(failures) {
        let why: String = why.chars().take(600).collect();
        println!("{tool}: {why}");
    }
    assert!(failures.is_empty(), "{} of {n_lines} lines do not run", failures.len());
    #[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^52 tools")]
    let share = *n_lines as f64 / *n as f64;
    assert!(share >= least_share, "{n_lines} of {n}");
}

#[test]
fn the_example_of_every_tool_of_the_fixtures_runs() {
    check_examples_share(&fixture_files(), 1.0);
}

#[test]
#[expect(clippy::print_stdout, reason = "the corpus is elsewhere")]
fn each_tool_of_the_corpus_has_an_example_that_runs_or_a_reason() {
    let files = corpus_files();
    if files.is_empty() {
        println!("corpus absent");
        return;
    }
    check_examples_share(&files, 0.99);
}
