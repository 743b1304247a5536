//! The tools that a program has called, as its journal names them: how each is declared, and what those that may have been reached read of
//! the session. A program goes on, and its result is given, only where both are as they were: `functions` compares them.

use std::collections::BTreeSet;

use super::Program;
use crate::journal::ProgramJournal;

impl Program<'_> {
    /// Notes the tools that were called so far, under the session of this run. What earlier runs recorded was compared with it when the run
    /// began. A call that waits for a sign-in was not made, and binds nothing.
    pub(super) fn record_called_tools(&mut self) {
        let (functions, session) = (self.functions, self.call.session());
        let ProgramJournal { calls, tools, sessions, credentials, identity, .. } =
            &mut self.journal;
        *credentials = session.credential_names().map(str::to_owned).collect();
        let mut reached = BTreeSet::new();
        for asked in &*calls {
            let Some(tool) = asked.tool.as_deref() else { continue };
            if !tools.contains_key(tool)
                && let Some(print) = functions.declaration_fingerprint(tool)
            {
                tools.insert(tool.to_owned(), print);
            }
            if asked.state.may_have_reached() {
                reached.insert(tool);
            }
        }
        sessions.retain(|tool, _| reached.contains(tool.as_str()));
        for tool in reached {
            let print = self.sessions.entry(tool.to_owned()).or_insert_with(|| {
                functions.session_fingerprint(tool, session, identity).unwrap_or_default()
            });
            sessions.insert(tool.to_owned(), print.clone());
        }
    }
}
