//! `callgate tools FILE --losses`: shows what each tool loses on the way to a provider, and the total.

use std::collections::BTreeMap;

use callgate::Tool;
use callgate_dialect::{Loss, Projected, Projection, project};
use callgate_tool::{Value, json};

use crate::number::grouped_digits;

pub(super) struct Losses {
    projection: Projection,
    n_tools: usize,
    n_lossy: usize,
    by_keyword: BTreeMap<(&'static str, &'static str), usize>,
}

impl Losses {
    pub(super) fn new(projection: Projection) -> Self {
        Self { projection, n_tools: 0, n_lossy: 0, by_keyword: BTreeMap::new() }
    }

    pub(super) fn count_tool_as_text(&mut self, tool: &Tool) -> String {
        let projected = self.project_and_count(tool);
        let Projected { losses, .. } = &projected;
        let n_tokens = grouped_digits(projected.tokens(tool));
        let mut text = format!("{}  {n_tokens} tokens, {} losses\n", tool.name, losses.len());
        for Loss { at, keyword, what, .. } in losses {
            let at = if at.is_empty() { "/" } else { at };
            text.push_str(&format!("    {keyword:22}  {:34}  {at}\n", what.as_str()));
        }
        text
    }

    pub(super) fn count_tool_as_json(&mut self, tool: &Tool) -> Value {
        let projected = self.project_and_count(tool);
        let losses: Vec<Value> = projected
            .losses
            .iter()
            .map(|loss| {
                let Loss { at, keyword, what, .. } = loss;
                json!({"at": at, "keyword": keyword, "what": (what.as_str())})
            })
            .collect();
        json!({
            "name": (tool.name.as_str()),
            "projection": (self.projection.as_str()),
            "tokens": (projected.tokens(tool)),
            "losses": losses,
        })
    }

    pub(super) fn projection_loss_summary(&self) -> String {
        let Self { projection, n_tools, n_lossy, by_keyword } = self;
        let (n_lossy, n_tools) = (grouped_digits(*n_lossy), grouped_digits(*n_tools));
        let mut text = format!("{projection}: {n_lossy} of {n_tools} tools lose something\n");
        for ((keyword, what), n) in by_keyword {
            text.push_str(&format!("{:>8} tools  {keyword:22}  {what}\n", grouped_digits(*n)));
        }
        text
    }

    fn project_and_count(&mut self, tool: &Tool) -> Projected {
        let projected = project(tool, self.projection);
        self.n_tools += 1;
        self.n_lossy += usize::from(!projected.losses.is_empty());
        let mut lost: Vec<_> =
            projected.losses.iter().map(|loss| (loss.keyword, loss.what.as_str())).collect();
        lost.sort_unstable();
        lost.dedup();
        for loss in lost {
            *self.by_keyword.entry(loss).or_default() += 1;
        }
        projected
    }
}
