//! The rules about calls that work for long: a principal with many of them does not keep another from its answers, and one whose time
//! ends leaves nothing behind.

use std::sync::mpsc::Sender;

use rustix::process::{Signal, kill_process};

use crate::prelude::*;

use super::{
    MODEST, OWNER, Trial,
    rows::{self, Kind},
};

/// The work of the reading calls of a kind, for the tests here.
pub(super) enum Work {
    /// It ends when a test lets it end.
    Held(Box<dyn Hold>),
    /// It takes long by itself, over files that this writes.
    Long(fn(&Path)),
    /// The client does it, and a call ends at once.
    OfClient,
}

/// Keeps work from ending.
pub(super) trait Hold {
    /// Work in this folder does not end from now on.
    fn hold(&self, folder: &Path);

    fn release(&self);

    /// Waits until so many calls work, where they can be seen.
    fn wait_until_running(&self, _n_running: usize) {}

    /// Breaks the connection at each answer from now on, or no longer.
    fn break_answers(&self, _is_broken: bool) {}

    /// The number of answers that were broken off.
    fn n_broken(&self) -> usize {
        0
    }

    /// All bytes that the service was sent, as text.
    fn sent(&self) -> String {
        String::new()
    }
}

impl Trial {
    /// The sidecar of a kind, few of whose calls work at a time.
    fn start_to_work(kind: Kind) -> Self {
        let limits = kind.work_limits;
        Self::start_with(kind, limits, "calls: {queue_wait: 60s}\nlimits: {drain: 200ms}\n")
    }

    fn hold(&self) {
        if let Work::Held(work) = &self.kind.work {
            work.hold(self.folder.path());
        }
    }

    fn release(&self) {
        if let Work::Held(work) = &self.kind.work {
            work.release();
        }
    }

    /// Waits until a number of calls of the toolset are in the sidecar.
    fn wait_until_in_flight(&self, is_expected: impl Fn(usize) -> bool) {
        let headers = format!("Authorization: Bearer {OWNER}\r\n");
        let gauge = "callgate_calls_in_flight{toolset=\"kind\"} ";
        loop {
            let metrics = self.sidecar.answer("GET /metrics", &headers, "");
            let line = metrics.lines().find_map(|line| line.strip_prefix(gauge));
            if is_expected(line.map_or(0, |number| number.parse().unwrap())) {
                return;
            }
            thread::yield_now();
        }
    }

    /// Sends reading calls of a principal in one request. Its name and the answer come when all are answered.
    fn send_calls(&self, (name, token): (&'static str, &str), n_calls: usize, told: &Sender<Told>) {
        let asked = &self.kind.reads;
        let call = |id| json!({"id": format!("{id}"), "tool": asked.tool, "args": asked.arguments.clone()});
        let calls: Vec<Value> = (0..n_calls).map(call).collect();
        let headers = format!("Authorization: Bearer {token}\r\n");
        let body = json!({"calls": calls}).to_string();
        let mut stream = self.sidecar.send("POST /v1/calls", &headers, &body);
        let told = told.clone();
        thread::spawn(move || told.send((name, crate::running::read(&mut stream))));
    }
}

/// A principal, and the whole answer to its request.
type Told = (&'static str, String);

/// Runs a check for each kind that works.
fn check(check: impl Fn(Trial)) {
    let kinds = rows::kinds().into_iter();
    kinds
        .filter(|kind| !matches!(kind.work, Work::OfClient))
        .map(Trial::start_to_work)
        .for_each(check);
}

#[test]
fn a_principal_with_many_calls_keeps_no_other_from_its_answer() {
    check(|trial| {
        let name = trial.kind.name;
        let (told, answers) = channel();
        trial.hold();
        trial.send_calls(("greedy", OWNER), MANY, &told);
        trial.wait_until_in_flight(|number| number >= 1);
        trial.send_calls(("modest", MODEST), 1, &told);
        if matches!(trial.kind.work, Work::Held(_)) {
            trial.wait_until_in_flight(|number| number > MANY);
        }
        trial.release();
        let [first, last] = [(); 2].map(|()| answers.recv().unwrap());
        assert_eq!((first.0, last.0), ("modest", "greedy"), "{name}");
        for (principal, answer) in [first, last] {
            assert!(!answer.contains("\"error\""), "{name}, {principal}: {answer}");
        }
    });
}

#[test]
fn a_call_whose_time_ends_is_answered_and_nothing_of_it_keeps_a_call_or_a_stop() {
    check(|mut trial| {
        let name = trial.kind.name;
        let asked = &trial.kind.reads;
        trial.hold();
        let time = if matches!(trial.kind.work, Work::Held(_)) { "300ms" } else { "1ms" };
        let call = json!({"id": "1", "tool": asked.tool, "args": asked.arguments.clone(), "timeout": time});
        let result = trial.call(OWNER, asked, &json!({"calls": [call]}));
        assert_eq!(result["error"]["code"], "timed_out", "{name}: {result}");
        let seconds = if time == "1ms" { "within 0.001 s" } else { "within 0.3 s" };
        let message = result["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(seconds), "{name}: {result}");
        if let Work::Held(work) = &trial.kind.work {
            work.wait_until_running(0);
        }
        trial.release();
        let next = trial.call(OWNER, asked, &json!({}));
        assert!(next.get("error").is_none(), "{name}: {next}");

        trial.hold();
        let (told, answers) = channel();
        trial.send_calls(("owner", OWNER), MANY, &told);
        trial.wait_until_in_flight(|number| number >= 1);
        if let Work::Held(work) = &trial.kind.work {
            work.wait_until_running(1);
        }
        kill_process(Pid::from_child(&trial.sidecar.process), Signal::TERM).unwrap();
        assert_eq!(trial.sidecar.process.wait().unwrap().code(), Some(0), "{name}");
        answers.recv().unwrap();
    });
}

/// The calls of the principal that has many.
const MANY: usize = 20;
