//! One program with its calls: what the worker reports is judged here, calls run side by side through the executor, and results go in
//! when the code waits for them.

use std::{collections::VecDeque, time::Duration};

use callgate_call::Selection;
use callgate_executor::{Call, Executor};
use callgate_tool::{Arguments, Object, ToolCall, ToolResult, Value};
use futures_util::{StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::time::{Instant, sleep_until};

use crate::{
    arguments::tool_arguments,
    functions::{Function, Functions},
    message::{End, Name, Order, Raised, Report},
    outcome::{CallRecord, Ended, code_value, raised},
    settings::CodeLimits,
    worker::{Broken, Worker},
};

/// A program under way.
pub(crate) struct Program<'a> {
    call: &'a Call<'a>,
    executor: &'a Executor,
    functions: Functions<'a>,
    limits: CodeLimits,
    deadline: Instant,
    /// The calls that begin when others end, by their numbers.
    queue: VecDeque<(u64, usize, ToolCall)>,
    running: FuturesUnordered<BoxFuture<'a, EndedCall>>,
    /// The results that the code has not taken.
    results: VecDeque<(u64, Result<Value, Raised>)>,
    records: Vec<CallRecord>,
    n_calls: u64,
    /// The time that the code has computed.
    computed: Duration,
}

/// The end of a program.
#[derive(Debug)]
pub(crate) struct ProgramEnd {
    pub(crate) end: End,
    pub(crate) records: Vec<CallRecord>,
    /// True if the worker may run another program.
    pub(crate) is_clean: bool,
}

/// A call that has ended, by its number and the index of its record.
#[derive(Debug)]
struct EndedCall {
    number: u64,
    record: usize,
    result: ToolResult,
}

/// A step of a program.
enum Step {
    Ended(Box<EndedCall>),
    Late,
    Reported(Result<Report, Broken>),
    Stuck,
}

impl<'a> Program<'a> {
    pub(crate) fn new(
        call: &'a Call<'a>,
        executor: &'a Executor,
        functions: Functions<'a>,
        limits: CodeLimits,
    ) -> Self {
        Self {
            call,
            executor,
            functions,
            limits,
            deadline: call.deadline_within(limits.timeout),
            queue: VecDeque::new(),
            running: FuturesUnordered::new(),
            results: VecDeque::new(),
            records: Vec::new(),
            n_calls: 0,
            computed: Duration::ZERO,
        }
    }

    /// Runs the code to its end.
    pub(crate) async fn run(mut self, worker: &mut Worker, code: &str) -> ProgramEnd {
        let ended = self.follow(worker, code).await;
        let (error, is_clean) = match ended {
            Ok(end) => {
                self.finish_calls().await;
                let end = end.within(self.limits.output);
                return ProgramEnd { end, records: self.records, is_clean: worker.is_silent() };
            }
            Err(error) => (error, false),
        };
        let end = End { error, ..End::default() };
        ProgramEnd { end, records: self.records, is_clean }
    }

    /// Follows the worker until the program ends.
    ///
    /// # Errors
    /// The reason why it has no end of its own, for the model.
    async fn follow(&mut self, worker: &mut Worker, code: &str) -> Result<End, String> {
        let CodeLimits { memory, output, time, .. } = self.limits;
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let number = worker.number();
        let run = Order::Run { number, code: code.to_owned(), memory, output, time_ms };
        self.send(worker, &run).await?;
        let mut waits = false;
        loop {
            self.begin_calls();
            if waits && let Some((number, answer)) = self.results.pop_front() {
                waits = false;
                self.answer(worker, number, answer).await?;
                continue;
            }
            match self.next_step(worker, waits).await {
                Step::Ended(ended) => self.take_result(*ended),
                Step::Late if Instant::now() >= self.deadline => return Err(self.late_text()),
                Step::Late => return Err(time_text(self.limits.time)),
                Step::Stuck => return Err(self.broken_text(Broken::Malformed)),
                Step::Reported(Err(broken)) => return Err(self.broken_text(broken)),
                Step::Reported(Ok(Report::End(ended, end))) if ended == number => return Ok(end),
                // The end of an earlier program.
                Step::Reported(Ok(Report::End(..))) => {
                    return Err(self.broken_text(Broken::Malformed));
                }
                Step::Reported(Ok(Report::Wait)) => waits = true,
                Step::Reported(Ok(Report::Lookup(name))) => {
                    let meaning = self.functions.meaning(&name);
                    self.send(worker, &Order::Named(meaning)).await?;
                }
                Step::Reported(Ok(Report::Call { number, name, positional, named })) => {
                    self.add_call(number, &name, positional, named)?;
                }
            }
        }
    }

    async fn next_step(&mut self, worker: &mut Worker, waits: bool) -> Step {
        if waits && self.running.is_empty() {
            return Step::Stuck;
        }
        let began = Instant::now();
        let left = self.limits.time.saturating_add(GRACE).saturating_sub(self.computed);
        let until = if waits { self.deadline } else { self.deadline.min(began + left) };
        let step = tokio::select! {
            report = worker.next_report(), if !waits => Step::Reported(report),
            Some(ended) = self.running.next() => Step::Ended(Box::new(ended)),
            () = sleep_until(until) => Step::Late,
        };
        if !waits {
            self.computed = self.computed.saturating_add(began.elapsed());
        }
        step
    }

    /// Begins calls, as many as may run together.
    fn begin_calls(&mut self) {
        while self.running.len() < self.limits.parallel
            && let Some((number, record, asked)) = self.queue.pop_front()
        {
            let call = self.call.inner_call(asked).with_deadline(self.deadline);
            let call = call.with_whole(Selection::default());
            let executor = self.executor;
            let running = async move {
                let result = executor.call_with(call).await;
                EndedCall { number, record, result }
            };
            self.running.push(Box::pin(running));
        }
    }

    /// Takes a call of the code: it begins, or its exception waits for the code.
    ///
    /// # Errors
    /// The program has no end, for this reason.
    fn add_call(
        &mut self,
        number: u64,
        name: &Name,
        positional: Vec<Value>,
        named: Object,
    ) -> Result<(), String> {
        if number != self.n_calls {
            return Err(self.broken_text(Broken::Malformed));
        }
        self.n_calls += 1;
        let most = self.limits.calls as u64;
        if number >= most.saturating_add(MOST_REFUSED) {
            return Err(format!("RuntimeError: the program made far more than {most} calls"));
        }
        if number >= most {
            let text = format!("a program makes at most {most} calls");
            self.results.push_back((number, Err(raised("too_many_calls", &text))));
            return Ok(());
        }
        match self.asked_call(number, name, positional, named) {
            Ok(Asked::Call(asked)) => {
                let (tool, ended) = (asked.tool.clone(), Ended::Left);
                self.records.push(CallRecord { tool, ended, notes: Vec::new() });
                self.queue.push_back((number, self.records.len() - 1, asked));
            }
            Ok(Asked::Value(value)) => self.results.push_back((number, Ok(value))),
            Err(raised) => self.results.push_back((number, Err(raised))),
        }
        Ok(())
    }

    fn asked_call(
        &self,
        number: u64,
        name: &Name,
        positional: Vec<Value>,
        named: Object,
    ) -> Result<Asked, Raised> {
        let unknown = |text: String| raised("unknown_tool", &text);
        let invalid = |text: String| raised("invalid_arguments", &text);
        match self.functions.find(name).map_err(unknown)? {
            Function::Search => {
                let question = positional.first().or_else(|| named.get("query"));
                let question = question.and_then(Value::as_str);
                let question = question.ok_or_else(|| invalid(SEARCH_TAKES.to_owned()))?;
                Ok(Asked::Value(self.functions.search(question)))
            }
            Function::Tool(entry) => {
                let schema = entry.declaration().map(|tool| tool.input_schema.to_value());
                let arguments: Arguments =
                    tool_arguments(&schema.unwrap_or_default(), positional, named)
                        .map_err(invalid)?;
                let id = format!("{}.{}", self.call.id(), number.saturating_add(1));
                Ok(Asked::Call(ToolCall::new(id, entry.name().as_str(), arguments)))
            }
        }
    }

    fn take_result(&mut self, EndedCall { number, record, result }: EndedCall) {
        let (value, ended) = code_value(&result);
        if let Some(record) = self.records.get_mut(record) {
            record.ended = ended;
            record.notes = result.notes().unwrap_or_default();
        }
        self.results.push_back((number, value));
    }

    /// Lets the calls end that the code does not wait for.
    async fn finish_calls(&mut self) {
        loop {
            self.begin_calls();
            tokio::select! {
                ended = self.running.next() => match ended {
                    Some(ended) => self.take_result(ended),
                    None => return,
                },
                () = sleep_until(self.deadline) => return,
            }
        }
    }

    async fn answer(
        &mut self,
        worker: &mut Worker,
        number: u64,
        answer: Result<Value, Raised>,
    ) -> Result<(), String> {
        if self.send(worker, &Order::Answer { number, answer }).await? {
            return Ok(());
        }
        let answer = Err(raised("response_too_large", "the result is larger than code may have"));
        self.send(worker, &Order::Answer { number, answer }).await.map(drop)
    }

    /// Sends an order to a worker, which waits for it: one that does not read has no more time than for its code.
    async fn send(&mut self, worker: &mut Worker, order: &Order) -> Result<bool, String> {
        let patience = self.limits.time.saturating_add(GRACE);
        let until = self.deadline.min(Instant::now() + patience);
        tokio::select! {
            sent = worker.send(order) => sent.map_err(|broken| self.broken_text(broken)),
            () = sleep_until(until) => Err(time_text(self.limits.time)),
        }
    }

    fn late_text(&self) -> String {
        let seconds = self.limits.timeout.as_secs_f64();
        format!("TimeoutError: the program and its calls took longer than {seconds} s")
    }

    fn broken_text(&self, broken: Broken) -> String {
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

/// The meaning of a call.
enum Asked {
    Call(ToolCall),
    Value(Value),
}

fn time_text(time: Duration) -> String {
    format!("TimeoutError: the program computed longer than {} s", time.as_secs_f64())
}

/// The time for a worker to notice that the code's is over.
const GRACE: Duration = Duration::from_secs(1);
/// The calls beyond the limit of a program that are refused one by one.
const MOST_REFUSED: u64 = 1000;
const SEARCH_TAKES: &str = "search() takes a text: what the function is for";
