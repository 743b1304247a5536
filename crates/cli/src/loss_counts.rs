//! Counts of what each provider gets of a description's tools, for `callgate check --lint`: the tokens of their declarations, and
//! their losses. `callgate tools --losses` shows the place of each.

use std::collections::BTreeMap;

use callgate::{Tool, dialect::Dialect};
use callgate_dialect::{Projection, project};
use callgate_tool::{Object, Value, json};

use crate::number::grouped_digits;

#[derive(Default)]
pub(crate) struct LossCounts {
    n_tools: usize,
    projections: Vec<ProjectionLosses>,
}

struct ProjectionLosses {
    projection: Projection,
    n_tokens: usize,
    tools: Vec<(String, Keywords)>,
}

type Keywords = BTreeMap<(&'static str, &'static str), usize>;

impl LossCounts {
    pub(crate) fn for_all_dialects() -> Self {
        let mut projections = Vec::new();
        for projection in Dialect::ALL.iter().copied().filter_map(Dialect::projection) {
            if !projections.contains(&projection) {
                projections.push(projection);
            }
        }
        Self::new(projections)
    }

    pub(crate) fn for_all_projections() -> Self {
        Self::new(Projection::ALL.to_vec())
    }

    fn new(projections: Vec<Projection>) -> Self {
        let counted = |projection| ProjectionLosses { projection, n_tokens: 0, tools: Vec::new() };
        Self { n_tools: 0, projections: projections.into_iter().map(counted).collect() }
    }

    pub(crate) fn count_tool(&mut self, tool: &Tool) {
        self.n_tools += 1;
        for ProjectionLosses { projection, n_tokens, tools } in &mut self.projections {
            let mut keywords = Keywords::new();
            let projected = project(tool, *projection);
            *n_tokens = n_tokens.saturating_add(projected.tokens(tool));
            for loss in projected.losses {
                *keywords.entry((loss.keyword, loss.what.as_str())).or_default() += 1;
            }
            if !keywords.is_empty() {
                tools.push((tool.name.as_str().to_owned(), keywords));
            }
        }
    }

    /// The tokens of the declarations and the number of tools with losses, for each provider, and the keywords that most of them
    /// lose.
    pub(crate) fn to_text(&self) -> String {
        let rows: String = self.projections.iter().map(ProjectionLosses::losses_row).collect();
        if rows.is_empty() || self.n_tools == 0 {
            return String::new();
        }
        let n_tools = grouped_digits(self.n_tools);
        format!(
            "losses of {n_tools} tools at providers (`callgate tools FILE --losses --projection NAME` shows them), with the tokens of their declarations:\n{rows}"
        )
    }

    /// The number of tools and of the tokens of their declarations, for each projection.
    pub(crate) fn counts_by_projection(&self) -> Value {
        let by_projection = self.projections.iter().map(|counted| {
            let size = json!({"tools": self.n_tools, "tokens": counted.n_tokens, "lossy": counted.tools.len()});
            (counted.projection.as_str().to_owned(), size)
        });
        Value::Object(by_projection.collect::<Object>())
    }

    pub(crate) fn to_json(&self) -> Value {
        let by_projection = self.projections.iter().map(|counted| {
            let tools = counted.tools.iter();
            let tools: Vec<Value> =
                tools.map(|(name, losses)| tool_losses_json(name, losses)).collect();
            (counted.projection.as_str().to_owned(), Value::Array(tools))
        });
        Value::Object(by_projection.collect::<Object>())
    }
}

impl ProjectionLosses {
    fn losses_row(&self) -> String {
        let mut by_keyword: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, keywords) in &self.tools {
            let mut names: Vec<_> = keywords.keys().map(|(keyword, _)| *keyword).collect();
            names.dedup();
            for name in names {
                *by_keyword.entry(name).or_default() += 1;
            }
        }
        let mut most: Vec<_> = by_keyword.into_iter().collect();
        most.sort_by_key(|(_, n_tools)| std::cmp::Reverse(*n_tools));
        let more = if most.len() > NAMED { ", …" } else { "" };
        let named =
            most.iter().take(NAMED).map(|(name, n)| format!("`{name}` {}", grouped_digits(*n)));
        let named = named.collect::<Vec<_>>().join(", ");
        let (n_tools, n_tokens) = (grouped_digits(self.tools.len()), grouped_digits(self.n_tokens));
        let row = format!(
            "{n_tools:>10}  {:16}  {n_tokens:>9} tokens  {named}{more}",
            self.projection.as_str()
        );
        format!("{}\n", row.trim_end())
    }
}

fn tool_losses_json(name: &str, keywords: &Keywords) -> Value {
    let losses = keywords
        .iter()
        .map(|((keyword, what), n)| json!({"keyword": *keyword, "what": *what, "count": *n}));
    json!({"name": name, "losses": (losses.collect::<Vec<_>>())})
}

const NAMED: usize = 5;
