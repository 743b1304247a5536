//! The example on the page of each tool of the corpus: its arguments pass the checks of a call, also after a shell has read
//! them. Descriptions over a size are left out, so that the test takes less than a minute; `CALLGATE_SHARED` names the folder.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use callgate::config::Environment;
use callgate_config::DescriptionOptions;

use super::*;
use crate::{commands::call::arguments_of_words, open::made};

const MOST_BYTES: u64 = 500_000;
const MOST_TOOLS: usize = 150;

fn files() -> Vec<PathBuf> {
    if env::var_os("CALLGATE_SHARED").is_none() {
        return Vec::new();
    }
    let is_small = |file: &PathBuf| fs::metadata(file).is_ok_and(|data| data.len() <= MOST_BYTES);
    callgate_testkit::listed_descriptions().into_iter().filter(is_small).collect()
}

/// The reason why the example of a tool is not one; `None` if it is.
async fn wrong(executor: &Executor, entry: Entry<'_>) -> Option<String> {
    let tool = entry.declaration()?;
    let schema = tool.input_schema.to_value();
    let Example { values, fault } = example(executor, tool, &schema).await;
    let is_wrong = |fault: &Fault| fault.code == FaultCode::InvalidArguments;
    if let Some(fault) = fault.filter(|fault| is_wrong(fault)) {
        return Some(format!("{} {values:?}", fault.message));
    }
    let words = example::words(&values, Guide::new(&schema));
    if words.iter().any(|word| word.ends_with("=@FILE")) {
        return None;
    }
    let Ok(read) = arguments_of_words(&words, entry) else {
        return Some(format!("is not read: {words:?}"));
    };
    let call = ToolCall::new("1", tool.name.as_str(), read);
    match executor.dry_run(&call, &Session::default()).await.outcome {
        Outcome::Failed(fault) if is_wrong(&fault) => {
            Some(format!("as typed: {} {words:?}", fault.message))
        }
        _ => None,
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the numbers are for whoever runs the test")]
fn the_example_of_every_tool_passes_the_checks_of_a_call() {
    let files = files();
    if files.is_empty() {
        println!("corpus absent");
        return;
    }
    let options = DescriptionOptions {
        server: Some("https://api.example.com".to_owned()),
        ..DescriptionOptions::default()
    };
    let (mut n, mut failures) = (0_usize, BTreeMap::new());
    for file in &files {
        let Ok(built) = made(file, &options, &Environment::new()) else { continue };
        for entry in built.executor.entries().take(MOST_TOOLS) {
            n += 1;
            if let Some(why) = block_on(wrong(&built.executor, entry)).unwrap() {
                failures.insert(format!("{} {}", file.display(), entry.name()), why);
            }
        }
    }
    println!("{n} tools of {} descriptions, {} failures", files.len(), failures.len());
    for (tool, why) in &failures {
        let why: String = why.chars().take(500).collect();
        println!("{tool}: {why}");
    }
    assert!(failures.len() * 100 <= n, "{} of {n}", failures.len());
}
