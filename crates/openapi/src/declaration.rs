//! Builds the declaration that a model sees and the schema that its filled arguments must match. Both are built on
//! first use; `layout` decides which inputs exist.

mod body_arguments;
mod edit;
mod mcp_header;
mod root_element;

use std::sync::Arc;

use callgate_tool::{Effect, Object, Schema, Tool, ToolEdit, Value, json, shows_all_letters};
use callgate_tree::{Node, Path};

use crate::{
    blueprint::{AlternativeOrigin, Blueprint, InputOrigin, Origin},
    body::{Body, BodyKind, BodyLayout, BodyMedia, is_merge_patch},
    declaration::mcp_header::Headers,
    document::Document,
    findings::Findings,
    input::{Input, InputLocation},
    purpose::Purpose,
    repetition::drop_repeated_title,
    sanitize::{report_hidden, text_without_markup, visible_trimmed},
    schema::{Builder, View, bytes::Bytes, cache::SchemaCache, nullable::schema_allowing_null},
};

#[derive(Clone, Debug)]
pub(crate) struct DeclarationParts<'a> {
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) built: Arc<SchemaCache>,
    pub(crate) document: &'a Document,
    pub(crate) body: Option<&'a Body>,
    pub(crate) effect: Effect,
    pub(crate) edit: Option<&'a ToolEdit>,
    pub(crate) inputs: &'a [Input],
}

impl DeclarationParts<'_> {
    /// The declaration without the schema of responses, and the findings made while it was built.
    pub(crate) fn tool_without_output(&self) -> (Tool, Findings) {
        let view = View::Declared(self.blueprint.common.session_inputs);
        let mut headers = Headers::new(self.document);
        let body = self.inputs.iter().zip(&self.blueprint.inputs);
        let mut body = body.filter(|(input, _)| self.has_members_as_arguments(input));
        let (input_schema, mut findings) = match body.next() {
            Some((input, origin)) => self.body_members_schema(view, input, origin, &mut headers),
            None => self.arguments_object(view, self.new_findings(), &mut headers),
        };
        let Purpose { texts, n_hidden } = Purpose::from_blueprint(self.blueprint);
        report_hidden(n_hidden, &self.blueprint.operation.pointer, &mut findings);
        let name = self.blueprint.tool_name.clone();
        let tool = Tool::new(name, self.tool_description(texts), input_schema, self.effect);
        let tool = tool.with_most_tokens(self.document.limits().tool_tokens);
        (tool.with_title(self.short_summary()).with_mcp_headers(headers.entries), findings)
    }

    /// The operation's own summary, if it is one short line.
    fn short_summary(&self) -> Option<String> {
        let summary = self.blueprint.operation.node.get("summary")?.as_str()?;
        let title = text_without_markup(summary).text.trim().to_owned();
        let is_short = !title.is_empty() && !title.contains('\n') && title.len() <= LONGEST_TITLE;
        is_short.then_some(title).and_then(|title| self.document.meter().text_if_affordable(title))
    }

    pub(crate) fn arguments_schema(&self) -> (Schema, Findings) {
        self.arguments_object(View::Complete, self.new_findings(), &mut Headers::new(self.document))
    }

    /// The purpose of the tool: the operator's own text, these texts, or else method and path.
    pub(crate) fn tool_description(&self, texts: Vec<String>) -> String {
        if let Some(text) = self.edit.and_then(|edit| edit.description.clone()) {
            return text;
        }
        let texts =
            texts.into_iter().filter_map(|text| self.document.meter().text_if_affordable(text));
        let texts: Vec<_> = texts.collect();
        if texts.is_empty() { self.blueprint.label.clone() } else { texts.join("\n\n") }
    }

    fn new_findings(&self) -> Findings {
        Findings::for_operation(self.blueprint.label.clone())
    }

    fn schema_builder(&self, view: View, findings: Findings) -> Builder<'_> {
        let mut builder = Builder::new(self.document, &self.built, view).with_findings(findings);
        builder.untyped_parts = self.body.map(untyped_parts).unwrap_or_default();
        builder
    }

    fn arguments_object(
        &self,
        view: View,
        findings: Findings,
        headers: &mut Headers<'_>,
    ) -> (Schema, Findings) {
        let mut builder = self.schema_builder(view, findings);
        let mut properties = Object::new();
        let mut required = Vec::new();
        for (input, origin) in self.inputs.iter().zip(&self.blueprint.inputs) {
            if view != View::Complete && !input.visible {
                continue;
            }
            let argument = input.argument.as_str();
            let body = self.body.filter(|_| input.place() == InputLocation::Body);
            let media = body.and_then(|body| body.media.first());
            let bytes = bytes_form(input, media, view);
            let mut built = property_schema(&mut builder, origin, bytes);
            if let Some(body) = body.filter(|_| input.name.is_empty()) {
                root_element::require_root_element(body, &mut built);
            }
            if view != View::Complete {
                drop_repeated_title(&mut built, argument);
                drop_repeated_title(&mut built, &input.name);
                add_name_to_description(input, &mut built);
                self.apply_edit_to_property(input, &mut built);
            }
            let is_removable = bytes == Bytes::Patch && !input.name.is_empty() && !input.required;
            if view != View::Complete {
                // For removable values, items and alternatives the declared schema differs from the description's.
                let is_own = !is_removable && !origin.is_item && origin.alternatives.is_empty();
                headers.search_argument(is_own.then_some(argument), origin, &mut builder.findings);
            }
            properties.insert(
                argument.to_owned(),
                if is_removable { schema_allowing_null(built) } else { built },
            );
            if self.is_always_required(input)
                && (view == View::Complete || needs_model_value(input))
            {
                required.push(Value::from(argument));
            }
        }
        if let Some((name, schema)) = self.body.and_then(content_type_property) {
            properties.insert(name, schema);
        }
        let mut schema = Object::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        schema.insert_unless_empty("required", required);
        schema.insert_if_some("dependentRequired", self.optional_body_dependencies(view));
        schema.insert("additionalProperties".to_owned(), false.into());
        if view != View::Complete {
            self.replace_examples(&mut schema);
        }
        builder.finish_with_definitions(schema)
    }

    /// True if an input is required in every call; properties of an optional body are not.
    fn is_always_required(&self, input: &Input) -> bool {
        input.required && !(input.place() == InputLocation::Body && self.has_flat_optional_body())
    }

    fn has_flat_optional_body(&self) -> bool {
        self.body.is_some_and(|body| body.layout == BodyLayout::Flat && !body.required)
    }

    /// In an optional body, each property requires the required ones.
    fn optional_body_dependencies(&self, view: View) -> Option<Value> {
        let is_seen = |input: &&Input| view == View::Complete || !input.edit.is_hidden;
        let of_body = || {
            let of_body = self.inputs.iter().filter(|input| input.place() == InputLocation::Body);
            of_body.filter(is_seen)
        };
        let is_given = |input: &&Input| view != View::Complete && input.edit.has_value;
        let required = of_body().filter(|input| input.required && !is_given(input));
        let required: Vec<&str> = required.map(|input| input.argument.as_str()).collect();
        if !self.has_flat_optional_body() || required.is_empty() {
            return None;
        }
        let row = |input: &Input| {
            let own = input.argument.as_str();
            let others: Vec<&str> = required.iter().copied().filter(|name| *name != own).collect();
            (!others.is_empty()).then(|| (own.to_owned(), json!(others)))
        };
        let rows: Object = of_body().filter_map(row).collect();
        (!rows.is_empty()).then_some(Value::Object(rows))
    }
}

/// The length limit of a title: people see it on one line.
const LONGEST_TITLE: usize = 100;

/// The form of an input's bytes, by the media type of its body. Only the declaration of a merge patch allows `null` for
/// removable members; the check of sent values handles `null` itself.
fn bytes_form(input: &Input, media: Option<&BodyMedia>, view: View) -> Bytes {
    let is_declared = view != View::Complete;
    match media.map(|media| media.kind) {
        _ if is_declared && media.is_some_and(BodyMedia::is_merge_patch) => Bytes::Patch,
        Some(BodyKind::Binary) => Bytes::Whole,
        Some(BodyKind::Multipart) if input.name.is_empty() => Bytes::Parts,
        Some(BodyKind::Multipart) if is_untyped_part(media, &input.name) => Bytes::Untyped,
        Some(BodyKind::Multipart) => Bytes::Part,
        _ => Bytes::Text,
    }
}

fn is_untyped_part(media: Option<&BodyMedia>, name: &str) -> bool {
    let mut encodings = media.into_iter().flat_map(|media| media.encodings.iter());
    encodings.any(|encoding| encoding.is_untyped && *encoding.name == *name)
}

/// The names of the parts that are bytes by their media type alone.
fn untyped_parts(body: &Body) -> Vec<Arc<str>> {
    let encodings = body.media.iter().flat_map(|media| media.encodings.iter());
    let untyped = encodings.filter(|encoding| encoding.is_untyped);
    untyped.map(|encoding| Arc::clone(&encoding.name)).collect()
}

/// True if the model must supply a required input, because neither a default nor the session does.
fn needs_model_value(input: &Input) -> bool {
    input.default.is_none() && input.source == crate::input::ValueSource::Model
}

fn add_name_to_description(input: &Input, built: &mut Value) {
    let is_whole_body = input.place() == InputLocation::Body && input.name.is_empty();
    let Value::Object(members) = built else { return };
    if is_whole_body || shows_all_letters(input.argument.as_str(), &input.name) {
        return;
    }
    let name: String = visible_trimmed(&input.name).chars().take(LONGEST_NAME).collect();
    let named = format!("The service's name is `{name}`.");
    let text = match members.get("description").and_then(Value::as_str) {
        Some(own) => format!("{named} {own}"),
        None => named,
    };
    members.insert("description".to_owned(), text.into());
}

/// The most characters of a service's name in a description.
const LONGEST_NAME: usize = 100;

fn property_schema<'d>(builder: &mut Builder<'d>, origin: &'d InputOrigin, bytes: Bytes) -> Value {
    let mut members = if origin.alternatives.is_empty() {
        builder.bytes = bytes;
        value_schema(
            builder,
            DeclaredValue { schema: origin.schema.as_ref(), is_item: origin.is_item },
        )
    } else {
        let built = origin
            .alternatives
            .iter()
            .map(|branch_origin| alternative_schema(builder, branch_origin))
            .collect();
        Object::from_iter([("anyOf".to_owned(), Value::Array(built))])
    };
    if let Some(object) = &origin.described_by {
        insert_description(builder, object, origin.description.as_deref(), &mut members);
    }
    Value::Object(members)
}

/// The schema of a body in some of its media types; the schema names them.
fn alternative_schema<'d>(builder: &mut Builder<'d>, origin: &'d AlternativeOrigin) -> Value {
    let is_declared = builder.view != View::Complete;
    let mut names = origin.media_types.iter();
    builder.bytes = match origin.kind {
        _ if is_declared && names.all(|name| is_merge_patch(name)) => Bytes::Patch,
        BodyKind::Binary => Bytes::Whole,
        BodyKind::Multipart => Bytes::Parts,
        _ => Bytes::Text,
    };
    let declared = DeclaredValue { schema: origin.schema.as_ref(), is_item: origin.is_item };
    let mut members = value_schema(builder, declared);
    let named: Vec<String> = origin.media_types.iter().map(|name| format!("`{name}`")).collect();
    let named = format!("As {}.", named.join(", "));
    let text = match members.get("description").and_then(Value::as_str) {
        Some(own) => format!("{named} {own}"),
        None => named,
    };
    members.insert("description".to_owned(), text.into());
    Value::Object(members)
}

#[derive(Clone, Copy)]
struct DeclaredValue<'d> {
    schema: Option<&'d Origin>,
    /// True if the value is a list, and the schema is that of its items.
    is_item: bool,
}

fn value_schema<'d>(builder: &mut Builder<'d>, declared: DeclaredValue<'d>) -> Object {
    let DeclaredValue { schema, is_item } = declared;
    let is_whole = builder.bytes == Bytes::Whole;
    if is_item {
        builder.bytes = builder.bytes.representation_below_keyword("items");
    }
    let built = schema.map(|schema| builder.build_schema(&schema.node, &Path::at(&schema.pointer)));
    let built =
        if is_item { built.map(|item| json!({"type": "array", "items": item})) } else { built };
    let mut members = match built {
        Some(Value::Object(members)) => members,
        // A schema that allows nothing: `false` itself cannot take a description.
        Some(Value::Bool(false)) => Object::from_iter([("not".to_owned(), json!({}))]),
        _ => Object::new(),
    };
    if members.is_empty() && is_whole {
        let whole = Bytes::Whole.schema(&Node::Null, builder.view);
        members.extend(whole.as_object().cloned().unwrap_or_default());
    }
    members
}

fn insert_description(
    builder: &mut Builder<'_>,
    object: &Node,
    instead: Option<&str>,
    members: &mut Object,
) {
    let text = instead.or_else(|| object.get("description")?.as_str());
    if let Some(text) = text.and_then(|text| builder.text_for_model(text, "")) {
        members.insert_unless_empty("description", text.trim());
    }
    if object.is_true("deprecated") {
        members.insert("deprecated".to_owned(), true.into());
    }
    let example = object.get("example").filter(|_| !members.contains_key("examples"));
    let example = example.and_then(|example| builder.copy_or_report(example));
    members.insert_if_some("examples", example.map(|example| json!([example])));
}

fn content_type_property(body: &Body) -> Option<(String, Value)> {
    let name = body.content_type.as_ref()?.as_str().to_owned();
    let selectable = body.media.iter().filter(|media| media.is_selectable);
    let media: Vec<&str> = selectable.map(|media| &*media.media_type).collect();
    let description = "The media type of the body.";
    let schema = json!({"type": "string", "enum": media, "default": media.first(), "description": description});
    Some((name, schema))
}
