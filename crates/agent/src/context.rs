//! The surroundings of a turn: for whom it runs, with which values, and who watches it.

use std::{collections::BTreeSet, io, sync::Arc};

use callgate_executor::{
    AnswersPrograms, AnswersSignIns, Call, CallRights, Stop, TraceContext, Watcher,
};
use callgate_policy::{AskAtLeast, Confirm};
use callgate_tool::{Principal, Session, ToolCall, ToolResult};
use tokio::time::Instant;

use crate::{
    error::{self, Error},
    rounds::Rounds,
    transcript::Transcript,
};

/// The caller of a turn and its surroundings.
///
/// ```
/// use callgate_agent::{TurnContext, TurnEvent};
/// use callgate_tool::{Principal, Session};
///
/// let context = TurnContext::new(Session::new("s-1"))
///     .with_principal(Principal::new("kim"))
///     .with_events(|event| {
///         if let TurnEvent::Call(call) = event {
///             println!("calls {}", call.tool);
///         }
///     });
/// ```
#[derive(Clone)]
pub struct TurnContext {
    pub(crate) session: Session,
    principal: Option<Principal>,
    pub(crate) rights: CallRights,
    pub(crate) stop: Stop,
    trace: Option<TraceContext>,
    events: Option<Arc<Events>>,
    keep: Option<Arc<Keep>>,
    pub(crate) rounds: Option<Arc<dyn Rounds>>,
    watchers: Option<Arc<Watchers>>,
    beginning: Option<Arc<Beginning>>,
}

type Keep = dyn Fn(&Transcript) -> io::Result<()> + Send + Sync;

type Watchers = dyn Fn(&ToolCall) -> Arc<dyn Watcher> + Send + Sync;

type Beginning = dyn Fn(&Transcript) + Send + Sync;

type Events = dyn Fn(&TurnEvent<'_>) + Send + Sync;

/// An event of a turn, shown while it runs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TurnEvent<'a> {
    /// The turn begins: its input fits, and nothing was done yet.
    Begun,
    /// A call begins.
    Call(&'a ToolCall),
    /// A call has its result, or waits.
    Result(&'a ToolResult),
    /// A stream broke off after these words of it were shown, and its request is sent again: the words do not count.
    Retry(&'a str),
    /// Words of the model for the user: all of a reply, or a piece of one that is streamed.
    Text(&'a str),
}

impl TurnContext {
    /// A turn whose calls run in a session, for nobody in particular.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            principal: None,
            rights: CallRights::default(),
            stop: Stop::default(),
            trace: None,
            events: None,
            keep: None,
            rounds: None,
            watchers: None,
            beginning: None,
        }
    }

    callgate_tool::setters! {
        /// Sets the caller.
        pub fn with_principal(principal: Principal) = Some(principal);
        /// Lets the turn use tools by these rights alone, which are asked at the moment of each call.
        #[doc(hidden)]
        pub fn with_rights(rights: CallRights) = rights;
        /// Ends the turn, and its calls, once this stops.
        pub fn with_stop(stop: Stop) = stop;
        /// Makes the calls a part of a trace.
        pub fn with_trace(trace: TraceContext) = Some(trace);
        /// Shows what happens to a function, which must not wait.
        pub fn with_events(events: impl Fn(&TurnEvent<'_>) + Send + Sync + 'static) =
            Some(Arc::new(events));
        /// Keeps the transcript with a function, before each call that is made and after each round. A call whose transcript is
        /// not kept is not made.
        pub fn with_keeping(keep: impl Fn(&Transcript) -> io::Result<()> + Send + Sync + 'static) =
            Some(Arc::new(keep));
        /// Lets a program see each round before and after, and end the turn there.
        pub fn with_rounds(rounds: impl Rounds + 'static) = Some(Arc::new(rounds));
        /// Gives each call a watcher, which sees its requests and the heads of their responses.
        pub fn with_watchers(watchers: impl Fn(&ToolCall) -> Arc<dyn Watcher> + Send + Sync + 'static) =
            Some(Arc::new(watchers));
        /// Shows the kept transcript before the turn to a function, which must not wait.
        #[doc(hidden)]
        pub fn with_beginning(beginning: impl Fn(&Transcript) + Send + Sync + 'static) =
            Some(Arc::new(beginning));
    }

    /// Lets the turn use tools of these toolsets alone, whatever the agent offers.
    #[must_use]
    pub fn with_toolsets(mut self, toolsets: Arc<BTreeSet<String>>) -> Self {
        self.rights = CallRights::of_toolsets(Some(toolsets));
        self
    }

    pub(crate) fn show_beginning(&self, transcript: &Transcript) {
        if let Some(beginning) = &self.beginning {
            beginning(transcript);
        }
    }

    pub(crate) fn keep_transcript(&self, transcript: &Transcript) -> Result<(), Error> {
        match &self.keep {
            Some(keep) => keep(transcript).map_err(error::store_error),
            None => Ok(()),
        }
    }

    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    pub(crate) fn show_event(&self, event: TurnEvent<'_>) {
        if let Some(events) = &self.events {
            events(&event);
        }
    }

    /// A call of the turn, with the rights that it has there.
    pub(crate) fn call<'c>(
        &'c self,
        asked: &'c ToolCall,
        rights: CallRights,
        confirm: Confirm,
        deadline: Instant,
    ) -> Call<'c> {
        let mut call = Call::of_caller(asked, &self.session, rights)
            .with_deadline(deadline)
            .with_stop(self.stop.clone())
            .with_extension(AskAtLeast(confirm))
            .with_extension(AnswersPrograms)
            .with_extension(AnswersSignIns);
        if let Some(principal) = &self.principal {
            call = call.with_principal(principal.clone());
        }
        if let Some(trace) = &self.trace {
            call = call.with_trace(trace.clone());
        }
        if let Some(watchers) = &self.watchers {
            call = call.with_watcher(watchers(asked));
        }
        call
    }
}

callgate_secret::opaque!(TurnContext { session, principal, rights });
