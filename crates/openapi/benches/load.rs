//! Text to callable operations, beside what a plain reader takes to a plain value of the same bytes: CPU time, memory
//! after it, and the time of declarations. The plain reader is a program of its own (`tests/benches/plain-reader`), so that the features
//! this workspace chooses do not slow it; both run in turns, each in a process of its own, on descriptions of the corpus.
//!
//! Instructions, which the load of a machine does not change, are counted by callgrind over its program with
//! `--load FILE 1`; it is in `target/release/deps`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{
    env, fs,
    hint::black_box,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use callgate_openapi::{Document, Limits, LoadOptions, Loaded, load};
use rustix::time::{ClockId, clock_gettime};

/// Programs are run so often in turns; the least of each counts.
const TURNS: usize = 5;
/// And load so often each time. The first load counts: a description is loaded once, into fresh memory. What later ones
/// take, whose memory was used before, is shown beside it.
const ROUNDS: usize = 5;

/// What a load may take, as ratios to the plain reader: CPU and memory.
const BARS: (f64, f64) = (1.0, 0.4);
/// Kubernetes has more operations for its size.
const BARS_OF_KUBERNETES: (f64, f64) = (1.2, 0.45);
/// Milliseconds of the first declaration, and of all.
const MOST_ONE: f64 = 1.0;
const MOST_ALL: f64 = 150.0;

const DESCRIPTIONS: [&str; 6] = [
    "github/api.github.com.json",
    "stripe/stripe.com.json",
    "kubernetes/kubernetes.io.json",
    "asana/asana_oas.yaml",
    "datadog/openapi.yaml",
    "plaid/2020-09-14.yml",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    match *words {
        ["--load", file, rounds] => print(&measure_load(file, rounds.parse().unwrap())),
        ["--declare", file] => print(&measure_declarations(file)),
        _ => return compare_all(),
    }
    ExitCode::SUCCESS
}

fn compare_all() -> ExitCode {
    let Some(specs) = corpus() else {
        println!("corpus absent: nothing is measured");
        return ExitCode::SUCCESS;
    };
    let reader = built_reader();
    let missed: usize =
        DESCRIPTIONS.iter().map(|name| compare(name, &specs.join(name), &reader)).sum();
    if missed == 0 {
        return ExitCode::SUCCESS;
    }
    println!("{missed} bars are missed");
    ExitCode::FAILURE
}

fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = option_env!("CALLGATE_SHARED").map_or_else(beside, PathBuf::from);
    Some(shared.join("corpus/specs")).filter(|folder| folder.is_dir())
}

/// Builds the plain reader with this workspace's own cargo and target folder.
fn built_reader() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = root.join("target/plain-reader");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "--manifest-path"]);
    cargo.arg(root.join("tests/benches/plain-reader/Cargo.toml")).arg("--target-dir").arg(&target);
    assert!(cargo.status().unwrap().success());
    target.join("release/callgate-plain-reader")
}

/// Prints the figures of a description, and answers how many bars it misses.
fn compare(name: &str, file: &Path, reader: &Path) -> usize {
    let ours = env::current_exe().unwrap();
    let rounds = ROUNDS.to_string();
    let (mut plain, mut load, mut declared) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        plain.push(numbers(Command::new(reader).arg(file).arg(&rounds)));
        load.push(numbers(Command::new(&ours).arg("--load").arg(file).arg(&rounds)));
        declared.push(numbers(Command::new(&ours).arg("--declare").arg(file)));
    }
    let is_kubernetes = name.starts_with("kubernetes");
    let (most_cpu, most_memory) = if is_kubernetes { BARS_OF_KUBERNETES } else { BARS };
    let mut missed = 0;
    for (title, at, unit, most) in [
        ("CPU", 0, 1e6, most_cpu),
        ("memory", 1, 1024.0, most_memory),
        ("CPU of later rounds", 2, 1e6, f64::INFINITY),
    ] {
        let (plain, load) = (least(&plain, at) / unit, least(&load, at) / unit);
        let unit = if at == 1 { "MiB" } else { "ms" };
        let verdict = verdict(load / plain, most, &mut missed);
        println!(
            "{name}: {title} {load:.1} {unit}, plain reader {plain:.1} {unit}: {:.2} x (bar {most}){verdict}",
            load / plain
        );
    }
    for (title, at, most) in
        [("first", 0, MOST_ONE), ("slowest", 1, f64::INFINITY), ("all", 2, MOST_ALL)]
    {
        let took = least(&declared, at) / 1e6;
        let verdict = verdict(took, most, &mut missed);
        println!("{name}: {title} declared in {took:.3} ms (bar {most}){verdict}");
    }
    missed
}

fn least(all: &[Vec<u64>], at: usize) -> f64 {
    all.iter().map(|each| each[at]).min().unwrap() as f64
}

fn verdict(value: f64, most: f64, missed: &mut usize) -> &'static str {
    if value <= most {
        return "";
    }
    *missed += 1;
    " MISSED"
}

/// The numbers a program prints.
fn numbers(command: &mut Command) -> Vec<u64> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn print(numbers: &[u64]) {
    println!("{}", numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
}

/// The nanoseconds of the first round, the KiB it left in memory, and the least nanoseconds of all rounds.
fn measure_load(file: &str, rounds: usize) -> [u64; 3] {
    let bytes = fs::read(file).unwrap();
    let (mut times, mut grown) = (Vec::new(), None);
    for _ in 0..rounds {
        let before = resident();
        let started = cpu();
        let loaded = loaded(&bytes);
        times.push(cpu() - started);
        grown = grown.or_else(|| Some(resident().saturating_sub(before)));
        drop(loaded);
    }
    [times[0], grown.unwrap_or_default(), *times.iter().min().unwrap()]
}

/// The nanoseconds of the first declaration, of the slowest, and of all.
fn measure_declarations(file: &str) -> [u64; 3] {
    let loaded = loaded(&fs::read(file).unwrap());
    let times = loaded.operations.iter().map(|operation| {
        let started = cpu();
        black_box(operation.declaration().unwrap());
        cpu() - started
    });
    let times: Vec<u64> = times.collect();
    [times[0], *times.iter().max().unwrap(), times.iter().sum()]
}

fn loaded(bytes: &[u8]) -> Loaded {
    let document = Document::read(black_box(bytes), &Limits::default()).unwrap().value;
    let server = Some("https://api.example.com".to_owned());
    load(&document, &LoadOptions { server, ..LoadOptions::default() })
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
