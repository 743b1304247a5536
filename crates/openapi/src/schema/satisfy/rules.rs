//! The rules that apply to one value together: schemas, the targets of their references, and the members of `allOf`.

use callgate_tree::{Node, Object};

use super::{Search, conflict::Conflict};
use crate::{
    address::SESSION_ID,
    reference::{LocatedNode, resolve_target},
};

/// Schemas that one value must meet, each read without its references and compositions.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules<'d> {
    pub(super) schemas: Vec<LocatedNode<'d>>,
    /// The lists of `anyOf` and `oneOf` of which one member must be met.
    pub(super) alternatives: Vec<LocatedNode<'d>>,
}

impl<'d> Rules<'d> {
    /// Adds a schema and everything that applies with it; returns the reason if no value can meet it.
    pub(super) fn add_schema(
        &mut self,
        search: &mut Search<'d>,
        schema: LocatedNode<'d>,
    ) -> Option<Conflict> {
        let mut ahead = vec![schema];
        while let Some(schema) = ahead.pop() {
            search.left = search.left.checked_sub(1)?;
            if !search.document.meter().spend_steps(PART) {
                return None;
            }
            let object = match schema.node {
                Node::Bool(false) => {
                    let message = "expected a schema that a value may meet, got: `false`";
                    let conflict = Conflict::new(&schema.path(), message.to_owned());
                    return Some(conflict.with_help(REMOVE));
                }
                Node::Object(object) => object,
                _ => continue,
            };
            if self.schemas.iter().any(|earlier_schema| earlier_schema.pointer == schema.pointer) {
                continue;
            }
            if let Some(conflict) = refuse_everything_conflict(object, &schema) {
                return Some(conflict);
            }
            let branches = schema.member("allOf").map(|all| list_items(&all)).unwrap_or_default();
            ahead.extend(branches.into_iter().rev());
            ahead.extend(reference_target(search, &schema));
            self.alternatives.extend(["anyOf", "oneOf"].iter().filter_map(|name| {
                let list = schema.member(name)?;
                list.node.as_array().filter(|list| !list.is_empty())?;
                Some(list)
            }));
            self.schemas.push(schema);
        }
        None
    }

    pub(super) fn object_schemas(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&LocatedNode<'d>, &'d Object)> {
        self.schemas.iter().filter_map(|schema| Some((schema, schema.node.as_object()?)))
    }
}

pub(super) fn list_items<'d>(list: &LocatedNode<'d>) -> Vec<LocatedNode<'d>> {
    let items = list.node.as_array().unwrap_or_default().iter().enumerate();
    items.map(|(at, item)| LocatedNode::new(item, &list.path().index(at))).collect()
}

pub(super) fn reference_target<'d>(
    search: &Search<'d>,
    schema: &LocatedNode<'d>,
) -> Option<LocatedNode<'d>> {
    let Node::String(reference) = schema.node.get("$ref")? else { return None };
    if &**reference == SESSION_ID {
        return None;
    }
    resolve_target(search.document, reference, &schema.path()).ok()
}

fn refuse_everything_conflict(object: &Object, schema: &LocatedNode<'_>) -> Option<Conflict> {
    let excluded = object.get("not")?;
    let is_everything =
        excluded.as_bool() == Some(true) || excluded.as_object().is_some_and(Object::is_empty);
    let message = "expected a schema that a value may meet, got `not` with one that all meet";
    let at = schema.path();
    is_everything.then(|| Conflict::new(&at.name("not"), message.to_owned()).with_help(REMOVE))
}

const REMOVE: &str = "remove it, for example by an overlay; no value meets it";

/// The steps to visit a schema.
const PART: usize = 1;
