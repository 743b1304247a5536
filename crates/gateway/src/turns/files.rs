//! The files that the input of a turn names by their handles: those that a call of its caller in its session could name.

use callgate_agent::Input;
use callgate_session::Owner;
use callgate_tool::{Handle, Session, StoredResult, Value};

use crate::{problem::Problem, routes::RouteRequest};

/// The files that handles name.
#[derive(Debug, Default)]
pub(super) struct NamedFiles(Vec<(Handle, StoredResult)>);

impl NamedFiles {
    /// Fetches the files that an input names. One that its caller may not read is not among them.
    pub(super) async fn fetch_readable(
        request: &RouteRequest,
        session: &Session,
        input: Option<&Value>,
    ) -> Result<Self, Problem> {
        let mut files = Vec::new();
        for handle in input.map(Input::handles).unwrap_or_default().into_iter().take(MOST) {
            let owner = Owner::new(request.principal(), session);
            let executor = &request.served_build().executor;
            let file = executor.readable_result(&handle, owner, &request.rights()).await?;
            files.extend(file.map(|file| (handle, file)));
        }
        Ok(Self(files))
    }

    pub(super) fn find(&self, handle: &Handle) -> Option<StoredResult> {
        let file = self.0.iter().find(|(named, _)| named == handle);
        file.map(|(_, file)| file.clone())
    }
}

/// More files than any input may have.
const MOST: usize = 32;
