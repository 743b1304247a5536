//! Indexing 5,000 tools and asking for some of them, beside what is the least for it: cutting the same texts into words in
//! lower case, and looking for the words of a question in each of them.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{hint::black_box, process::ExitCode};

use callgate_search::{Document, Index, Need, Parameter, Product, Query, Thing};
use callgate_tool::Effect;
use rustix::time::{ClockId, clock_gettime};

const TOOLS: usize = 5000;
/// The least of so many rounds counts.
const ROUNDS: usize = 15;
/// Milliseconds of an index and of a question.
const MOST_INDEX: f64 = 100.0;
const MOST_QUERY: f64 = 1.0;

fn main() -> ExitCode {
    let texts: Vec<Text> = (0..TOOLS).map(Text::new).collect();
    let cut = least(|| texts.iter().map(Text::n_words).sum::<usize>());
    let built = least(|| Index::new(texts.iter().map(Text::document)));
    let mut missed = report("index", built, MOST_INDEX, ("words in lower case", cut));
    let index = Index::new(texts.iter().map(Text::document));
    let mib = index.bytes() as f64 / f64::from(1 << 20);
    println!("memory of the index: {mib:.1} MiB, {} bytes a tool", index.bytes() / TOOLS);
    for question in QUESTIONS {
        let scanned = least(|| {
            let holds =
                |text: &&Text| question.split(' ').any(|word| text.description.contains(word));
            texts.iter().filter(holds).count()
        });
        let asked = least(|| index.find(Query::new(question), |_| true));
        missed += report(question, asked, MOST_QUERY, ("a scan of the texts", scanned));
    }
    if missed == 0 {
        return ExitCode::SUCCESS;
    }
    println!("{missed} bars are missed");
    ExitCode::FAILURE
}

const QUESTIONS: [&str; 3] = [
    "refund the invoice of a customer",
    "which account settings changed since the last report was exported for the team of a project manager",
    "order",
];

/// The texts of one tool.
struct Text {
    name: String,
    summary: String,
    description: String,
    path: String,
    thing: &'static str,
}

impl Text {
    /// Those of a tool like others: names of some hundred things, sentences of common and of rare words.
    fn new(n: usize) -> Self {
        let (verb, thing) =
            (VERBS.get(n % VERBS.len()).unwrap(), THINGS.get(n / 7 % THINGS.len()).unwrap());
        let part = THINGS.get(n / 3 % THINGS.len()).unwrap();
        let rare = format!("{part}{}", n % 997);
        let sentence = format!(
            "{verb} the {part} of a {thing} that was changed since the last export, with {rare} "
        );
        Self {
            name: format!("{verb}{thing}{part}{n}"),
            summary: format!("{verb} a {part} of a {thing}"),
            description: sentence.repeat(8),
            path: format!("/v1/{thing}s/{{{thing}_id}}/{part}s"),
            thing,
        }
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::new(&self.name, Effect::Read);
        (document.summary, document.description) =
            ((&self.summary).into(), (&self.description).into());
        document.path = &self.path;
        let parameter = Parameter { name: self.thing, description: (&self.summary).into() };
        document.parameters = vec![parameter; 8];
        let thing = Thing::of_argument(&format!("{}_id", self.thing)).unwrap();
        document.produces.push(Product { thing: thing.clone(), at: "id".into(), distance: 0 });
        if self.name.len().is_multiple_of(2) {
            document.needs.push(Need { argument: "id".into(), thing });
        }
        document
    }

    fn n_words(&self) -> usize {
        let texts = [&self.name, &self.summary, &self.description, &self.path];
        texts.into_iter().map(|text| text.to_lowercase().split(' ').count()).sum()
    }
}

/// The CPU time of the fastest round, in milliseconds.
fn least<T>(mut run: impl FnMut() -> T) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    let mut round = || {
        let began = now();
        black_box(run());
        now() - began
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// Prints a figure; 1 where it misses its bar, and 0 where it holds.
fn report(title: &str, took: f64, most: f64, (other, least): (&str, f64)) -> usize {
    let verdict = if took <= most { "" } else { "  MISSED" };
    println!("{title}: {took:.3} ms (bar {most}), {:.1} x {other}{verdict}", took / least);
    usize::from(took > most)
}

const VERBS: [&str; 7] = ["list", "show", "create", "update", "delete", "export", "approve"];
const THINGS: [&str; 24] = [
    "account", "address", "agent", "booking", "campaign", "card", "contract", "customer", "device",
    "employee", "event", "invoice", "lead", "manager", "message", "order", "payment", "product",
    "project", "refund", "report", "setting", "shipment", "team",
];
