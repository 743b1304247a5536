//! The checks of tools that are no operations (functions, those that the client runs, and backends of the program's own) against
//! their declarations. Every way to a tool leads through it: a backend sees only arguments that its declaration allows, and
//! callers get only results that it allows.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::{ArgumentCheck, OutputCheck, Selection};
use callgate_openapi::AppliedEdit;
use callgate_secret::Secret;
use callgate_tool::{
    Content, Effect, Fault, FingerprintHasher, Journal, Outcome, Preview, Session, Tool, ToolName,
    ToolsetName, Value,
};

use super::{Backend, EditedTool, Opened, Review};
use crate::{
    call::Call,
    error::{self, Error},
    execution::Execution,
};

#[derive(Debug)]
pub(crate) struct CheckedBackend {
    backend: Arc<dyn Backend>,
    arguments: OnceLock<Option<ArgumentCheck>>,
    /// Made for the first result; `None` if the tool declares none.
    results: OnceLock<Option<OutputCheck>>,
    edit: Option<EditedTool>,
    /// The declaration that names other tools of the executor.
    among: Option<Tool>,
}

impl CheckedBackend {
    /// Takes a backend whose declaration does not contradict it.
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Result<Self, Error> {
        let (name, toolset) = (backend.name(), backend.toolset());
        if !toolset.is_empty() {
            ToolsetName::new(toolset).map_err(|source| error::illegal_name(&source))?;
        }
        if let Some(tool) = backend.declaration() {
            if tool.name != *name {
                return Err(error::other_name(name, &tool.name));
            }
            if tool.effect != backend.effect() {
                let (declared, own) = (tool.effect.as_str(), backend.effect().as_str());
                return Err(error::other_effect(name, declared, own));
            }
            let schema = tool.input_schema.to_value();
            if schema.get("type").and_then(Value::as_str) != Some("object") {
                return Err(error::not_of_objects(name));
            }
            let output = tool.output_schema().map(callgate_tool::Schema::to_value);
            if output.is_some_and(|output| !matches!(output, Value::Object(_) | Value::Bool(_))) {
                return Err(error::no_schema(name));
            }
        }
        Ok(Self::from_backend(backend))
    }

    fn from_backend(backend: Arc<dyn Backend>) -> Self {
        let (arguments, results) = (OnceLock::new(), OnceLock::new());
        Self { backend, arguments, results, edit: None, among: None }
    }

    /// Declares the tool as it is among others. An operator's own description stays.
    pub(crate) fn set_declaration_among_tools(&mut self, tool: Tool) {
        match &mut self.edit {
            Some(edit) => edit.set_description_if_absent(tool.description),
            None => self.among = Some(tool),
        }
    }

    /// A backend whose tool an operator changed. The arguments are checked after they are filled.
    pub(crate) fn for_edited_tool(backend: Arc<dyn Backend>, edit: EditedTool) -> Self {
        Self { edit: Some(edit), ..Self::from_backend(backend) }
    }

    pub(crate) fn edit(&self) -> Option<&AppliedEdit> {
        self.edit.as_ref().map(|edit| &edit.applied)
    }

    /// The call with the operator's values, checked.
    fn filled_and_checked_call<'a>(
        &self,
        call: &'a Call<'a>,
        journal: &mut Journal,
    ) -> Result<Cow<'a, Call<'a>>, Box<Fault>> {
        let Some(edit) = &self.edit else {
            return self.check_arguments(call).map(|()| Cow::Borrowed(call));
        };
        let filled = call.clone().with_arguments(edit.filled_arguments(call.arguments(), journal)?);
        self.check_arguments(&filled)?;
        Ok(Cow::Owned(filled))
    }

    fn check_arguments(&self, call: &Call<'_>) -> Result<(), Box<Fault>> {
        let made = || {
            let tool = self.backend.declaration()?;
            Some(ArgumentCheck::new(tool.input_schema.to_value()))
        };
        match self.arguments.get_or_init(made) {
            Some(arguments) => arguments.check(call.arguments()),
            None => Ok(()),
        }
    }

    fn output_check(&self) -> Option<&OutputCheck> {
        let made = || {
            let schema = self.backend.declaration()?.output_schema()?;
            Some(OutputCheck::new(schema.to_value()))
        };
        self.results.get_or_init(made).as_ref()
    }

    fn checked_outcome(&self, outcome: Outcome) -> Outcome {
        if !cfg!(debug_assertions) && self.backend.has_results_as_declared() {
            return outcome;
        }
        let Some(results) = self.output_check() else { return outcome };
        let checked = whole_json_output(&outcome)
            .map(|it| results.check_own_result(&it, self.backend.effect()));
        match checked {
            Some(Err(fault)) => Outcome::Failed(fault),
            Some(Ok(())) | None => outcome,
        }
    }
}

#[async_trait]
impl Backend for CheckedBackend {
    fn name(&self) -> &ToolName {
        self.edit.as_ref().map_or_else(|| self.backend.name(), |edit| &edit.declaration().name)
    }

    fn toolset(&self) -> &str {
        self.backend.toolset()
    }

    fn declaration(&self) -> Option<&Tool> {
        match &self.edit {
            Some(edit) => Some(edit.declaration()),
            None => self.among.as_ref().or_else(|| self.backend.declaration()),
        }
    }

    fn operator_notes(&self) -> Vec<String> {
        self.backend.operator_notes()
    }

    fn can_call_tools(&self) -> bool {
        self.backend.can_call_tools()
    }

    fn is_resumable(&self) -> bool {
        self.backend.is_resumable()
    }

    fn declaration_listing_other_tools(&self, tools: &[&dyn Backend]) -> Option<Tool> {
        self.backend.declaration_listing_other_tools(tools)
    }

    fn effect(&self) -> Effect {
        self.edit.as_ref().map_or_else(|| self.backend.effect(), |edit| edit.declaration().effect)
    }

    fn retry_effect(&self) -> Effect {
        self.backend.retry_effect()
    }

    fn target(&self) -> Option<String> {
        self.backend.target()
    }

    fn secrets(&self, session: &Session) -> Vec<Secret> {
        self.backend.secrets(session)
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.backend.hash_session(session, hasher);
        if let Some(edit) = &self.edit {
            edit.hash_operator_values(hasher);
        }
    }

    fn secret_arguments(&self) -> &[String] {
        self.backend.secret_arguments()
    }

    fn execution(&self) -> Execution {
        self.backend.execution()
    }

    fn client_time_limit(&self) -> Duration {
        self.backend.client_time_limit()
    }

    async fn client_request(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Value, Box<Fault>> {
        let call = self.filled_and_checked_call(call, journal)?;
        self.backend.client_request(&call, journal).await
    }

    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>> {
        let call = self.filled_and_checked_call(call, journal)?;
        self.backend.preview(&call, journal).await
    }

    async fn review(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Review, Box<Fault>> {
        let call = self.filled_and_checked_call(call, journal)?;
        self.backend.review(&call, journal).await
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let selection = call.selection();
        match self.filled_and_checked_call(call, journal) {
            Ok(call) => {
                let call = call_without_selection(call, selection.as_deref());
                let outcome = self.checked_outcome(self.backend.run(&call, journal).await);
                selected_outcome(outcome, selection.as_deref())
            }
            Err(fault) => Outcome::Failed(fault),
        }
    }

    async fn open(&self, call: &Call<'_>, journal: &mut Journal) -> Opened {
        let selection = call.selection();
        let opened = match self.filled_and_checked_call(call, journal) {
            Ok(call) => {
                let call = call_without_selection(call, selection.as_deref());
                self.backend.open(&call, journal).await
            }
            Err(fault) => return Opened::Ended(Outcome::Failed(fault)),
        };
        match opened {
            Opened::Ended(outcome) => {
                let outcome = self.checked_outcome(outcome);
                Opened::Ended(selected_outcome(outcome, selection.as_deref()))
            }
            pieces @ Opened::Pieces(_) => pieces,
        }
    }

    async fn outcome_from_answer(
        &self,
        call: &Call<'_>,
        answer: Value,
        journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        let outcome = self.backend.outcome_from_answer(call, answer, journal).await?;
        if let Some(results) = self.output_check()
            && let Some(output) = whole_json_output(&outcome)
        {
            results.check(&output)?;
        }
        Ok(outcome)
    }
}

/// The call without its selection: a tool that asks a service would select of the service's response, not of its own result.
fn call_without_selection<'a>(
    call: Cow<'a, Call<'a>>,
    selection: Option<&Selection>,
) -> Cow<'a, Call<'a>> {
    match selection {
        Some(_) => Cow::Owned(call.into_owned().with_whole(Selection::All)),
        None => call,
    }
}

/// The outcome with the selected part of its JSON.
fn selected_outcome(mut outcome: Outcome, selection: Option<&Selection>) -> Outcome {
    if let Outcome::Answered(answer) = &mut outcome
        && let Content::Json(json) = &mut answer.content
        && let Some(selection) = selection
    {
        *json = selection.selected_value(json.value().clone()).into();
    }
    outcome
}

/// The value that a schema of results is about; `None` for bytes, and for a result of which a part is shown.
fn whole_json_output(outcome: &Outcome) -> Option<Cow<'_, Value>> {
    let Outcome::Answered(answer) = outcome else { return None };
    match &answer.content {
        _ if answer.truncated.is_some() => None,
        Content::Empty => Some(Cow::Owned(Value::Null)),
        Content::Json(json) => Some(Cow::Borrowed(json.value())),
        Content::Text { text, .. } => Some(Cow::Owned(text.as_str().into())),
        _ => None,
    }
}
