//! Helpers that the tests of toolsets with a database and of those with documents share.

use callgate::config::loader;
use callgate_config::Built;
use callgate_tool::{Outcome, Session, ToolCall, Value};

/// Each row is the keys of a toolset, the pointer below it at which they are refused, and the help.
#[track_caller]
pub(crate) fn check(toolset: &str, table: &str) {
    for row in table.trim().lines() {
        let [keys, pointer, help]: [&str; 3] =
            row.trim().split(" => ").collect::<Vec<_>>().try_into().unwrap();
        let text = format!("toolsets: {{{toolset}: {{{keys}}}}}");
        let error = loader().text(&text, "").expect_err(keys);
        let pointer = format!("/toolsets/{toolset}{pointer}");
        let found = error.findings().iter().find(|finding| finding.pointer == pointer);
        let found = found.unwrap_or_else(|| panic!("{keys}: {error}"));
        assert!(found.position.is_some(), "{found:?}");
        assert_eq!(found.help, help, "{keys}");
    }
}

pub(crate) fn names(built: &Built) -> Vec<&str> {
    built.executor.entries().map(|entry| entry.name().as_str()).collect()
}

pub(crate) fn call(built: &Built, tool: &str, arguments: Value, session: &Session) -> Outcome {
    let Value::Object(arguments) = arguments else { panic!("{arguments:?}") };
    let call = ToolCall::new("1", tool, arguments);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(built.executor.call(&call, session)).outcome
}
