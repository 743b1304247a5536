//! Transcripts in a store, each for its owner. One turn runs at a time: whoever begins one marks the record, and another
//! turn finds the mark.

use std::{sync::Arc, time::Duration};

use callgate_session::{Key, Owner, Space, Store};

use crate::{
    agent::Agent,
    context::TurnContext,
    end::End,
    error::Error,
    input::Input,
    keeper::Keeper,
    transcript::{Repair, Transcript},
    turn::Turn,
};

/// Transcripts in a store of records.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use callgate_agent::{Agent, Input, Transcripts, TurnContext};
/// use callgate_session::{Bounds, Memory};
///
/// # async fn example(agent: Agent, context: TurnContext) -> Result<(), callgate_agent::Error> {
/// let store = Memory::new(Bounds { records: 1000, bytes: 64 << 20 });
/// let transcripts = Transcripts::new(Arc::new(store));
/// let kept = transcripts.turn(&agent, "pizza", Input::text("One pizza."), &context).await?;
/// println!("{}", kept.end.text);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Transcripts {
    store: Arc<dyn Store>,
    time_to_live: Duration,
}

/// A turn of a kept transcript.
///
/// ```
/// use callgate_agent::KeptTurn;
///
/// fn said(kept: &KeptTurn) -> String {
///     let repaired = kept.repair.to_string();
///     if repaired.is_empty() { kept.end.text.clone() } else { format!("{} ({repaired})", kept.end.text) }
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeptTurn {
    /// The end of the turn.
    pub end: End,
    /// What was wrong with the transcript when it was read.
    pub repair: Repair,
    /// The transcript after the turn.
    pub transcript: Transcript,
    /// The number of messages before the turn.
    pub n_before: usize,
}

impl Transcripts {
    /// Transcripts in `store`, each for a day after its last turn.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, time_to_live: DAY }
    }

    /// Sets how long a transcript is kept after its last turn.
    #[must_use]
    pub fn with_time_to_live(mut self, time_to_live: Duration) -> Self {
        self.time_to_live = time_to_live;
        self
    }

    /// Runs a turn of the transcript `name` of the caller and the session of `context`.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) while another turn of it runs, the errors of [`Agent::turn`], and
    /// [`ErrorKind::Store`](crate::ErrorKind::Store).
    pub async fn turn(
        &self,
        agent: &Agent,
        name: &str,
        input: Input,
        context: &TurnContext,
    ) -> Result<KeptTurn, Error> {
        let mut keeper = self.keeper(name, context, agent.settings().limits.time + SLACK);
        let stored = keeper.begin().await?;
        let (mut transcript, repair) = match stored {
            Some(form) => Transcript::of_form(form, |name| agent.declared(name))?,
            None => (Transcript::new(agent.dialect())?, Repair::default()),
        };
        let n_before = transcript.messages().len();
        keeper.keep(&transcript).await?;
        let turn = Turn::new(agent, &mut transcript, context).kept_by(&mut keeper);
        let ended = Box::pin(turn.run(input)).await;
        keeper.end(&transcript).await?;
        Ok(KeptTurn { end: ended?, repair, transcript, n_before })
    }

    /// Keeps a transcript that the caller brings, in place of an earlier one. Its messages are text: no call in it is made.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) while a turn of the earlier one runs, and
    /// [`ErrorKind::Store`](crate::ErrorKind::Store).
    pub async fn replace(
        &self,
        name: &str,
        mut transcript: Transcript,
        context: &TurnContext,
    ) -> Result<(), Error> {
        transcript.close();
        let mut keeper = self.keeper(name, context, Duration::ZERO);
        keeper.begin().await?;
        keeper.end(&transcript).await
    }

    fn keeper(&self, name: &str, context: &TurnContext, time: Duration) -> Keeper {
        let owner = Owner::new(context.principal(), &context.session);
        let key = Key::new(Space::Transcript, owner, name);
        Keeper::new(Arc::clone(&self.store), key, time, self.time_to_live)
    }
}

const DAY: Duration = Duration::from_hours(24);
/// The time after a turn's limit in which its last answer comes.
const SLACK: Duration = Duration::from_mins(1);
