//! The calls of a program: as the code asks for them, on their way through the executor, and their ends.

use std::{mem, time::Duration};

use callgate_call::{Selection, wording::approval};
use callgate_executor::{Call, ClientAnswer, CoveredCall, Executor, PausableCall, Resumption};
use callgate_tool::{
    Effect, Event, Fault, FaultCode, Object, Outcome, Pending, PendingKind, ToolCall, ToolResult,
    Value, json,
};
use futures_util::StreamExt as _;
use tokio::time::{sleep, sleep_until};

use super::{Asked, EndedCall, Halt, Program, RunEnd, callee::Callee, queue::MOST_QUEUED, sign_in};
use crate::{
    arguments::tool_arguments,
    identity::add_missing_idempotency_key,
    journal::{AskedCall, CallApproval, CallState, MOST_BYTES, ProgramJournal},
    message::Raised,
    outcome::{Ended, call_exception, value_or_exception},
    worker::Broken,
};

/// The meaning of a call.
pub(super) enum Meant {
    Call(ToolCall),
    Value(Value),
}

impl<'a> Program<'a> {
    /// Takes a call of the code: it begins, or its exception waits for the code.
    ///
    /// # Errors
    /// The program has no end, for this reason.
    pub(super) fn take_call(&mut self, number: u64, asked: Asked) -> Result<(), Halt> {
        if !self.has_repeated_all() {
            return self.check_repeated_call(number, &asked);
        }
        let at = self.journal.calls.len();
        if number != at as u64 {
            return Err(self.worker_failure_text(Broken::Malformed).into());
        }
        let most = self.limits.calls;
        if at >= most.saturating_add(MOST_REFUSED) {
            return Err(format!("RuntimeError: the program made far more than {most} calls").into());
        }
        let Asked { name, positional, named } = &asked;
        let (name, positional, named) = (name.clone(), positional.clone(), named.clone());
        let (state, notes) = (CallState::Asked, Vec::new());
        let (tool, is_write) = (None, false);
        let approval = None;
        let call = AskedCall { name, positional, named, tool, is_write, state, approval, notes };
        self.journal.add_call(call);
        self.n_repeated = self.journal.events.len();
        let meant = if at < most {
            self.tool_call(at, asked)
        } else {
            Err(call_exception("too_many_calls", &format!("a program makes at most {most} calls")))
        };
        match meant {
            Ok(Meant::Call(call)) if !self.queue.has_room_for(&call) => {
                self.end_call(at, Ended::unsent("too_many_calls"), Err(queue_full()));
            }
            Ok(Meant::Call(call)) => self.queue.push(at, call),
            Ok(Meant::Value(value)) => self.end_call(at, Ended::Answered, Ok(value)),
            Err(raised) => self.end_call(at, Ended::unsent_failure_from(&raised), Err(raised)),
        }
        Ok(())
    }

    /// The call of a tool that the code means, by today's tools and rights.
    pub(super) fn tool_call(&mut self, number: usize, asked: Asked) -> Result<Meant, Raised> {
        let Asked { name, positional, named } = asked;
        let unknown = |text: String| call_exception("unknown_tool", &text);
        let invalid = |text: String| call_exception("invalid_arguments", &text);
        let (entry, schema) = match self.callee(&name).map_err(unknown)? {
            Callee::Search => {
                let question = positional.first().or_else(|| named.get("query"));
                let question = question.and_then(Value::as_str);
                let question = question.ok_or_else(|| invalid(SEARCH_TAKES.to_owned()))?;
                return Ok(Meant::Value(self.functions.search(question)));
            }
            Callee::Tool { entry, schema, .. } => (entry, schema),
        };
        let mut arguments = tool_arguments(&schema, positional, named).map_err(invalid)?;
        if entry.effect() != Effect::Read {
            add_missing_idempotency_key(&mut arguments, &schema, &self.journal.identity, number);
        }
        if let Some(call) = self.journal.calls.get_mut(number) {
            call.tool = Some(entry.name().to_string());
            call.is_write = entry.effect() != Effect::Read;
        }
        let position = self.journal.n_before.saturating_add(number).saturating_add(1);
        let id = format!("{}.{position}", self.call.id());
        Ok(Meant::Call(ToolCall::new(id, entry.name().as_str(), arguments)))
    }

    /// Begins calls, as many as may run together. What a write of a program sends that has waited is noted before.
    pub(super) async fn begin_queued_calls(&mut self) -> Result<(), Halt> {
        while self.running.len() < self.limits.parallel
            && let Some((number, asked)) = self.queue.pop()
        {
            let is_full = self.keeper.has_waited_before() && self.journal.is_full();
            let is_covered = self.cover_by_earlier_approval(number, &asked.tool);
            let Some(call) = self.journal.calls.get_mut(number) else { continue };
            let is_write = call.is_write;
            if is_write && is_full {
                self.end_call(number, Ended::unsent("journal_full"), Err(journal_full()));
                continue;
            }
            let state = if is_write { CallState::Begun } else { CallState::Asked };
            let waited = match mem::replace(&mut call.state, state) {
                CallState::Waiting(pending) => Some(pending),
                CallState::Asked | CallState::Begun | CallState::Ended(..) => None,
            };
            let answer = client_answer(self.resumption, waited.as_deref());
            if let (Some(waited), Some(_)) = (&waited, &answer) {
                // The client has run it: nothing is sent, and the same answer may come again.
                self.set_call_waiting(number, waited.clone());
            } else if is_write || is_covered {
                self.keep_journal().await?;
            }
            let call = self.executor_call(number, asked, waited.as_deref());
            let executor = self.executor;
            let running = async move {
                let result = match answer {
                    Some(answer) => executor.resume(call, answer).await,
                    None => Ok(call_retrying_approval(executor, call).await),
                };
                EndedCall { number, waited, result }
            };
            self.running.push(Box::pin(running));
        }
        Ok(())
    }

    fn executor_call(&self, number: usize, asked: ToolCall, waited: Option<&Pending>) -> Call<'a> {
        let (tool, outer) = (asked.tool.clone(), self.call);
        let call = outer.inner_call(asked).with_deadline(self.deadline);
        let mut call = call.with_whole(Selection::default());
        if !self.journal.is_full() {
            call = call.with_extension(PausableCall(self.decision_facts(number, &tool)));
        }
        let asked = self.journal.calls.get(number);
        if let Some(CallApproval::Covered(id)) = asked.and_then(|asked| asked.approval.as_ref()) {
            return call.with_extension(CoveredCall(id.clone()));
        }
        let Some(Resumption { pending, decided, .. }) = self.resumption else { return call };
        let is_meant = |it: &&Pending| {
            it.id == *pending && it.kind == PendingKind::Approval && !sign_in::is_sign_in(it)
        };
        match (waited.filter(is_meant), decided) {
            (None, _) => call,
            (Some(_), Some(decided)) => call.with_decided(decided.clone()),
            (Some(_), None) => call.with_approval(pending.as_str()),
        }
    }

    /// The facts about a call that a person sees who decides about it.
    pub(super) fn decision_facts(&self, number: usize, tool: &str) -> Object {
        let mut facts = Object::from([
            ("call", number.saturating_add(1).into()),
            ("lines", self.lines_naming_callee(number)),
            ("ran", self.journal.n_calls_that_reached(tool).into()),
        ]);
        if let n @ 1.. = self.n_further_covered_calls() {
            facts.insert("covers", n.into());
        }
        facts
    }

    /// The calls that an approval covers beside its own.
    fn n_further_covered_calls(&self) -> usize {
        self.functions.rules.per_approval.saturating_sub(1)
    }

    /// Notes that an approval of an earlier call of the tool covers this one, if one does. A call that waits is decided by itself.
    fn cover_by_earlier_approval(&mut self, number: usize, tool: &str) -> bool {
        let most = self.n_further_covered_calls();
        let covering = (most > 0).then(|| self.journal.covering_approval(tool, most)).flatten();
        let covering = covering.map(|id| CallApproval::Covered(id.to_owned()));
        let Some(call) = self.journal.calls.get_mut(number) else { return false };
        if call.approval.is_none() && call.state == CallState::Asked {
            call.approval = covering;
        }
        call.approval.is_some()
    }

    /// Notes what the approval of a call that waited covers, as the person was told. After a no, no earlier yes covers anything.
    fn record_cover(&mut self, number: usize, waited: Option<&Pending>, result: &ToolResult) {
        let Some(waited) = waited.filter(|waited| waited.kind == PendingKind::Approval) else {
            return;
        };
        if let Outcome::Failed(fault) = &result.outcome
            && fault.code == FaultCode::Rejected
        {
            return self.journal.end_tool_approvals(number);
        }
        let covers = waited.request.pointer("/program/covers").and_then(Value::as_u64);
        let covers = covers.and_then(|covers| usize::try_from(covers).ok()).unwrap_or_default();
        let is_approved = result.journal.events().contains(&Event::Approved);
        if let Some(call) = self.journal.calls.get_mut(number).filter(|_| is_approved && covers > 0)
        {
            call.approval = Some(CallApproval::Given { id: waited.id.clone(), covers });
        }
    }

    /// Takes the end of a call. That of a write of a program that has waited is noted.
    pub(super) async fn record_call_result(&mut self, ended: EndedCall) -> Result<(), Halt> {
        let EndedCall { number, waited, result } = ended;
        let mut result = match result {
            Ok(result) => result,
            Err(fault) => {
                // The client's answer is none of its function: the call still waits.
                self.refusal = Some(fault);
                return Ok(());
            }
        };
        let mut notes = result.notes().unwrap_or_default();
        self.record_cover(number, waited.as_deref(), &result);
        if let Some(pending) = self.awaited_sign_in(number, waited.as_deref(), &result.outcome) {
            result.outcome = Outcome::Pending(pending);
            self.journal.remove_covering_approval(number);
        }
        let is_write = self.journal.calls.get(number).is_some_and(|call| call.is_write);
        match (&result.outcome, waited) {
            (Outcome::Pending(pending), _) => self.set_call_waiting(number, pending.clone()),
            (Outcome::Failed(fault), Some(waited)) if leaves_waiting(fault) => {
                self.refusal = Some(fault.clone());
                self.set_call_waiting(number, waited);
            }
            (Outcome::Failed(fault), Some(_)) if fault.code == FaultCode::UnknownApproval => {
                // The approval has expired: a person is asked again.
                if let Some(call) = self.journal.calls.get_mut(number) {
                    call.state = CallState::Asked;
                }
                self.queue_unanswered_call(number);
            }
            (Outcome::Failed(fault), _)
                if fault.code == FaultCode::NeedsApproval && self.journal.is_full() =>
            {
                self.end_call(number, Ended::unsent("journal_full"), Err(journal_full()));
            }
            _ => {
                let (answer, ended) = value_or_exception(&result);
                self.end_call(number, ended, answer);
            }
        }
        if let Some(call) = self.journal.calls.get_mut(number) {
            if let Some(CallApproval::Covered(id)) = &call.approval {
                notes.push(format!("the approval `{id}` of an earlier call covers this one"));
            }
            call.notes = notes;
        }
        if is_write { self.keep_journal().await } else { Ok(()) }
    }

    pub(super) fn end_call(&mut self, number: usize, ended: Ended, answer: Result<Value, Raised>) {
        self.journal.end_call(number, ended, answer);
        self.ready.push_back(number);
    }

    fn set_call_waiting(&mut self, number: usize, pending: Box<Pending>) {
        if let Some(call) = self.journal.calls.get_mut(number) {
            call.state = CallState::Waiting(pending);
        }
    }

    /// True if calls wait for a person, and nothing else is under way.
    pub(super) fn is_waiting_for_person(&self) -> bool {
        self.has_repeated_all()
            && self.running.is_empty()
            && self.queue.is_empty()
            && self.journal.waiting_calls().next().is_some()
    }

    /// Lets the calls end that the code does not wait for.
    pub(super) async fn finish_calls(&mut self) -> Result<(), Halt> {
        loop {
            self.begin_queued_calls().await?;
            let ended = tokio::select! {
                ended = self.running.next() => ended,
                () = sleep_until(self.deadline) => None,
            };
            match ended {
                Some(ended) => self.record_call_result(ended).await?,
                None if self.is_waiting_for_person() => return Err(Halt::Waits),
                None => return Ok(()),
            }
        }
    }

    /// Keeps the journal of a program that has waited.
    pub(super) async fn keep_journal(&mut self) -> Result<(), Halt> {
        if self.keeper.has_waited_before() {
            self.record_called_tools();
        }
        self.keeper.keep_journal(&self.journal).await.map_err(Halt::Fault)
    }

    /// Keeps the program until a person has decided about all calls that wait.
    pub(super) async fn keep_until_decided(&mut self) -> RunEnd {
        self.record_called_tools();
        if let Err(fault) = self.keeper.keep_waiting(self.call, &self.journal).await {
            return RunEnd::Failed(fault);
        }
        match (self.refusal.take(), first_pending_with_others(&self.journal)) {
            (Some(fault), _) => RunEnd::Failed(fault),
            (None, Some(pending)) => RunEnd::Waits(pending),
            (None, None) => RunEnd::Failed(approval::unknown()),
        }
    }
}

/// Makes a call. One that needs an approval where approvals cannot be read or kept now is made again after a moment: nothing was sent.
async fn call_retrying_approval(executor: &Executor, call: Call<'_>) -> ToolResult {
    for _ in 0..ATTEMPTS {
        let result = executor.call_with(call.reborrow()).await;
        let wait = match &result.outcome {
            Outcome::Failed(fault) if fault.code == FaultCode::NeedsApproval => fault.retry_after,
            Outcome::Answered(_)
            | Outcome::Failed(_)
            | Outcome::Pending(_)
            | Outcome::Planned(_) => None,
        };
        let Some(wait) = wait else { return result };
        sleep(wait.clamp(Duration::from_millis(200), Duration::from_secs(2))).await;
    }
    executor.call_with(call).await
}

/// The first call that waits, with all that do.
pub(crate) fn first_pending_with_others(journal: &ProgramJournal) -> Option<Box<Pending>> {
    let waiting = journal.waiting_calls().map(|(number, call, pending)| {
        json!({
            "id": pending.id.as_str(), "call": number.saturating_add(1), "tool": call.tool.clone(),
            "lines": request_member(pending, "/program/lines"), "digest": request_member(pending, "/program/digest"),
        })
    });
    let waiting = Value::Array(waiting.collect());
    let (.., first) = journal.waiting_calls().next()?;
    let mut pending = Box::new(first.clone());
    if let Some(Value::Object(program)) = pending.request.get_mut("program") {
        program.insert("waiting", waiting);
    }
    Some(pending)
}

fn request_member(pending: &Pending, pointer: &str) -> Value {
    pending.request.pointer(pointer).cloned().unwrap_or_default()
}

/// The answer of the client, if it is that to this call.
fn client_answer(
    resumption: Option<&Resumption>,
    waited: Option<&Pending>,
) -> Option<ClientAnswer> {
    let waited = waited.filter(|waited| waited.kind == PendingKind::Client)?;
    resumption.filter(|it| it.pending == waited.id)?.answer.clone()
}

/// True if a decision does not count, and its call still waits.
fn leaves_waiting(fault: &Fault) -> bool {
    matches!(fault.code, FaultCode::NeedsApproval | FaultCode::StillRunning)
}

fn journal_full() -> Raised {
    let most = MOST_BYTES >> 20;
    let text = format!(
        "the program has had more than {most} MiB of answers, and can no longer wait; nothing was sent"
    );
    call_exception("journal_full", &text)
}

fn queue_full() -> Raised {
    let most = MOST_QUEUED >> 20;
    let text = format!(
        "the calls that have not begun yet have more than {most} MiB of arguments; nothing was sent: await some of them first"
    );
    call_exception("too_many_calls", &text)
}

/// The attempts at a call before the last one, while approvals cannot be read.
const ATTEMPTS: usize = 8;
/// The calls beyond the limit of a program that are refused one by one.
const MOST_REFUSED: usize = 1000;
const SEARCH_TAKES: &str = "search() takes a text: what the function is for";
