//! Losses of a description's tools at each provider, counted for `callgate check`. `callgate tools --losses` shows the place
//! of each.

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
    tools: Vec<(String, Keywords)>,
}

type Keywords = BTreeMap<(&'static str, &'static str), usize>;

impl LossCounts {
    pub(crate) fn of_dialects() -> Self {
        let mut projections = Vec::new();
        for projection in Dialect::ALL.iter().copied().filter_map(Dialect::projection) {
            if !projections.contains(&projection) {
                projections.push(projection);
            }
        }
        Self::new(projections)
    }

    pub(crate) fn of_projections() -> Self {
        Self::new(Projection::ALL.to_vec())
    }

    fn new(projections: Vec<Projection>) -> Self {
        let counted = |projection| ProjectionLosses { projection, tools: Vec::new() };
        Self { n_tools: 0, projections: projections.into_iter().map(counted).collect() }
    }

    pub(crate) fn take(&mut self, tool: &Tool) {
        self.n_tools += 1;
        for ProjectionLosses { projection, tools } in &mut self.projections {
            let mut keywords = Keywords::new();
            for loss in project(tool, *projection).losses {
                *keywords.entry((loss.keyword, loss.what.as_str())).or_default() += 1;
            }
            if !keywords.is_empty() {
                tools.push((tool.name.as_str().to_owned(), keywords));
            }
        }
    }

    /// The number of tools with losses, for each provider that has any, and the keywords that most of them lose.
    pub(crate) fn to_text(&self) -> String {
        let lossy = self.projections.iter().filter(|counted| !counted.tools.is_empty());
        let rows: String = lossy.map(ProjectionLosses::row).collect();
        if rows.is_empty() {
            return rows;
        }
        let n_tools = grouped_digits(self.n_tools);
        format!(
            "losses of {n_tools} tools at providers (`callgate tools FILE --losses --projection NAME` shows them):\n{rows}"
        )
    }

    pub(crate) fn to_json(&self) -> Value {
        let by_projection = self.projections.iter().map(|counted| {
            let tools = counted.tools.iter();
            let tools: Vec<Value> = tools.map(|(name, losses)| tool_json(name, losses)).collect();
            (counted.projection.as_str().to_owned(), Value::Array(tools))
        });
        Value::Object(by_projection.collect::<Object>())
    }
}

impl ProjectionLosses {
    fn row(&self) -> String {
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
        let (n_tools, projection) = (grouped_digits(self.tools.len()), self.projection);
        format!("{n_tools:>10}  {:16}  {named}{more}\n", projection.as_str())
    }
}

fn tool_json(name: &str, keywords: &Keywords) -> Value {
    let losses = keywords
        .iter()
        .map(|((keyword, what), n)| json!({"keyword": *keyword, "what": *what, "count": *n}));
    json!({"name": name, "losses": (losses.collect::<Vec<_>>())})
}

const NAMED: usize = 5;
