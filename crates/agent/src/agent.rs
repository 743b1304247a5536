//! An agent: a model, its instructions and its tools, with the rules of its turns.

use std::sync::Arc;

use callgate_config::{
    AgentBudget as Budget, AgentCalls as Calls, AgentLimits as TurnLimits,
    AgentParallel as Parallel, AgentSearch as ToolSearch, is_offered,
};
use callgate_dialect::Dialect;
use callgate_executor::{CallRights, Entry, Executor};
use callgate_openapi::Pattern;
use callgate_policy::{Audit, Confirm};
use callgate_tool::Tool;
use callgate_transport::Transport;

use crate::{
    choice::Choice, context::TurnContext, declarations::Declarations, model::Model,
    offer::ToolOffer,
};

/// A model with tools. Clones share everything.
///
/// ```no_run
/// # use callgate_agent::{Agent, AgentSettings, Input, Model, Transcript, TurnContext};
/// # async fn example(executor: callgate_executor::Executor, model: Model, context: TurnContext) -> Result<(), callgate_agent::Error> {
/// let settings = AgentSettings { instructions: "Take orders.".to_owned(), ..AgentSettings::default() };
/// let agent = Agent::new(executor, model, settings);
/// let mut transcript = Transcript::new(agent.dialect())?;
/// let end = agent.turn(&mut transcript, Input::text("Hello"), &context).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Agent {
    pub(crate) executor: Executor,
    pub(crate) model: Model,
    pub(crate) settings: Arc<AgentSettings>,
    pub(crate) audited: Option<Audited>,
    declarations: Arc<Declarations>,
}

/// The audit of an agent's turns, and the agent's name in it.
#[derive(Clone, Debug)]
pub(crate) struct Audited {
    pub(crate) audit: Arc<Audit>,
    pub(crate) name: Arc<str>,
}

/// The rules of an agent's turns.
///
/// ```
/// use callgate_agent::{AgentSettings, Parallel};
/// use callgate_policy::Confirm;
///
/// let settings = AgentSettings::default();
/// assert_eq!((settings.parallel, settings.confirm), (Parallel::Reads, Confirm::Writes));
/// ```
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it from its default; a new field has a safe one"
)]
pub struct AgentSettings {
    /// The first text of each request to the model; `$session.params.NAME` in it is a value of the session.
    pub instructions: String,
    /// The tools by name; all of the executor's if it is empty.
    pub include: Vec<Pattern>,
    /// The tools that are not offered, whatever `include` says.
    pub exclude: Vec<Pattern>,
    /// The search for tools in place of their declarations.
    pub search: ToolSearch,
    /// The choice between words and calls.
    pub choice: Choice,
    /// The maker of the calls: the turn, or its caller.
    pub calls: Calls,
    /// The calls of one message that run at the same time.
    pub parallel: Parallel,
    /// The limits of a turn.
    pub limits: TurnLimits,
    /// The tokens that each principal may use; counted where transcripts are kept, by
    /// [`Transcripts`](crate::Transcripts).
    pub budget: Option<Budget>,
    /// The calls that need an approval, beyond those that the toolsets say.
    pub confirm: Confirm,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            instructions: String::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            search: ToolSearch::Auto,
            choice: Choice::Auto,
            calls: Calls::Auto,
            parallel: Parallel::Reads,
            limits: TurnLimits::default(),
            budget: None,
            confirm: Confirm::Writes,
        }
    }
}

impl AgentSettings {
    fn offers(&self, tool: &str) -> bool {
        is_offered(tool, &self.include, &self.exclude)
    }
}

impl Agent {
    /// An agent that calls tools of `executor`.
    pub fn new(executor: Executor, model: Model, settings: AgentSettings) -> Self {
        let offers = |entry: Entry<'_>| settings.offers(entry.name().as_str());
        let declarations = Declarations::new(&executor, model.dialect(), offers);
        let (settings, declarations) = (Arc::new(settings), Arc::new(declarations));
        Self { executor, model, settings, audited: None, declarations }
    }

    /// Records each turn at its end in an audit, under a name of the agent. The lines of its calls name the turn, where `audit`
    /// is a middleware of the executor. An agent of a configuration with `audit` has it.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use callgate_agent::Agent;
    /// use callgate_policy::Audit;
    ///
    /// fn audited(agent: Agent, audit: &Arc<Audit>) -> Agent {
    ///     agent.with_audit(Arc::clone(audit), "pizza")
    /// }
    /// ```
    #[must_use]
    pub fn with_audit(mut self, audit: Arc<Audit>, name: &str) -> Self {
        self.audited = Some(Audited { audit, name: name.into() });
        self
    }

    /// Sends requests to the model another way.
    #[doc(hidden)]
    #[must_use]
    pub fn with_model_transport(
        mut self,
        over: impl FnOnce(Arc<dyn Transport>) -> Arc<dyn Transport>,
    ) -> Self {
        self.model = self.model.with_transport(over);
        self
    }

    /// The dialect of the agent's transcripts.
    pub fn dialect(&self) -> Dialect {
        self.model.dialect()
    }

    /// The settings.
    pub fn settings(&self) -> &AgentSettings {
        &self.settings
    }

    /// The tool that a name means, if the agent offers it.
    pub fn offered_tool(&self, name: &str) -> Option<&Tool> {
        let entry = self.executor.find(name)?;
        entry.declaration().filter(|_| self.settings.offers(entry.name().as_str()))
    }

    /// True if a turn for this caller may call a tool now, and read its results.
    #[doc(hidden)]
    pub fn permits_tool(&self, tool: &str, context: &TurnContext) -> bool {
        self.executor.find(tool).is_some_and(|entry| entry.is_permitted(&self.rights(context)))
    }

    pub(crate) fn turn_offer(&self, context: &TurnContext) -> ToolOffer {
        let AgentSettings { choice, search, .. } = &*self.settings;
        ToolOffer::new(&self.declarations, choice, *search, self.rights(context))
    }

    /// The rights of the calls of a turn: those of its caller, for the tools of the agent.
    pub(crate) fn rights(&self, context: &TurnContext) -> CallRights {
        let settings = Arc::clone(&self.settings);
        context.rights.clone().with_call_condition(move |_, tool| settings.offers(tool))
    }
}
