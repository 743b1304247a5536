//! The keys that the inputs of an operation own in the request: query keys, cookies, fields and parts of bodies, matrix
//! parameters of paths. Each key has one writer; an object whose members become separate keys must not write those of
//! another input. `call` checks the values of each call; this module finds keys that collide by the description alone.

use std::{collections::BTreeSet, fmt, sync::Arc};

use callgate_tool::{Schema, Value};
use percent_encoding::percent_decode_str;

use crate::{
    body::{Body, BodyKind, BodyLayout, BodyMedia},
    code::Code,
    document::Document,
    findings::Findings,
    input::{Input, InputLocation, Style, Styled},
};

/// Groups of keys in which equal names are one key.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum KeySpace {
    /// Fields or parts of the body of this media type, counted from 0.
    Body(usize),
    /// Cookies.
    Cookie,
    /// Matrix parameters of the path.
    Path,
    /// Keys of the query.
    Query,
}

/// The writer of a key.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Writer {
    /// The argument, or the member of the body, with this name: `filter`, `body.filter`.
    Argument(Arc<str>),
    /// A credential.
    Credential,
    /// The path key, whose own query contains the key.
    Path,
}

/// The way in which a writer's value becomes keys.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum KeyForm {
    /// `name[member]`, for members of any depth.
    Deep,
    /// A key for each member of an object.
    Exploded,
    /// The writer's own name.
    Single,
}

/// The keys of one writer.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeyOwner {
    /// The part of the request that contains the keys.
    pub space: KeySpace,
    /// The writer of the keys.
    pub writer: Writer,
    /// The writer's own name on the wire.
    pub name: Arc<str>,
    /// The way in which the writer's value becomes keys.
    pub form: KeyForm,
    /// The keys of the members that the writer's schema declares.
    pub declared: BTreeSet<String>,
}

impl KeyOwner {
    /// True if the writer owns a key, by its name or its declared members.
    pub fn owns(&self, key: &str) -> bool {
        // Many services read the keys of credentials in any letter case.
        let is_credential = self.writer == Writer::Credential;
        (is_credential && self.name.eq_ignore_ascii_case(key))
            || (*self.name == *key && !key.is_empty())
            || self.is_deep_object_key(key)
            || self.declared.contains(key)
    }

    /// True if the schema declares the member that writes a key.
    pub fn declares(&self, key: &str) -> bool {
        let rest =
            |declared_key: &String| key.strip_prefix(declared_key.as_str()).map(str::to_owned);
        let is_below = |declared_key| rest(declared_key).is_some_and(|rest| rest.starts_with('['));
        self.declared.contains(key)
            || (self.form == KeyForm::Deep && self.declared.iter().any(is_below))
    }

    fn is_deep_object_key(&self, key: &str) -> bool {
        let rest = key.strip_prefix(&*self.name).filter(|_| self.form == KeyForm::Deep);
        rest.is_some_and(|rest| rest.starts_with('['))
    }
}

impl KeySpace {
    /// The words for a key in this space: `query key`.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Body(_) => "field of the body",
            Self::Cookie => "cookie",
            Self::Path => "matrix parameter",
            Self::Query => "query key",
        }
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(name) => write!(f, "`{name}`"),
            Self::Credential => f.write_str("a credential"),
            Self::Path => f.write_str("the path"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyWriters<'a> {
    pub(crate) inputs: &'a [Input],
    pub(crate) body: Option<&'a Body>,
    pub(crate) fixed_query: Option<&'a str>,
    pub(crate) credentials: &'a [(InputLocation, Arc<str>)],
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum SchemaRoot<'a> {
    /// A schema with shared definitions; each look-up is charged to the document.
    Shared(&'a Schema, &'a Document),
    Whole(&'a Value),
}

impl<'a> SchemaRoot<'a> {
    pub(crate) fn own_schema(self) -> &'a Value {
        match self {
            Self::Shared(schema, _) => schema.without_definitions(),
            Self::Whole(schema) => schema,
        }
    }

    pub(crate) fn target(self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        match self {
            Self::Shared(schema, document) => {
                let name = pointer.strip_prefix("/$defs/")?;
                let mut groups =
                    document.while_affordable(schema.definitions().groups().chunks(GROUPS), 1);
                let definition =
                    groups.find_map(|some| some.iter().find_map(|group| group.get(name)));
                Some(&definition?.schema)
            }
            Self::Whole(schema) => schema.pointer(pointer),
        }
    }

    /// The first result from a schema, from its reference or from its compositions; `left` schemas are visited.
    pub(crate) fn first_match(
        self,
        schema: &'a Value,
        wanted: &dyn Fn(&'a Value) -> Option<&'a Value>,
        left: &mut usize,
    ) -> Option<&'a Value> {
        *left = left.checked_sub(1)?;
        if let Some(value) = wanted(schema) {
            return Some(value);
        }
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|reference| self.target(reference));
        let branches = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword));
        let branches = branches.filter_map(Value::as_array).flatten();
        target.into_iter().chain(branches).find_map(|schema| self.first_match(schema, wanted, left))
    }
}

/// The number of groups of definitions that are searched in one step.
const GROUPS: usize = 4;

/// The owners of all keys of an operation; `schema` is that of all its arguments. A body is left out if no field turns
/// its members into fields, because each member then writes only its own name.
pub(crate) fn key_owners(operation: KeyWriters<'_>, schema: SchemaRoot<'_>) -> Vec<KeyOwner> {
    let mut owners: Vec<KeyOwner> =
        operation.inputs.iter().filter_map(|i| input_key_owner(i, schema)).collect();
    let fields = operation.body.map_or(0, |body| body.media.len());
    for (place, name) in operation.credentials {
        let spaces = match place {
            InputLocation::Body => (0..fields).map(KeySpace::Body).collect(),
            InputLocation::Cookie => vec![KeySpace::Cookie],
            InputLocation::Query => vec![KeySpace::Query],
            _ => Vec::new(),
        };
        let owner = |space| single_key_owner(space, Writer::Credential, Arc::clone(name));
        owners.extend(spaces.into_iter().map(owner));
    }
    let fixed = operation.fixed_query.iter().flat_map(|query| query.split('&'));
    owners.extend(fixed.map(|pair| {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        let name = percent_decode_str(name).decode_utf8_lossy();
        single_key_owner(KeySpace::Query, Writer::Path, name.as_ref().into())
    }));
    if let Some(body) = operation.body {
        for (at, media) in body.media.iter().enumerate() {
            owners.extend(body_key_owners(
                operation.inputs,
                body,
                media,
                KeySpace::Body(at),
                schema,
            ));
        }
    }
    owners
}

/// Reports the keys that two writers share by the description alone.
pub(crate) fn report_shared_keys(owners: &[KeyOwner], pointer: &str, findings: &mut Findings) {
    for (at, owner) in owners.iter().enumerate() {
        let others = || owners.iter().enumerate().filter(|(other, _)| *other != at);
        for key in &owner.declared {
            let is_first = |other: usize, other_owner: &KeyOwner| {
                other > at || !other_owner.declared.contains(key)
            };
            let clash = others().find(|(other, other_owner)| {
                other_owner.space == owner.space
                    && other_owner.owns(key)
                    && is_first(*other, other_owner)
            });
            let Some((_, other)) = clash else { continue };
            let message = format!(
                "expected one writer for the {} `{key}`, got two: {} and {}",
                owner.space.noun(),
                owner.writer,
                other.writer
            );
            let help = "rename one of them; a call that gives this member is refused";
            findings.warning(Code::KeyCollision, pointer, message, help);
        }
    }
}

fn single_key_owner(space: KeySpace, writer: Writer, name: Arc<str>) -> KeyOwner {
    KeyOwner { space, writer, name, form: KeyForm::Single, declared: BTreeSet::new() }
}

fn input_key_owner(input: &Input, schema: SchemaRoot<'_>) -> Option<KeyOwner> {
    let styled = input.placement.parameter_style();
    let space = match input.place() {
        InputLocation::Cookie => KeySpace::Cookie,
        InputLocation::Query | InputLocation::Querystring => KeySpace::Query,
        InputLocation::Path if styled?.style == Style::Matrix => KeySpace::Path,
        InputLocation::Body | InputLocation::Header | InputLocation::Path => return None,
    };
    let argument = input.argument.as_str();
    // A whole query string has no name.
    let is_whole = input.place() == InputLocation::Querystring;
    let form = if is_whole { KeyForm::Exploded } else { key_form(styled) };
    let name = if is_whole { "".into() } else { Arc::clone(&input.name) };
    let owner =
        KeyOwner { form, ..single_key_owner(space, Writer::Argument(argument.into()), name) };
    let properties = schema.own_schema().get("properties");
    let own = properties.and_then(|properties| properties.get(argument));
    Some(with_declared_keys(owner, own, schema))
}

/// The owners of the fields of a body, if one of them writes its members as keys.
fn body_key_owners(
    inputs: &[Input],
    body: &Body,
    media: &BodyMedia,
    space: KeySpace,
    schema: SchemaRoot<'_>,
) -> Vec<KeyOwner> {
    let is_spread = media
        .encodings
        .iter()
        .any(|encoding| key_form(encoding.styled.as_ref()) != KeyForm::Single);
    if !is_spread || !matches!(media.kind, BodyKind::Form | BodyKind::Multipart) {
        return Vec::new();
    }
    let of_encoding = |name: &str| {
        let encoding = media.encodings.iter().find(|encoding| *encoding.name == *name);
        key_form(encoding.and_then(|encoding| encoding.styled.as_ref()))
    };
    let owner = |argument: Arc<str>, name: &str, own: Option<&Value>| {
        let mut owner = single_key_owner(space, Writer::Argument(argument), name.into());
        owner.form = of_encoding(name);
        with_declared_keys(owner, own, schema)
    };
    let properties = schema.own_schema().get("properties");
    let inputs = inputs.iter().filter(|input| input.place() == InputLocation::Body);
    if body.layout == BodyLayout::Flat {
        let of_input = |input: &Input| {
            let argument = input.argument.as_str();
            owner(
                argument.into(),
                &input.name,
                properties.and_then(|property_map| property_map.get(argument)),
            )
        };
        return inputs.map(of_input).collect();
    }
    let Some(argument) = inputs.map(|input| input.argument.as_str()).next() else {
        return Vec::new();
    };
    let whole = properties.and_then(|property_map| media.schema_in(property_map.get(argument)?));
    let mut members = Members::new(schema);
    members.gather_members(whole);
    let of_member =
        |(name, own): (&str, &Value)| owner(format!("{argument}.{name}").into(), name, Some(own));
    members.declared.into_iter().map(of_member).collect()
}

fn with_declared_keys(mut owner: KeyOwner, own: Option<&Value>, root: SchemaRoot<'_>) -> KeyOwner {
    if owner.form == KeyForm::Single {
        return owner;
    }
    let mut members = Members::new(root);
    members.gather_members(own);
    let names = members.declared.into_iter().map(|(name, _)| name);
    owner.declared = match owner.form {
        KeyForm::Deep => names.map(|name| format!("{}[{name}]", owner.name)).collect(),
        _ => names.map(str::to_owned).collect(),
    };
    owner
}

fn key_form(styled: Option<&Styled>) -> KeyForm {
    match styled {
        Some(Styled { style: Style::DeepObject, .. }) => KeyForm::Deep,
        Some(Styled { explode: true, style, .. }) if *style != Style::Simple => KeyForm::Exploded,
        _ => KeyForm::Single,
    }
}

/// Collects the members that a schema declares, through references and compositions.
pub(crate) struct Members<'a> {
    root: SchemaRoot<'a>,
    pub(crate) declared: Vec<(&'a str, &'a Value)>,
    left: usize,
}

impl<'a> Members<'a> {
    pub(crate) fn new(root: SchemaRoot<'a>) -> Self {
        Self { root, declared: Vec::new(), left: MOST_VISITED }
    }

    pub(crate) fn gather_members(&mut self, schema: Option<&'a Value>) {
        let Some(schema) = schema.and_then(Value::as_object).filter(|_| self.left > 0) else {
            return;
        };
        self.left -= 1;
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, own) in properties.into_iter().flatten() {
            let is_answered = own.get("readOnly").and_then(Value::as_bool) == Some(true);
            if !is_answered && !self.declared.iter().any(|(entry, _)| entry == name) {
                self.declared.push((name, own));
            }
        }
        let target = schema.get("$ref").and_then(Value::as_str);
        self.gather_members(target.and_then(|reference| self.root.target(reference)));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.gather_members(Some(branch));
            }
        }
    }
}

/// The number of schemas that are visited. Nested compositions can be walked in more ways than they have parts; real
/// ones have fewer than fifty.
const MOST_VISITED: usize = 200;
