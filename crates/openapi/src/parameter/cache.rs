//! Keeps the parameters that were read: hundreds of operations list equal ones, by reference or word for word. The
//! place of each is determined anew; a faulty parameter is read, and reported, every time.

use std::{ptr, sync::Arc};

use callgate_tree::{Node, Path};
use hashbrown::HashMap;

use crate::{
    cursor::Cursor,
    parameter::{List, Parameter, read_parameter_list},
    reference::{LocatedNode, reference_of},
};

/// The parameters that were read without a finding, by the addresses of their nodes: operations share many, by
/// reference or by equal text.
#[derive(Debug, Default)]
pub(crate) struct ParameterCache<'d> {
    by_address: HashMap<usize, CachedParameter<'d>>,
    /// The pointer of the path item that was read last, and its list.
    item: Option<(Arc<str>, List<'d>)>,
}

#[derive(Debug)]
enum CachedParameter<'d> {
    Here(Parameter<'d>),
    There(Parameter<'d>),
}

/// The parameters of a path item, read once for all its operations if there are no findings.
pub(super) fn path_item_parameters<'d>(
    parameter_cache: &mut ParameterCache<'d>,
    cursor: Cursor<'d, '_>,
    item: &LocatedNode<'d>,
) -> Vec<Parameter<'d>> {
    if let Some((_, list)) =
        parameter_cache.item.as_ref().filter(|(pointer, _)| Arc::ptr_eq(pointer, &item.pointer))
    {
        return cursor.document.while_affordable(&list.parameters, list.steps).cloned().collect();
    }
    let (list, own) = cursor
        .with_own_findings(|cursor| read_parameter_list(parameter_cache, cursor.at_node(item)));
    cursor.absorb_findings(&own);
    let parameters = list.parameters.clone();
    let is_whole = own.is_empty() && !cursor.document.is_spent();
    parameter_cache.item = is_whole.then(|| (Arc::clone(&item.pointer), list));
    parameters
}

impl<'d> ParameterCache<'d> {
    pub(super) fn cached_or_read_parameter(
        &mut self,
        listed: Cursor<'d, '_>,
        one: impl FnOnce(Cursor<'d, '_>) -> Option<Parameter<'d>>,
    ) -> Option<Parameter<'d>> {
        let (node, path) = (listed.node, listed.path());
        let Some(object) =
            node.as_object().filter(|_| listed.document.has_uniform_references(path))
        else {
            return one(listed);
        };
        if let Some(cached_parameter) = self.by_address.get(&object.address()) {
            return Some(cached_parameter.at_reference(node, path));
        }
        let (parameter, own) = listed.with_own_findings(one);
        if let Some(parameter) = parameter.as_ref().filter(|_| own.is_empty()) {
            let shared = CachedParameter::from_parameter(parameter, node);
            self.by_address.extend(shared.map(|shared| (object.address(), shared)));
        }
        listed.absorb_findings(&own);
        parameter
    }
}

impl<'d> CachedParameter<'d> {
    fn from_parameter(parameter: &Parameter<'d>, node: &Node) -> Option<Self> {
        if reference_of(node).is_some() {
            return Some(Self::There(parameter.clone()));
        }
        let schema = parameter.schema.as_ref().map(|schema| schema.node);
        let is_own = match (schema, parameter.object.get("schema")) {
            (Some(schema), Some(own)) => ptr::eq(schema, own),
            (None, None) => true,
            _ => false,
        };
        is_own.then(|| Self::Here(parameter.clone()))
    }

    fn at_reference(&self, node: &'d Node, path: &Path<'_>) -> Parameter<'d> {
        match self {
            Self::There(parameter) => parameter.clone(),
            Self::Here(parameter) => {
                let schema = node.get("schema");
                let schema = schema.map(|schema| LocatedNode::new(schema, &path.name("schema")));
                let pointer = schema.is_none().then(|| path.pointer());
                Parameter { object: node, pointer, schema, ..parameter.clone() }
            }
        }
    }
}
