//! The check of the arguments of tools that are no operations: functions, those that the client runs, and backends of the
//! program's own. Every way to a tool leads through it, so that a backend sees only arguments that its declaration allows.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use callgate_call::ArgumentCheck;
use callgate_secret::Secret;
use callgate_tool::{
    Effect, Fault, FingerprintHasher, Journal, Outcome, Preview, Session, Tool, ToolName, Value,
};

use super::{Backend, EditedTool, Opened};
use crate::call::Call;

/// A backend, and the check of its arguments against the schema of its declaration.
#[derive(Debug)]
pub(crate) struct CheckedBackend {
    backend: Arc<dyn Backend>,
    /// Made for the first call; `None` if the tool has no declaration.
    arguments: OnceLock<Option<ArgumentCheck>>,
    edit: Option<EditedTool>,
}

impl CheckedBackend {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, arguments: OnceLock::new(), edit: None }
    }

    /// A backend whose tool an operator changed. The arguments are checked after they are filled.
    pub(crate) fn edited(backend: Arc<dyn Backend>, edit: EditedTool) -> Self {
        Self { edit: Some(edit), ..Self::new(backend) }
    }

    /// The call with the operator's values, checked.
    fn checked<'a>(
        &self,
        call: &'a Call<'a>,
        journal: &mut Journal,
    ) -> Result<Cow<'a, Call<'a>>, Box<Fault>> {
        let Some(edit) = &self.edit else {
            return self.check(call).map(|()| Cow::Borrowed(call));
        };
        let filled = call.clone().with_arguments(edit.filled(call.arguments(), journal)?);
        self.check(&filled)?;
        Ok(Cow::Owned(filled))
    }

    fn check(&self, call: &Call<'_>) -> Result<(), Box<Fault>> {
        let made = || {
            let tool = self.backend.declaration()?;
            Some(ArgumentCheck::new(tool.input_schema.to_value()))
        };
        match self.arguments.get_or_init(made) {
            Some(arguments) => arguments.check(call.arguments()),
            None => Ok(()),
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
            None => self.backend.declaration(),
        }
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

    fn fingerprint(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.backend.fingerprint(session, hasher);
        if let Some(edit) = &self.edit {
            edit.fingerprint(hasher);
        }
    }

    fn secret_arguments(&self) -> &[String] {
        self.backend.secret_arguments()
    }

    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>> {
        let call = self.checked(call, journal)?;
        self.backend.preview(&call, journal).await
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        match self.checked(call, journal) {
            Ok(call) => self.backend.run(&call, journal).await,
            Err(fault) => Outcome::Failed(fault),
        }
    }

    async fn open(&self, call: &Call<'_>, journal: &mut Journal) -> Opened {
        match self.checked(call, journal) {
            Ok(call) => self.backend.open(&call, journal).await,
            Err(fault) => Opened::Ended(Outcome::Failed(fault)),
        }
    }

    async fn answered(
        &self,
        call: &Call<'_>,
        answer: Value,
        journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        self.backend.answered(call, answer, journal).await
    }
}
