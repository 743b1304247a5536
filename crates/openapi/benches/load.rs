//! Text to callable operations, beside what a plain reader takes to a plain value of the same bytes: CPU time, memory
//! after it, and the time of declarations. The plain reader is a program of its own (`tests/reader`), so that the features
//! this workspace chooses do not slow it; both run in turns, each in a process of its own, on descriptions of the corpus.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{
    env, fs,
    hint::black_box,
    path::{Path, PathBuf},
    process::Command,
};

use callgate_openapi::{Document, Limits, LoadOptions, Loaded, load};
use rustix::time::{ClockId, clock_gettime};

/// Programs are run so often in turns; the least of each counts.
const TURNS: usize = 5;
/// And load so often each time.
const ROUNDS: usize = 5;

const MOST_CPU: f64 = 1.2;
const MOST_MEMORY: f64 = 0.7;
/// Milliseconds of one declaration, and of all.
const MOST_ONE: f64 = 1.0;
const MOST_ALL: f64 = 150.0;

const DESCRIPTIONS: [&str; 6] = [
    "github/api.github.com.json",
    "stripe/stripe.com.json",
    "kubernetes/kubernetes.io.json",
    "asana/asana_oas.yaml",
    "datadog/openapi.yaml",
    "openai/openapi.yaml",
];

/// What one process measured: nanoseconds and KiB.
#[derive(Clone, Copy, Default)]
struct Measured {
    load: u64,
    grown: u64,
    first: u64,
    slowest: u64,
    all: u64,
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let [_, flag, file, rounds] = arguments.as_slice()
        && flag == "--load"
    {
        return print(child(Path::new(file), rounds.parse().unwrap()));
    }
    let Some(specs) = corpus() else { return println!("corpus absent: nothing is measured") };
    let reader = built_reader();
    for name in DESCRIPTIONS {
        compare(name, &specs.join(name), &reader);
    }
}

fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = option_env!("CALLGATE_SHARED").map_or_else(beside, PathBuf::from);
    Some(shared.join("corpus/specs")).filter(|folder| folder.is_dir())
}

/// Builds the plain reader with this workspace's own cargo and target folder.
fn built_reader() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = root.join("target/reader");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "--manifest-path"]);
    cargo.arg(root.join("tests/reader/Cargo.toml")).arg("--target-dir").arg(&target);
    assert!(cargo.status().unwrap().success());
    target.join("release/callgate-reader")
}

fn compare(name: &str, file: &Path, reader: &Path) {
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        plain.push(numbers(Command::new(reader).arg(file).arg(ROUNDS.to_string())));
        let mut command = Command::new(env::current_exe().unwrap());
        ours.push(numbers(command.arg("--load").arg(file).arg(ROUNDS.to_string())));
    }
    let least = |all: &[Vec<u64>], at: usize| all.iter().map(|each| each[at]).min().unwrap() as f64;
    let (plain_load, plain_grown) = (least(&plain, 0), least(&plain, 1));
    let ratio = |title: &str, ours: f64, plain: f64, most: f64| {
        let verdict = if ours / plain <= most { "" } else { "  MISSED" };
        println!("{name}: {title} {:.2} x (bar {most}){verdict}", ours / plain);
    };
    println!(
        "{name}: plain reader {:.1} ms, {:.1} MiB; load {:.1} ms, {:.1} MiB",
        plain_load / 1e6,
        plain_grown / 1024.0,
        least(&ours, 0) / 1e6,
        least(&ours, 1) / 1024.0,
    );
    ratio("CPU", least(&ours, 0), plain_load, MOST_CPU);
    ratio("memory", least(&ours, 1), plain_grown, MOST_MEMORY);
    for (title, at, most) in
        [("first", 2, MOST_ONE), ("slowest", 3, MOST_ONE), ("all", 4, MOST_ALL)]
    {
        let milliseconds = least(&ours, at) / 1e6;
        let verdict = if milliseconds <= most { "" } else { "  MISSED" };
        println!("{name}: {title} declaration {milliseconds:.3} ms (bar {most}){verdict}");
    }
}

/// The numbers a program prints.
fn numbers(command: &mut Command) -> Vec<u64> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn print(measured: Measured) {
    let Measured { load, grown, first, slowest, all } = measured;
    println!("{load} {grown} {first} {slowest} {all}");
}

/// Loads a description so often, and builds every declaration after the last time.
fn child(file: &Path, rounds: usize) -> Measured {
    let bytes = fs::read(file).unwrap();
    let mut measured = Measured { load: u64::MAX, ..Measured::default() };
    for round in 0..rounds {
        let before = resident();
        let started = cpu();
        let loaded = loaded(&bytes);
        measured.load = measured.load.min(cpu() - started);
        if round == 0 {
            measured.grown = resident().saturating_sub(before);
        }
        if round + 1 == rounds {
            declare(&loaded, &mut measured);
        }
    }
    measured
}

fn loaded(bytes: &[u8]) -> Loaded {
    let document = Document::read(black_box(bytes), &Limits::default()).unwrap().value;
    let server = Some("https://api.example.com".to_owned());
    load(&document, &LoadOptions { server, ..LoadOptions::default() })
}

fn declare(loaded: &Loaded, measured: &mut Measured) {
    for operation in &loaded.operations {
        let started = cpu();
        black_box(operation.declaration());
        let took = cpu() - started;
        measured.first = if measured.all == 0 { took } else { measured.first };
        measured.slowest = measured.slowest.max(took);
        measured.all += took;
    }
}

fn cpu() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap()
}

/// The resident memory of this process in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
