//! The tools that search and read a collection. The conditions of the operator come from the session of the call and bind both: for
//! whom a document is not admitted, it does not exist.

use std::{
    fmt,
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::{Backend, Call};
use callgate_session::{FairQueue, QueueBounds};
use callgate_tool::{
    Arguments, Fault, FingerprintHasher, Journal, Object, Outcome, Preview, Principal, Session,
    Tool, Value,
};
use tokio::{task::spawn_blocking, time::timeout_at};

use crate::{
    collection::{Collection, Excerpt, LineRange},
    declaration::DEFAULT_SNIPPETS,
    filter::Filter,
    settings::BoundCondition,
};

/// A tool over a collection.
pub(crate) struct DocumentsTool {
    pub(crate) tool: Tool,
    pub(crate) action: Action,
    pub(crate) shared: Arc<Shared>,
}

/// The parts that both tools of a collection share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) toolset: String,
    pub(crate) collection: Arc<Collection>,
    pub(crate) bound: Vec<BoundCondition>,
    /// The name of the search, for messages.
    pub(crate) search: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Action {
    Read,
    Search,
}

impl DocumentsTool {
    fn timeout_outcome(&self, call: &Call<'_>) -> Outcome {
        Outcome::Failed(wording::timed_out(call.duration_within(LIMIT), self.tool.effect))
    }

    /// The work of a call, whose arguments and session were looked at: it only reads files and the index.
    fn prepared_work(
        &self,
        call: &Call<'_>,
    ) -> Result<impl FnOnce() -> Outcome + Send + 'static, Box<Fault>> {
        let (shared, action) = (Arc::clone(&self.shared), self.action);
        let filter = shared.call_filter(call)?;
        let arguments = call.arguments().clone();
        Ok(move || {
            let outcome = match action {
                Action::Read => shared.read_document(&arguments, &filter),
                Action::Search => shared.search_documents(&arguments, &filter),
            };
            if shared.collection.is_folder_unreadable() {
                return wording::documents::unavailable().into();
            }
            outcome
        })
    }
}

impl Shared {
    fn call_filter(&self, call: &Call<'_>) -> Result<Filter, Box<Fault>> {
        let bound = Filter::for_session(&self.bound, call.session())?;
        match call.arguments().get("where").and_then(Value::as_object) {
            Some(conditions) => bound.with_conditions(conditions),
            None => Ok(bound),
        }
    }

    fn search_documents(&self, arguments: &Arguments, filter: &Filter) -> Outcome {
        let mut question = text_argument(arguments, "query").to_owned();
        let also = arguments.get("also").and_then(Value::as_array);
        for words in also.into_iter().flatten().filter_map(Value::as_str) {
            question.push('\n');
            question.push_str(words);
        }
        let limit = number_argument(arguments, "limit").unwrap_or(DEFAULT_SNIPPETS);
        let limit = limit.clamp(1, self.collection.limits().snippets.max(1));
        let search_result = self.collection.search(&question, limit, filter);
        let snippets =
            search_result.snippets.iter().map(crate::snippet::Snippet::to_value).collect();
        let result =
            [("snippets", Value::Array(snippets)), ("more", Value::Bool(search_result.more))];
        Value::Object(Object::from(result)).into()
    }

    fn read_document(&self, arguments: &Arguments, filter: &Filter) -> Outcome {
        let document = text_argument(arguments, "document");
        let from = number_argument(arguments, "from").unwrap_or(1).max(1);
        let wanted = LineRange {
            from,
            to: number_argument(arguments, "to").unwrap_or(usize::MAX).max(from),
        };
        match self.collection.read_lines(document, wanted, filter) {
            Some(Ok(excerpt)) => excerpt_value(document, &excerpt).into(),
            Some(Err(n_lines)) => {
                wording::documents::line_past_end(u64::try_from(from).unwrap_or(u64::MAX), n_lines)
                    .into()
            }
            None => wording::documents::unknown_document(document, &self.search).into(),
        }
    }
}

fn excerpt_value(document: &str, excerpt: &Excerpt) -> Value {
    let LineRange { from, to } = excerpt.lines;
    let mut members = Object::from([("title", excerpt.title.as_str().into())]);
    members.insert_if_some("uri", excerpt.uri.as_deref());
    for (name, value) in [
        ("text", excerpt.text.as_str().into()),
        ("document", document.into()),
        ("from", from.into()),
        ("to", to.into()),
        ("lines", excerpt.n_lines.into()),
        ("digest", excerpt.digest.as_str().into()),
        ("more", Value::Bool(to < excerpt.n_lines)),
    ] {
        members.insert(name, value);
    }
    if excerpt.is_cut {
        members.insert("cut", Value::Bool(true));
    }
    Value::Object(members)
}

fn text_argument<'a>(arguments: &'a Arguments, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number_argument(arguments: &Arguments, name: &str) -> Option<usize> {
    let value = arguments.get(name)?;
    let number = value.as_u64().or_else(|| whole_number(value.as_f64()?));
    number.map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// A number such as `5.0`, which is an integer in JSON Schema.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in the range")]
fn whole_number(number: f64) -> Option<u64> {
    (0.0..1e15).contains(&number).then_some(number as u64)
}

#[async_trait]
impl Backend for DocumentsTool {
    callgate_executor::of_tool!(tool, shared.toolset);

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        for condition in &self.shared.bound {
            hasher.add_source_value(&condition.value, session);
        }
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        self.shared.call_filter(call)?;
        let arguments = Value::Object(call.arguments().clone());
        let action = match self.action {
            Action::Read => "reads a document",
            Action::Search => "searches the documents",
        };
        Ok(Preview::Text(format!("{action} by `{}` with {arguments}", self.tool.name)))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        let work = match self.prepared_work(call) {
            Ok(work) => work,
            Err(fault) => return fault.into(),
        };
        let deadline = call.deadline_within(LIMIT);
        let principal = call.principal().map_or("", Principal::id);
        let permit = match timeout_at(deadline, WORKERS.enter(principal, 1)).await {
            Ok(Some(permit)) => permit,
            Ok(None) => return wording::around::overload(Duration::from_secs(1)).into(),
            Err(_) => return self.timeout_outcome(call),
        };
        // The work goes on behind a deadline, and counts for as long.
        let work = move || {
            let outcome = work();
            drop(permit);
            outcome
        };
        match timeout_at(deadline, spawn_blocking(work)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => wording::documents::unavailable().into(),
            Err(_) => self.timeout_outcome(call),
        }
    }
}

impl fmt::Debug for DocumentsTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentsTool").field("tool", &self.tool).finish_non_exhaustive()
    }
}

/// The threads that work for calls: few of those that the process may have, as others read files and databases with them.
static WORKERS: LazyLock<FairQueue> =
    LazyLock::new(|| FairQueue::new(QueueBounds { units: 16, each: 8, waiting: 4096 }));
/// The time limit of a call. A search takes microseconds; a folder that many files of have changed takes seconds.
const LIMIT: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
