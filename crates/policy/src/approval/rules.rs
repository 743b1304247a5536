//! The rules for which calls need a person's approval.

use std::{collections::BTreeMap, time::Duration};

use callgate_executor::Backend;
use callgate_tool::{Approvers, Effect, Preview, ToolName};

callgate_tool::named! {
    /// The calls of a tool that need a person's approval.
    ///
    /// ```
    /// use callgate_executor::{Executor, Function};
    /// use callgate_policy::{ApprovalRules, Approvals, Confirm};
    /// use callgate_tool::{Arguments, Effect, Outcome, Session, ToolCall, json};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let mut rules = ApprovalRules::default();
    /// rules.toolsets.insert("shop".to_owned(), Confirm::Writes);
    /// # let schema = json!({"type": "object"});
    /// # let list = Function::new("shop", "list", schema.clone(), |_| async { json!([]) })?;
    /// # let buy = Function::new("shop", "buy", schema, |_| async { json!("bought") })?;
    /// let executor = Executor::builder()
    ///     .backend(list.with_effect(Effect::Read))
    ///     .backend(buy.with_effect(Effect::Write))
    ///     .middleware(Approvals::new(rules))
    ///     .build()?;
    /// let calls = ["shop-list", "shop-buy"].map(|tool| ToolCall::new("1", tool, Arguments::new()));
    /// let results = executor.call_all(&calls, &Session::default()).await;
    /// assert!(matches!(results[0].outcome, Outcome::Answered(_)));
    /// assert!(matches!(results[1].outcome, Outcome::Pending(_)));
    /// # Ok::<(), callgate_executor::Error>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Default)]
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum Confirm {
        /// All calls.
        Always = "always",
        /// Calls that replace or remove something: PUT, PATCH and DELETE. For a tool that sends no request, calls that
        /// change something.
        Destructive = "destructive",
        /// All calls but GET, as Dialogflow v2 does unless a tool says otherwise. For a tool that sends no request, calls that
        /// change something.
        DialogflowV2 = "dialogflow_v2",
        /// No calls.
        #[default]
        Never = "never",
        /// Calls that change something.
        Writes = "writes",
    }
}

/// The calls of an executor that need a person's approval, and how long they wait.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_policy::{ApprovalRules, Confirm};
/// use callgate_tool::ToolName;
///
/// let mut rules = ApprovalRules { time: Duration::from_secs(3600), ..ApprovalRules::default() };
/// assert!(rules.are_empty());
/// rules.toolsets.insert("shop".to_owned(), Confirm::Writes);
/// // The rule of a tool wins.
/// rules.tools.insert(ToolName::new("shop-fill_cart")?, Confirm::Never);
/// assert!(!rules.are_empty());
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ApprovalRules {
    /// The rules of toolsets, by their names; tools of other toolsets need no approval.
    pub toolsets: BTreeMap<String, Confirm>,
    /// The rules of single tools, which override those of their toolsets.
    pub tools: BTreeMap<ToolName, Confirm>,
    /// The time that a person has to decide.
    pub time: Duration,
    /// The parties that may approve a call. [`Approvers::Others`] is the four-eyes principle: no decision of the caller
    /// counts, nor one that does not say [who decided](callgate_executor::Decided::by).
    pub approvers: Approvers,
}

/// The time to decide by default: as long as a person looks at a conversation.
pub const APPROVAL_TIME: Duration = Duration::from_mins(10);

impl Default for ApprovalRules {
    fn default() -> Self {
        let (toolsets, tools) = (BTreeMap::new(), BTreeMap::new());
        Self { toolsets, tools, time: APPROVAL_TIME, approvers: Approvers::Caller }
    }
}

impl ApprovalRules {
    pub(super) fn backend_rule(&self, backend: &dyn Backend) -> Confirm {
        self.confirm_rule(backend.name(), backend.toolset())
    }

    pub(super) fn confirm_rule(&self, tool: &ToolName, toolset: &str) -> Confirm {
        let own = self.tools.get(tool);
        own.or_else(|| self.toolsets.get(toolset)).copied().unwrap_or_default()
    }

    /// True if the rules ask for no approval at all.
    pub fn are_empty(&self) -> bool {
        self.toolsets.values().chain(self.tools.values()).all(|rule| *rule == Confirm::Never)
    }
}

/// The rule of whoever makes a call, among its extensions. A person is asked if this rule or the operator's asks.
///
/// ```
/// use callgate_executor::Call;
/// use callgate_policy::{AskAtLeast, Confirm};
/// # use callgate_tool::{Session, ToolCall};
///
/// # fn asking<'a>(asked: &'a ToolCall, session: &'a Session) -> Call<'a> {
/// Call::new(asked, session).with_extension(AskAtLeast(Confirm::Writes))
/// # }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AskAtLeast(pub Confirm);

impl Confirm {
    pub(super) fn may_ask(self, effect: Effect) -> bool {
        match self {
            Self::Always | Self::DialogflowV2 => true,
            Self::Destructive | Self::Writes => effect != Effect::Read,
            Self::Never => false,
        }
    }

    pub(super) fn needs_approval(self, preview: &Preview, effect: Effect) -> bool {
        let changes = effect != Effect::Read;
        let method = preview.request().map(|request| request.method.as_str());
        match self {
            Self::Always => true,
            Self::Destructive => {
                method.map_or(changes, |it| matches!(it, "DELETE" | "PATCH" | "PUT"))
            }
            Self::DialogflowV2 => method.map_or(changes, |method| method != "GET"),
            Self::Never => false,
            Self::Writes => changes,
        }
    }
}
