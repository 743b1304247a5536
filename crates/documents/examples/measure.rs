//! Measures the search of documents: how well it finds (Cranfield, as `cran.all.1400.xml`, `cran.qry.xml` and `cranqrel.trec.txt` in
//! a folder), how fast, and what it takes. `cargo run --release -p callgate-documents --example measure -- FOLDER [COPIES]`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a measurement prints, and stops at the first surprise"
)]

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    time::{Duration, SystemTime},
};

use callgate_documents::{Documents, DocumentsSettings, load};
use callgate_executor::Executor;
use callgate_search::{PieceIndex, PieceWords};
use callgate_tool::{Arguments, Object, Session, ToolCall, ToolResult, Value};
use tokio::time::Instant;

#[tokio::main]
async fn main() {
    let mut arguments = env::args().skip(1);
    let corpus = arguments.next().expect("the folder of the collection");
    let copies: usize = arguments.next().map_or(1, |copies| copies.parse().expect("a number"));
    let collection = Collection::read(Path::new(&corpus));
    alone(&collection, copies);
    let folder = tempfile::tempdir().unwrap();
    collection.write(folder.path(), copies);
    let before = resident();
    let mut settings = DocumentsSettings::new("cran", folder.path());
    (settings.limits.snippets, settings.limits.result_bytes) = (100, 1 << 20);
    let (began, cpu) = (Instant::now(), processor_time());
    let loaded = load(settings, None).await;
    let (elapsed, cpu) = (began.elapsed(), processor_time().saturating_sub(cpu));
    let counts = loaded.documents.as_ref().unwrap().counts();
    println!("cold index: {elapsed:?}, {cpu:?} of a processor, {counts:?}");
    println!("resident: {} MiB more, at most {} MiB", (resident() - before) >> 10, peak() >> 10);
    assert!(loaded.findings.is_empty(), "{:?}", loaded.findings);
    verify(loaded.documents.as_ref().unwrap(), folder.path()).await;
    let builder = loaded
        .tools
        .into_iter()
        .fold(Executor::builder(), callgate_executor::Builder::shared_backend);
    let executor = builder.build().unwrap();
    quality(&executor, &collection).await;
    latency(&executor, &collection).await;
    change(&executor, folder.path()).await;
}

/// Comparing the folder while nothing has changed, and after each file got another time: then all are read and compared by their
/// digests, which is also the least that an index kept from an earlier process would cost.
async fn verify(documents: &Documents, folder: &Path) {
    tokio::time::sleep(Duration::from_secs(10)).await;
    let (began, cpu) = (Instant::now(), processor_time());
    documents.refresh().await;
    println!(
        "comparison: {:?}, {:?} of a processor",
        began.elapsed(),
        processor_time().saturating_sub(cpu)
    );
    for folder in fs::read_dir(folder).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let file = fs::File::options().append(true).open(file.unwrap().path()).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    let (began, cpu) = (Instant::now(), processor_time());
    documents.refresh().await;
    println!(
        "digests of all: {:?}, {:?} of a processor",
        began.elapsed(),
        processor_time().saturating_sub(cpu)
    );
}

/// The search of pieces alone, without files.
fn alone(collection: &Collection, copies: usize) {
    let began = Instant::now();
    let mut index = PieceIndex::default();
    let mut reader = index.piece_tokenizer();
    for _ in 0..copies {
        let mut words = PieceWords::default();
        for (_, title, text) in &collection.documents {
            reader.read(title, text, &mut words);
        }
        index.append(&words);
    }
    drop(reader);
    index.update_length_weights();
    index.shrink();
    println!(
        "pieces alone: {} in {:?}, {} MB",
        index.len(),
        began.elapsed(),
        index.bytes() / 1_000_000
    );
    let one = |question: &String| {
        let began = Instant::now();
        let hits = index.find(question, 10, |_| true);
        assert!(!hits.is_empty());
        began.elapsed()
    };
    times("query alone", collection.questions.iter().cycle().take(1000).map(one).collect());
}

async fn quality(executor: &Executor, collection: &Collection) {
    let (mut gains, mut recalls) = (Vec::new(), Vec::new());
    for (number, question) in collection.questions.iter().enumerate() {
        let Some(relevant) = collection.relevant.get(&(number + 1)) else { continue };
        let mut ranked: Vec<String> = Vec::new();
        for snippet in search(executor, question, 100).await {
            let document = snippet.get("document").and_then(Value::as_str).unwrap();
            let name = document.rsplit('/').next().unwrap().trim_end_matches(".md").to_owned();
            if !ranked.contains(&name) {
                ranked.push(name);
            }
        }
        let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let is_found = |name: &String| relevant.contains(name);
        let found = ranked.iter().take(10).enumerate().filter(|(_, name)| is_found(name));
        let found: f64 = found.map(|(rank, _)| gain(rank)).sum();
        let ideal: f64 = (0..relevant.len().min(10)).map(gain).sum();
        gains.push(found / ideal);
        let n_found = ranked.iter().filter(|name| is_found(name)).count();
        recalls.push(n_found as f64 / relevant.len() as f64);
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    println!(
        "nDCG@10 {:.4}, recall of 100 snippets {:.4}, {} questions",
        mean(&gains),
        mean(&recalls),
        gains.len()
    );
}

async fn latency(executor: &Executor, collection: &Collection) {
    let mut all = Vec::new();
    for question in collection.questions.iter().cycle().take(1000) {
        let began = Instant::now();
        assert!(!search(executor, question, 5).await.is_empty());
        all.push(began.elapsed());
    }
    times("call with 5 verified snippets", all);
}

async fn change(executor: &Executor, folder: &Path) {
    let (mut compared, mut seen) = (Vec::new(), Vec::new());
    for round in 0..3 {
        tokio::time::sleep(Duration::from_secs(15)).await;
        let question = format!("round{round}");
        fs::write(folder.join("0/1.md"), format!("# Changed\n\nzyzzyva {question}\n")).unwrap();
        let began = Instant::now();
        assert_eq!(search(executor, &question, 5).await.len(), 1);
        compared.push(began.elapsed());
        // The next comparison is not due: the digest shows this change.
        fs::write(folder.join("0/1.md"), format!("# Again\n\nzyzzyva {question}\n")).unwrap();
        let began = Instant::now();
        assert_eq!(search(executor, &question, 5).await.len(), 1);
        seen.push(began.elapsed());
    }
    times("call that compares the folder and indexes one changed file", compared);
    times("call that meets a changed file and indexes it", seen);
}

async fn search(executor: &Executor, question: &str, limit: u64) -> Vec<Value> {
    let arguments = Object::from([("query", question.into()), ("limit", limit.into())]);
    let call = ToolCall {
        id: "1".into(),
        tool: "cran-search".into(),
        arguments: Arguments::from(arguments),
    };
    let ToolResult { outcome, .. } = executor.call(&call, &Session::default()).await;
    let text = outcome.text().expect("a result").to_owned();
    let result = Value::parse(&text).unwrap();
    result.get("snippets").and_then(Value::as_array).unwrap().clone()
}

fn times(title: &str, mut all: Vec<Duration>) {
    all.sort_unstable();
    let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize];
    println!("{title}: p50 {:?}, p99 {:?}", at(0.5), at(0.99));
}

struct Collection {
    documents: Vec<(String, String, String)>,
    questions: Vec<String>,
    relevant: BTreeMap<usize, Vec<String>>,
}

impl Collection {
    fn read(folder: &Path) -> Self {
        let file = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let part = |text: &str, name: &str| {
            let (_, rest) = text.split_once(&format!("<{name}>")).unwrap_or_default();
            rest.split(&format!("</{name}>")).next().unwrap_or_default().trim().to_owned()
        };
        let documents = file("cran.all.1400.xml");
        let documents = documents.split("<doc>").skip(1).map(|document| {
            let title = part(document, "title").replace('\n', " ");
            (part(document, "docno"), title, part(document, "text"))
        });
        let questions = file("cran.qry.xml");
        let questions = questions.split("<top>").skip(1).map(|top| part(top, "title"));
        let mut relevant: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for line in file("cranqrel.trec.txt").lines() {
            let parts: Vec<&str> = line.split_whitespace().collect();
            if parts[3].parse::<i32>().unwrap() > 0 {
                relevant.entry(parts[0].parse().unwrap()).or_default().push(parts[2].to_owned());
            }
        }
        Self { documents: documents.collect(), questions: questions.collect(), relevant }
    }

    fn write(&self, folder: &Path, copies: usize) {
        for copy in 0..copies {
            let folder = folder.join(copy.to_string());
            fs::create_dir(&folder).unwrap();
            for (number, title, text) in &self.documents {
                let text = format!("---\ntitle: {title:?}\n---\n{text}\n");
                fs::write(folder.join(format!("{number}.md")), text).unwrap();
            }
        }
    }
}

fn status(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// The time of processors that this process took, in steps of ten milliseconds.
fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

fn resident() -> usize {
    status("VmRSS:")
}

fn peak() -> usize {
    status("VmHWM:")
}
