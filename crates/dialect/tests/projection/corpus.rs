//! Projects the tools of every description of the corpus, where there is one: each provider takes each, and none is larger than
//! it may be. What is lost is counted.

use crate::prelude::*;
use std::{collections::BTreeMap, fs};

use callgate_testkit::{listed_descriptions, say};

/// So many tools of a description, evenly spread.
const TOOLS: usize = 12;

#[derive(Default)]
struct Counts {
    n_tools: usize,
    n_lossy: usize,
    n_cut: usize,
    most_tokens: usize,
    by_keyword: BTreeMap<(&'static str, &'static str), usize>,
}

fn count(counts: &mut BTreeMap<&'static str, Counts>, tool: &Tool) {
    for &projection in Projection::ALL {
        let projected = project(tool, projection);
        assert_eq!(
            wrong(projection, &projected.schema),
            Vec::<String>::new(),
            "{} {projection}",
            tool.name
        );
        assert!(!projected.description.is_empty());
        let counts = counts.entry(projection.as_str()).or_default();
        let bytes = projected.schema.to_string().len() + projected.description.len();
        counts.n_tools += 1;
        counts.n_lossy += usize::from(!projected.losses.is_empty());
        counts.n_cut += usize::from(
            projected.losses.iter().any(|loss| loss.what.as_str().starts_with("shown")),
        );
        counts.most_tokens = counts.most_tokens.max(bytes / 4);
        for loss in &projected.losses {
            *counts.by_keyword.entry((loss.keyword, loss.what.as_str())).or_default() += 1;
        }
    }
}

#[test]
fn every_tool_of_the_corpus_is_projected_to_a_form_that_each_provider_accepts() {
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    let all = std::env::var_os("CALLGATE_ALL").is_some();
    for path in listed_descriptions() {
        let Ok(document) = Document::read(&fs::read(&path).unwrap(), &Limits::default()) else {
            continue;
        };
        let loaded = load(&document.value, &LoadOptions::default());
        let operations = &loaded.operations;
        let each = if all { 1 } else { operations.len().div_ceil(TOOLS).max(1) };
        for operation in operations.iter().step_by(each) {
            if let Ok(tool) = operation.declaration() {
                count(&mut counts, tool);
            }
        }
    }
    for (projection, counts) in &counts {
        let Counts { n_tools, n_lossy, n_cut, most_tokens, by_keyword } = counts;
        say(&format!(
            "{projection}: {n_tools} tools, {n_lossy} with losses, {n_cut} cut, at most {most_tokens} tokens"
        ));
        for ((keyword, what), n) in by_keyword {
            say(&format!("    {n:>7}  {keyword}: {what}"));
        }
        assert!(*most_tokens <= 2 * Tool::MOST_TOKENS, "{projection}");
    }
}
