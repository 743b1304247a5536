//! Lays out the inputs of an operation as arguments. Parameters come first, then the properties of a body that is a
//! plain object; any other body is one argument. `names` makes the names.

mod alternatives;
pub(crate) mod body_arguments;
mod flat;

use std::{iter, sync::Arc};

use callgate_tool::ArgumentName;
use callgate_tree::{Node, Path};

use self::{
    alternatives::{Alternative, body_alternatives},
    body_arguments::NoBodyArguments,
};
use crate::{
    blueprint::{InputOrigin, Origin},
    body::{Body, BodyLayout, BodyMedia, media::DescribedBody},
    cursor::Cursor,
    document::Document,
    input::{Encoding, Input, InputEdit, InputLocation, Placement},
    meter::KEPT,
    names::{Slot, argument_names},
    options::SessionInputs,
    parameter::Parameter,
    reference::{LocatedNode, reference_chain, reference_targets},
    schema::{is_legal_value, only_value_of, own_only_value, sent_value},
    session_input::{
        Annotation, annotated_source, is_visible_to_model, own_annotation, session_annotation,
    },
};

#[derive(Debug)]
pub(crate) struct Layout<'d> {
    pub(crate) inputs: Vec<Input>,
    pub(crate) schemas: Vec<Option<LocatedNode<'d>>>,
    /// The alternative schemas of a whole body, each with true if it is that of a list's items.
    pub(crate) alternatives: Vec<(Option<LocatedNode<'d>>, bool)>,
    pub(crate) origins: Vec<InputOrigin>,
    pub(crate) body: Option<Body>,
    /// The reason why the members of the body are not the arguments, if the operator wants that.
    pub(crate) no_body_arguments: Option<NoBodyArguments>,
}

struct Entry<'d> {
    wire_name: Arc<str>,
    placement: Placement,
    required: bool,
    schema: Option<LocatedNode<'d>>,
    is_item: bool,
    described_by: Option<&'d Node>,
    described_at: Option<Arc<str>>,
    media: Option<&'d Node>,
    description: Option<Arc<str>>,
    alternatives: Vec<Alternative<'d>>,
}

/// Lays out parameters and body; `wanted` is the layout of the body that the operator requests.
pub(crate) fn arrange_inputs<'d>(
    cursor: Cursor<'d, '_>,
    parameters: Vec<Parameter<'d>>,
    mut body: Option<DescribedBody<'d>>,
    session_inputs: SessionInputs,
    wanted: Option<BodyLayout>,
) -> Layout<'d> {
    let document = cursor.document;
    let refused =
        wanted.and_then(|_| body_arguments::keep_preferred_media(document, &mut body).err());
    let wanted = wanted.filter(|_| refused.is_none());
    let is_choosable = has_several_media_types(body.as_ref());
    let alternatives = body.as_ref().map(body_alternatives).unwrap_or_default();
    let parameters = parameters.into_iter().map(Entry::of_parameter).collect();
    let (entries, shape) =
        entries_and_body_layout(document, parameters, body.as_ref(), &alternatives, wanted);
    let steps = |entry: &Entry<'_>| KEPT * 2 + entry.steps_of_texts();
    let entries: Vec<_> = document.meter().affordable_by(entries, steps).collect();
    let mut names = entry_names(&entries, is_choosable);
    let content_type = (is_choosable).then(|| names.pop()).flatten().flatten();
    let body = body.map(|body| Body {
        required: body.required,
        layout: shape,
        content_type,
        may_be_of_defaults: true,
        media: body
            .media
            .iter()
            .map(|media| BodyMedia {
                media_type: Arc::clone(&media.media_type),
                kind: media.kind,
                is_selectable: is_choosable && media.is_written,
                alternative: alternatives
                    .iter()
                    .position(|alternative| alternative.has_media_type(&media.media_type)),
                encodings: media.encodings.clone(),
                open_files: media.open_files.clone(),
                positions: media.positions.clone(),
                root: media.root.clone(),
            })
            .collect(),
    });
    let n = entries.len();
    let (mut schemas, mut inputs, mut origins) =
        (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    for (mut entry, name) in entries.into_iter().zip(names) {
        let Some(name) = name else { continue };
        let schema = entry.schema.take();
        let (input, origin) = entry.into_input(schema.as_ref(), name, session_inputs, cursor);
        schemas.push(schema);
        inputs.push(input);
        origins.push(origin);
    }
    let of_alternative = |alternative: Alternative<'d>| (alternative.schema, alternative.is_item);
    let alternatives = alternatives.into_iter().map(of_alternative).collect();
    let no_body_arguments =
        refused.or_else(|| wanted.and_then(|_| body_arguments::body_arguments_refusal(&inputs)));
    Layout { inputs, schemas, alternatives, origins, body, no_body_arguments }
}

/// True if there are several media types to choose from.
fn has_several_media_types(body: Option<&DescribedBody<'_>>) -> bool {
    let media = body.into_iter().flat_map(|body| &body.media);
    media.filter(|media| media.is_written).count() > 1
}

/// The inputs before they have names, parameters first, and the layout of the body.
fn entries_and_body_layout<'d>(
    document: &'d Document,
    mut entries: Vec<Entry<'d>>,
    body: Option<&DescribedBody<'d>>,
    alternatives: &[Alternative<'d>],
    wanted: Option<BodyLayout>,
) -> (Vec<Entry<'d>>, BodyLayout) {
    let Some(body) = body else { return (entries, BodyLayout::Whole) };
    if !body.fields.is_empty() {
        // Fields of a Swagger 2.0 form are parameters: they have no common schema that could be one argument.
        entries.extend(body.fields.iter().cloned().map(Entry::of_parameter));
        return (entries, BodyLayout::Flat);
    }
    let may_be_flat = alternatives.is_empty() && wanted.is_none();
    let properties = may_be_flat.then(|| flat::flat_properties(document, body)).flatten();
    let properties = properties.unwrap_or_default();
    let properties: Vec<Entry<'d>> = properties.into_iter().map(Entry::of_property).collect();
    if !properties.is_empty()
        && !have_equal_names(&entries, &properties, has_several_media_types(Some(body)))
    {
        entries.extend(properties);
        return (entries, BodyLayout::Flat);
    }
    entries.push(Entry { alternatives: alternatives.to_vec(), ..Entry::of_body(body) });
    (entries, wanted.unwrap_or(BodyLayout::Whole))
}

/// The names of the entries, and of the argument that selects the media type.
fn entry_names(entries: &[Entry<'_>], is_choosable: bool) -> Vec<Option<ArgumentName>> {
    let slots = entries.iter().map(Entry::name_slot).chain(is_choosable.then_some(CONTENT_TYPE));
    argument_names(&slots.collect::<Vec<_>>())
}

/// True if a property of the body has the name of a parameter: a reader could not distinguish them.
fn have_equal_names(
    parameters: &[Entry<'_>],
    properties: &[Entry<'_>],
    is_choosable: bool,
) -> bool {
    let extra = is_choosable.then_some(CONTENT_TYPE);
    let slots: Vec<Slot<'_>> = parameters.iter().map(Entry::name_slot).chain(extra).collect();
    // Both by the names they get among themselves and by the name each gets alone.
    let alone = slots.iter().flat_map(|slot| argument_names(&[*slot])).flatten();
    let taken: std::collections::BTreeSet<ArgumentName> =
        argument_names(&slots).into_iter().flatten().chain(alone).collect();
    let of_properties: Vec<Slot<'_>> = properties.iter().map(Entry::name_slot).collect();
    argument_names(&of_properties).into_iter().flatten().any(|name| taken.contains(&name))
}

impl<'d> Entry<'d> {
    fn of_parameter(parameter: Parameter<'d>) -> Self {
        Self {
            wire_name: parameter.name,
            placement: parameter.placement,
            required: parameter.required,
            schema: parameter.schema,
            is_item: false,
            described_by: Some(parameter.object),
            described_at: parameter.pointer,
            media: None,
            description: parameter.description,
            alternatives: Vec::new(),
        }
    }

    fn of_property(property: flat::Property<'d>) -> Self {
        Self {
            wire_name: property.name,
            placement: Placement::Body,
            required: property.required,
            schema: Some(property.schema),
            is_item: false,
            described_by: None,
            described_at: None,
            media: None,
            description: None,
            alternatives: Vec::new(),
        }
    }

    fn of_body(body: &DescribedBody<'d>) -> Self {
        Self {
            wire_name: "".into(),
            placement: Placement::Body,
            required: body.required,
            schema: body.media.first().and_then(|media| media.schema.clone()),
            is_item: body.media.first().is_some_and(|media| media.is_item),
            described_by: Some(body.object.node),
            described_at: Some(Arc::clone(&body.object.pointer)),
            media: body.media.first().map(|media| media.object.node),
            description: body.description.clone(),
            alternatives: Vec::new(),
        }
    }

    /// The additional cost of its texts, in steps.
    fn steps_of_texts(&self) -> usize {
        let schema = self.schema.as_ref().map_or(0, |schema| schema.path().step_cost());
        schema + Path::at(&self.wire_name).step_cost()
    }

    fn name_slot(&self) -> Slot<'_> {
        let is_body = self.placement == Placement::Body && self.wire_name.is_empty();
        let place = self.placement.place();
        if is_body {
            Slot::new("body", place)
        } else {
            Slot::from_shared_name(&self.wire_name, place)
        }
    }

    fn session_annotation(
        &self,
        document: &'d Document,
        schema: Option<&LocatedNode<'d>>,
    ) -> Option<Annotation> {
        if !document.has_session_inputs() {
            return None;
        }
        let beside: Vec<&Node> = self.described_by.into_iter().chain(self.media).collect();
        // An annotation about an item does not apply to the list.
        match schema.filter(|_| !self.is_item) {
            Some(schema) => session_annotation(document, schema.node, &schema.path(), &beside),
            None => beside.into_iter().find_map(own_annotation),
        }
    }

    /// True if the description allows the value to be empty (OpenAPI 3.0.4 §4.7.12.2.1) and the schema is of single values: an
    /// empty list would be read as one of an empty text.
    fn allows_empty_value(&self, document: &'d Document, schema: &LocatedNode<'d>) -> bool {
        let object = self.described_by.filter(|object| object.is_true("allowEmptyValue"));
        let Some(object) = object else { return false };
        let is_pair = matches!(self.placement, Placement::Query(Encoding::Styled(_)))
            || object.text("in") == Some("formData");
        let is_single = |kind: &Node| {
            matches!(kind.as_str(), Some("boolean" | "integer" | "null" | "number" | "string"))
        };
        let kind = reference_chain(document, schema.node, &schema.path())
            .find_map(|node| node.get("type"));
        let is_of_singles = kind.is_some_and(|kind| match kind.as_array() {
            Some(kinds) => kinds.iter().all(is_single),
            None => is_single(kind),
        });
        is_pair && is_of_singles
    }

    fn into_input(
        self,
        schema: Option<&LocatedNode<'d>>,
        argument: ArgumentName,
        session_inputs: SessionInputs,
        cursor: Cursor<'d, '_>,
    ) -> (Input, InputOrigin) {
        let document = cursor.document;
        let pointer = schema.map(|schema| &schema.pointer);
        let pointer = pointer.or(self.described_at.as_ref()).map(AsRef::as_ref).unwrap_or_default();
        let annotation = self.session_annotation(document, schema);
        let source = cursor.with_findings(|findings| {
            annotated_source(annotation, pointer, session_inputs, findings)
        });
        let default = schema.and_then(|schema| {
            let default = default_or_only_value(document, schema, self.required)?;
            let said: Vec<&Node> = reference_chain(document, schema.node, &schema.path()).collect();
            sent_value(document, &said, default)
        });
        let allows_empty = schema.is_some_and(|schema| self.allows_empty_value(document, schema));
        let input = Input {
            argument,
            placement: self.placement,
            name: self.wire_name,
            required: self.required,
            visible: is_visible_to_model(&source, session_inputs),
            source,
            default,
            is_fixed: schema.is_some_and(|schema| {
                only_value_of(document, schema.node, &schema.path()).is_some()
            }),
            allows_empty,
            edit: InputEdit::default(),
        };
        let origin = InputOrigin {
            schema: schema.map(Origin::from_located),
            is_item: self.is_item,
            described_by: self.described_by.cloned(),
            description: self.description,
            alternatives: self.alternatives.iter().map(Alternative::alternative_origin).collect(),
        };
        (input, origin)
    }
}

/// The default of a schema if it is legal, else the only value of a required one.
fn default_or_only_value<'d>(
    document: &'d Document,
    schema: &LocatedNode<'d>,
    required: bool,
) -> Option<&'d Node> {
    let path = schema.path();
    let further = reference_targets(document, schema.node, &path);
    let said = || iter::once(schema.node).chain(further.iter().map(|at| at.node));
    let default = said().find_map(|node| node.get("default"));
    let default = default.filter(|value| is_legal_value(document, schema.node, &path, value));
    let only = || said().find_map(own_only_value).filter(|_| required);
    default.or_else(only)
}

const CONTENT_TYPE: Slot<'static> = Slot::new("content_type", InputLocation::Header);
