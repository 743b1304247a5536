//! Finds the session inputs inside the arguments of an operation, and refuses the operation if the model could supply a
//! protected one. In `strict` mode, and always for values of the context, a session input is bound or the operation is
//! not offered.

use crate::{
    bindings::{Bindings, Graph, UnboundInput},
    code::Code,
    cursor::Cursor,
    findings::Findings,
    input::{Input, ValueSource},
    layout::Layout,
    options::SessionInputs,
    reference::LocatedNode,
    session_input::{Annotation, annotated_source},
};

pub(super) fn session_bindings<'d>(
    cursor: Cursor<'d, '_>,
    session_inputs: SessionInputs,
    layout: &Layout<'d>,
) -> Box<[Bindings]> {
    let Layout { inputs, origins, schemas, .. } = layout;
    if !cursor.document.has_session_inputs() {
        return Box::default();
    }
    let mut all = Vec::new();
    let mut bind = |input: &Input, alternative, schema: &Option<LocatedNode<'d>>, is_item| {
        let Some(schema) = schema else { return };
        let graph = Graph::new(cursor.document, session_inputs);
        let (nodes, unbound) =
            if is_item { graph.nodes_of_items(schema) } else { graph.nodes_of_value(schema) };
        for unbound in &unbound {
            cursor
                .with_findings(|findings| report_unbound_input(unbound, session_inputs, findings));
        }
        let is_only_its_own =
            matches!(nodes.as_slice(), [only] if only.child_nodes().next().is_none());
        if nodes.is_empty() || (is_only_its_own && input.source != ValueSource::Model) {
            return;
        }
        all.push(Bindings { argument: input.argument.clone(), alternative, nodes: nodes.into() });
    };
    for ((input, origin), schema) in inputs.iter().zip(origins).zip(schemas) {
        if origin.alternatives.is_empty() {
            bind(input, None, schema, origin.is_item);
            continue;
        }
        for (at, (schema, is_item)) in layout.alternatives.iter().enumerate() {
            bind(input, Some(at), schema, *is_item);
        }
    }
    all.into()
}

fn report_unbound_input(
    unbound: &UnboundInput,
    session_inputs: SessionInputs,
    findings: &mut Findings,
) {
    let UnboundInput { pointer, annotation, why } = unbound;
    let got = match annotation {
        Some(invalid @ Annotation::Invalid { .. }) => {
            annotated_source(Some(invalid.clone()), pointer, session_inputs, findings);
            return;
        }
        Some(Annotation::Source(source)) => source.reference(),
        None => "more than can be looked through".to_owned(),
    };
    let message = format!("expected a session input {why}, got: `{got}`");
    let is_context = annotation.as_ref().is_none_or(Annotation::is_context);
    if is_context || session_inputs == SessionInputs::Strict {
        let help = "move it to where a value stands; nothing can be filled in here";
        findings.error(Code::SessionInputLost, pointer, message, help);
    } else {
        let help = "move it to where a value stands; here the model is asked for it";
        findings.warning(Code::SessionInputLost, pointer, message, help);
    }
}
