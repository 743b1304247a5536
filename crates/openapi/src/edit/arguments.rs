//! Applies an edit to the inputs of an operation. An edit never lets a model choose more than the description does: values
//! of the session stay the session's.

use callgate_tool::{EditFault, EditFaultKind, ToolEdit};

use crate::{
    bindings::Bindings,
    body::BodyLayout,
    input::{Input, InputEdit, InputLocation, ValueSource},
    layout::Layout,
};

#[derive(Debug, Default)]
pub(crate) struct AppliedArguments {
    pub(crate) faults: Vec<EditFault>,
    /// The fixed arguments that the operation does not have, and that are no misspelling of others: without their values a
    /// call would be another one than the operator wants.
    pub(crate) lost: Vec<String>,
}

pub(crate) fn apply_to_layout(
    edit: &ToolEdit,
    layout: &mut Layout<'_>,
    bindings: &[Bindings],
) -> AppliedArguments {
    let mut applied = AppliedArguments { faults: edit.contradictions(), lost: Vec::new() };
    for (pointer, name) in edit.changed_arguments() {
        let Some(fault) = argument_change_fault(&pointer, name, layout, bindings) else { continue };
        if fault.kind == EditFaultKind::Gone && edit.fix.contains_key(name) {
            applied.lost.push(name.to_owned());
        } else {
            applied.faults.push(fault);
        }
    }
    if !applied.faults.is_empty() && has_refusing_fault(&applied.faults) {
        return applied;
    }
    for input in &mut layout.inputs {
        applied.faults.extend(apply_edit_to_input(input, edit).err());
    }
    update_body_for_edited_inputs(edit, layout);
    applied
}

fn has_refusing_fault(faults: &[EditFault]) -> bool {
    let is_warning = |kind| matches!(kind, EditFaultKind::Gone | EditFaultKind::Unused);
    faults.iter().any(|fault| !is_warning(fault.kind))
}

/// The fault of one change, whose kind its pointer shows.
fn argument_change_fault(
    pointer: &str,
    name: &str,
    layout: &Layout<'_>,
    bindings: &[Bindings],
) -> Option<EditFault> {
    let body = layout.body.as_ref();
    if body.is_some_and(|body| body.layout == BodyLayout::Arguments) {
        let message = format!(
            "expected a tool whose arguments are inputs of their own, got a member of its body: `{name}`"
        );
        let help = "remove the tool from `arguments`, or change the description by an overlay";
        return Some(EditFault::impossible_change(pointer, message, help));
    }
    let content_type = body.and_then(|body| body.content_type.as_ref());
    if content_type.is_some_and(|own| own.as_str() == name) {
        let message =
            format!("expected an argument with a value, got the media type of the body: `{name}`");
        let help = "leave one media type in the description by an overlay";
        return Some(EditFault::impossible_change(pointer, message, help));
    }
    let Some(input) = layout.inputs.iter().find(|input| input.argument.as_str() == name) else {
        return Some(unknown_argument_fault(pointer, name, layout));
    };
    let gives_value = ["/fix/", "/defaults/"].iter().any(|key| pointer.starts_with(key));
    let is_bound = bindings.iter().any(|binding| binding.argument == input.argument);
    if (input.source != ValueSource::Model || is_bound) && gives_value {
        let source = match input.source.reference() {
            own if own.is_empty() => "values inside it".to_owned(),
            own => format!("`{own}`"),
        };
        let message = format!(
            "expected an argument without values of the session, got one with {source}: `{name}`"
        );
        return Some(EditFault::impossible_change(
            pointer,
            message,
            "remove it: the session gives this value",
        ));
    }
    if !input.visible && pointer.starts_with("/describe/") {
        let message = format!("expected an argument that the model sees, got: `{name}`");
        let fault =
            EditFault::impossible_change(pointer, message, "remove it: the argument is hidden");
        return Some(fault.with_kind(EditFaultKind::Unused));
    }
    let is_choosable = content_type.is_some() && is_whole_body(input);
    if is_choosable && pointer.starts_with("/defaults/") {
        let message = format!(
            "expected an argument of one form, got a body of several media types: `{name}`"
        );
        let help =
            format!("`fix: {{{name}: …}}` sends it in the first; or leave one by an overlay");
        return Some(EditFault::impossible_change(pointer, message, help));
    }
    None
}

fn unknown_argument_fault(pointer: &str, name: &str, layout: &Layout<'_>) -> EditFault {
    let argument_names = || layout.inputs.iter().map(|input| input.argument.as_str());
    let is_path = |name: &str| {
        let (first, _) = name.split_once(['.', '['])?;
        argument_names().find(|argument_name| *argument_name == first)
    };
    if let Some(whole) = is_path(name) {
        let message = format!("expected an argument, got a value inside `{whole}`: `{name}`");
        let help = "change the description by an overlay";
        return EditFault::impossible_change(pointer, message, help);
    }
    let visible = layout.inputs.iter().filter(|input| input.visible);
    EditFault::unknown_argument(pointer, name, visible.map(|input| input.argument.as_str()))
}

fn apply_edit_to_input(input: &mut Input, edit: &ToolEdit) -> Result<(), EditFault> {
    let name = input.argument.as_str();
    let is_hidden = edit.hides(name);
    if let Some(value) = edit.value(name) {
        input.default = Some(value.clone());
    }
    // What only the default can give is sent, however little else a call says.
    let is_only_default = is_hidden && input.required && input.source == ValueSource::Model;
    let has_value = edit.value(name).is_some() || (is_only_default && input.default.is_some());
    if is_only_default && !has_value {
        return Err(EditFault::missing_hidden_value(edit.hide_or_value_pointer(name), name));
    }
    input.visible &= !is_hidden;
    input.edit = InputEdit { is_hidden, has_value };
    Ok(())
}

/// A fixed part of a body is always sent, and so is the body. A hidden body has no media type that a model chooses.
fn update_body_for_edited_inputs(edit: &ToolEdit, layout: &mut Layout<'_>) {
    let Some(body) = &mut layout.body else { return };
    let of_body = || layout.inputs.iter().filter(|input| input.place() == InputLocation::Body);
    body.required |= of_body().any(|input| edit.fix.contains_key(input.argument.as_str()));
    if of_body().any(|input| is_whole_body(input) && input.edit.is_hidden) {
        body.content_type = None;
        body.media.iter_mut().for_each(|media| media.is_selectable = false);
    }
}

fn is_whole_body(input: &Input) -> bool {
    input.place() == InputLocation::Body && input.name.is_empty()
}
