//! Tools in a few words, for lists that people read; and what a tool's schema loses in the forms of providers.

use callgate_dialect::{Projection, project};
use callgate_executor::Entry;
use callgate_tool::{Effect, Object, Tool, Value, json};

use crate::{
    problem::Problem,
    query::{Query, malformed_query},
};

/// The tools of a list.
#[derive(Debug, Default)]
pub(super) struct Filter {
    pub(super) toolset: Option<String>,
    effect: Option<Effect>,
    tag: Option<String>,
}

impl Filter {
    pub(super) fn read(query: &mut Query) -> Result<Self, Problem> {
        let effect = query.take_parameter("effect")?.map(|word| {
            let effect = Effect::ALL.iter().copied().find(|effect| effect.as_str() == word);
            effect.ok_or_else(|| {
                let words: Vec<_> = Effect::ALL.iter().map(|effect| effect.as_str()).collect();
                let words = words.join("`, `");
                malformed_query(format!("`effect`: expected one of `{words}`, got: `{word}`"))
            })
        });
        let (toolset, tag) = (query.take_parameter("toolset")?, query.take_parameter("tag")?);
        Ok(Self { toolset, effect: effect.transpose()?, tag })
    }

    pub(super) fn matches_tool(&self, entry: Entry<'_>) -> bool {
        self.toolset.as_ref().is_none_or(|toolset| toolset == entry.toolset())
            && self.effect.is_none_or(|effect| effect == entry.effect())
            && self.tag.as_ref().is_none_or(|tag| has_tag(entry, tag))
    }
}

fn has_tag(entry: Entry<'_>, tag: &str) -> bool {
    entry.operation().is_some_and(|operation| operation.tags().any(|it| it == tag))
}

pub(super) fn tool_summary(entry: Entry<'_>, tool: &Tool) -> Value {
    let mut members = Object::from([
        ("name", tool.name.as_str().into()),
        ("toolset", entry.toolset().into()),
        ("effect", tool.effect.as_str().into()),
        ("description", entry.brief().into()),
        ("tokens", json!(tool.tokens())),
    ]);
    if let Some(operation) = entry.operation() {
        members.insert("method", operation.method.as_str().into());
        members.insert("path", (&*operation.path).into());
        members.insert("tags", Value::Array(operation.tags().map(Value::from).collect()));
        members.insert("deprecated", operation.is_deprecated().into());
    }
    members.into()
}

/// The tokens and the losses of a tool's schema in each form that a provider accepts.
pub(super) fn tokens_and_losses(tool: &Tool) -> Value {
    let projected = |projection: &Projection| {
        let projected = project(tool, *projection);
        let losses = projected.losses.iter().map(|loss| Value::from(loss.to_string()));
        let losses = Value::Array(losses.collect());
        let shown = json!({"tokens": (projected.tokens(tool)), "losses": losses});
        (projection.as_str().to_owned(), shown)
    };
    Value::Object(Projection::ALL.iter().map(projected).collect())
}
