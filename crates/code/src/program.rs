//! One program with its calls: what the worker reports is judged here, calls run side by side through the executor, and results go in
//! when the code waits for them. A program that goes on after a wait first gets the recorded answers in the recorded order.

mod called_tools;
mod callee;
mod calls;
mod queue;
mod repetition;
mod sign_in;

pub(crate) use {calls::first_pending_with_others, repetition::is_resumed};

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use callgate_executor::{Call, Executor, Resumption};
use callgate_tool::{Fault, Object, Pending, ToolResult, Value};
use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::time::{Instant, sleep_until};

use self::{callee::Callee, queue::CallQueue};
use crate::{
    functions::Functions,
    journal::{CallAnswer, ProgramJournal, estimated_answer_size},
    message::{End, Name, Order, Report},
    outcome::call_exception,
    programs::Keeper,
    settings::CodeLimits,
    worker::{Broken, Worker},
};

/// A program under way.
pub(crate) struct Program<'a> {
    call: &'a Call<'a>,
    executor: &'a Executor,
    functions: Functions<'a>,
    /// The functions that it has called, by their names.
    callees: BTreeMap<String, Callee<'a>>,
    /// The fingerprints of what the tools that it has reached read of the session of this run.
    sessions: BTreeMap<String, String>,
    limits: CodeLimits,
    deadline: Instant,
    journal: ProgramJournal,
    keeper: Keeper,
    /// The answer to a call that waits, if the program goes on.
    resumption: Option<&'a Resumption>,
    /// The events of earlier runs, and how many of them this run has repeated.
    n_recorded: usize,
    n_repeated: usize,
    has_caught_up: bool,
    queue: CallQueue,
    running: FuturesUnordered<BoxFuture<'a, EndedCall>>,
    /// The calls whose answers the code has not taken.
    ready: VecDeque<usize>,
    /// The reason why a decision does not count: the program still waits.
    refusal: Option<Box<Fault>>,
    /// The time that the code has computed.
    computed: Duration,
}

/// The end of a run.
#[derive(Debug)]
pub(crate) enum RunEnd {
    /// The program has ended.
    Ended {
        end: End,
        /// True if the worker may run another program.
        is_clean: bool,
    },
    /// Nothing is known of a program whose journal is not kept, and it can be answered again.
    Failed(Box<Fault>),
    /// It waits for this.
    Waits(Box<Pending>),
}

/// A call that has ended, by its number.
#[derive(Debug)]
struct EndedCall {
    number: usize,
    /// The request that was decided about, if the call waited before.
    waited: Option<Box<Pending>>,
    /// `Err` if the client's answer does not fit.
    result: Result<ToolResult, Box<Fault>>,
}

/// A step of a program.
enum Step {
    Ended(Box<EndedCall>),
    Late,
    Reported(Result<Report, Broken>),
    Stuck,
}

/// The reason why a program stops without an end of its own.
enum Halt {
    /// An error of the program, for the model.
    Error(String),
    /// The journal is not kept, or the decision does not count.
    Fault(Box<Fault>),
    /// Nothing goes on before a person has decided.
    Waits,
}

impl From<String> for Halt {
    fn from(error: String) -> Self {
        Self::Error(error)
    }
}

/// The parts of a run.
pub(crate) struct Start<'a> {
    pub(crate) functions: Functions<'a>,
    pub(crate) limits: CodeLimits,
    pub(crate) journal: ProgramJournal,
    pub(crate) keeper: Keeper,
    pub(crate) resumption: Option<&'a Resumption>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(call: &'a Call<'a>, start: Start<'a>) -> Self {
        let Start { functions, limits, journal, keeper, resumption } = start;
        Self {
            call,
            executor: functions.executor,
            functions,
            callees: BTreeMap::new(),
            sessions: BTreeMap::new(),
            limits,
            deadline: call.deadline_within(limits.timeout),
            n_recorded: journal.events.len(),
            n_repeated: 0,
            has_caught_up: false,
            journal,
            keeper,
            resumption,
            queue: CallQueue::default(),
            running: FuturesUnordered::new(),
            ready: VecDeque::new(),
            refusal: None,
            computed: Duration::ZERO,
        }
    }

    /// Runs the code to its end, or until it waits for a person.
    pub(crate) async fn run(&mut self, worker: &mut Worker) -> RunEnd {
        let ended = match self.follow_worker(worker).await {
            Ok(end) => {
                self.finish_calls().await.map(|()| end.with_truncated_texts(self.limits.output))
            }
            Err(halt) => Err(halt),
        };
        match ended {
            Ok(end) => RunEnd::Ended { end, is_clean: worker.has_no_unread_output() },
            Err(Halt::Error(error)) => {
                RunEnd::Ended { end: End { error, ..End::default() }, is_clean: false }
            }
            Err(Halt::Fault(fault)) => RunEnd::Failed(fault),
            Err(Halt::Waits) => self.keep_until_decided().await,
        }
    }

    /// The journal as it is now.
    pub(crate) fn journal(&self) -> &ProgramJournal {
        &self.journal
    }

    /// The journal of a program that has ended.
    pub(crate) fn into_journal(self) -> ProgramJournal {
        self.journal
    }

    /// Keeps the result of a program that has waited: a repeated decision gets it.
    pub(crate) async fn keep_result(&mut self, result: &Value) -> Result<(), Box<Fault>> {
        if !self.keeper.has_waited_before() {
            return Ok(());
        }
        self.record_called_tools();
        self.journal.result = Some(result.clone());
        self.keeper.keep_journal(&self.journal).await
    }

    /// Follows the worker until the program ends.
    ///
    /// # Errors
    /// The reason why it has no end of its own.
    async fn follow_worker(&mut self, worker: &mut Worker) -> Result<End, Halt> {
        let CodeLimits { memory, output, time, .. } = self.limits;
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (number, code) = (worker.program_number(), self.journal.code.clone());
        self.send_in_time(worker, &Order::Run { number, code, memory, output, time_ms }).await?;
        let mut waits = false;
        loop {
            if self.has_repeated_all() {
                self.resume_unfinished_calls().await?;
                self.begin_queued_calls().await?;
            }
            while waits && let Some(Some(ended)) = self.running.next().now_or_never() {
                self.record_call_result(ended).await?;
            }
            if waits && let Some(number) = self.next_answered_call()? {
                waits = false;
                self.send_answers(worker, number).await?;
                continue;
            }
            if waits && self.is_waiting_for_person() {
                return Err(Halt::Waits);
            }
            match self.next_step(worker, waits).await {
                Step::Ended(ended) => self.record_call_result(*ended).await?,
                Step::Late if Instant::now() >= self.deadline => {
                    return Err(self.timeout_error_text().into());
                }
                Step::Late => return Err(time_text(self.limits.time).into()),
                Step::Stuck => return Err(self.worker_failure_text(Broken::Malformed).into()),
                Step::Reported(Err(broken)) => return Err(self.worker_failure_text(broken).into()),
                Step::Reported(Ok(report)) => match self.react_to(worker, number, report).await? {
                    Reaction::End(end) => return Ok(end),
                    Reaction::GoesOn => {}
                    Reaction::Waits => waits = true,
                },
            }
        }
    }

    async fn react_to(
        &mut self,
        worker: &mut Worker,
        number: u64,
        report: Report,
    ) -> Result<Reaction, Halt> {
        match report {
            Report::End(ended, end) if ended == number => {
                self.check_no_early_end()?;
                return Ok(Reaction::End(end));
            }
            // The end of an earlier program.
            Report::End(..) => return Err(self.worker_failure_text(Broken::Malformed).into()),
            Report::Wait => return Ok(Reaction::Waits),
            Report::Lookup(name) => {
                let meaning = self.recorded_or_new_meaning(&name);
                self.send_in_time(worker, &Order::Named(meaning)).await?;
            }
            Report::Call { number, name, positional, named } => {
                let asked = Asked { name, positional, named };
                self.take_call(number, asked)?;
            }
        }
        Ok(Reaction::GoesOn)
    }

    async fn next_step(&mut self, worker: &mut Worker, waits: bool) -> Step {
        if waits && self.running.is_empty() {
            return Step::Stuck;
        }
        let began = Instant::now();
        let left = self.limits.time.saturating_add(GRACE).saturating_sub(self.computed);
        let until = if waits { self.deadline } else { self.deadline.min(began + left) };
        if began >= until {
            return Step::Late;
        }
        let step = tokio::select! {
            // What is there needs no timer.
            biased;
            report = worker.receive_report(), if !waits => Step::Reported(report),
            Some(ended) = self.running.next() => Step::Ended(Box::new(ended)),
            () = sleep_until(until) => Step::Late,
        };
        if !waits {
            self.computed = self.computed.saturating_add(began.elapsed());
        }
        step
    }

    /// Gives the code the answer of a call, with those that follow: it takes them one after the other, as if each came by itself.
    async fn send_answers(&mut self, worker: &mut Worker, first: usize) -> Result<(), Halt> {
        let mut next = Some(first);
        let (mut answers, mut size) = (Vec::new(), 0_usize);
        while let Some(number) = next {
            let answer = self.recorded_answer(number)?;
            size = size.saturating_add(estimated_answer_size(&answer));
            answers.push(Order::Answer { number: number as u64, answer });
            let is_full = size > MOST_TOGETHER || !self.is_next_event_answer();
            next = if is_full { None } else { self.next_answered_call()? };
        }
        let last = answers.len().saturating_sub(1);
        let mut order = Order::Answers(answers);
        if self.send_in_time(worker, &order).await? {
            return Ok(());
        }
        // Only the last one may be large.
        if let Order::Answers(answers) = &mut order
            && let Some(Order::Answer { answer, .. }) = answers.get_mut(last)
        {
            *answer = Err(call_exception(
                "response_too_large",
                "the result is larger than code may have",
            ));
        }
        self.send_in_time(worker, &order).await?;
        Ok(())
    }

    fn recorded_answer(&mut self, number: usize) -> Result<CallAnswer, Halt> {
        self.journal.answer(number).ok_or_else(|| {
            let writes = self.journal.writes_text();
            let error = "journal_full: not all answers were recorded, so that the program cannot go on; writes already made";
            Halt::Error(format!("{error}: {writes}"))
        })
    }

    /// Sends an order to a worker, which waits for it: one that does not read has no more time than for its code.
    async fn send_in_time(&mut self, worker: &mut Worker, order: &Order) -> Result<bool, String> {
        let patience = self.limits.time.saturating_add(GRACE);
        let until = self.deadline.min(Instant::now() + patience);
        tokio::select! {
            biased;
            sent = worker.send_order(order) => sent.map_err(|broken| self.worker_failure_text(broken)),
            () = sleep_until(until) => Err(time_text(self.limits.time)),
        }
    }

    fn timeout_error_text(&self) -> String {
        let seconds = self.call.duration_within(self.limits.timeout).as_secs_f64();
        format!("TimeoutError: the program and its calls took longer than {seconds} s")
    }

    fn worker_failure_text(&self, broken: Broken) -> String {
        match broken {
            Broken::Ended => {
                let mib = self.limits.memory >> 20;
                format!(
                    "MemoryError: the program was ended: it took more than {mib} MiB of memory, or nested too deeply"
                )
            }
            Broken::Malformed => "SystemError: the interpreter failed".to_owned(),
        }
    }
}

/// A call as the code asks for it.
#[derive(Debug)]
struct Asked {
    name: Name,
    positional: Vec<Value>,
    named: Object,
}

/// The consequence of a report.
enum Reaction {
    End(End),
    GoesOn,
    Waits,
}

fn time_text(time: Duration) -> String {
    format!("TimeoutError: the program computed longer than {} s", time.as_secs_f64())
}

/// The bytes of answers that go to a worker at once; the last one may be larger.
const MOST_TOGETHER: usize = 1 << 20;
/// The time for a worker to notice that the code's is over.
const GRACE: Duration = Duration::from_secs(1);
