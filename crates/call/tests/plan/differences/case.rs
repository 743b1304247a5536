//! One case: a version of OpenAPI, the location and the style of a value, its schema, and the value that is given. It makes
//! the description; `space` draws cases.

use crate::prelude::*;

/// The version of a description.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Version {
    V2,
    V30,
    V31,
    V32,
}

/// The location of the value `color`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    Cookie,
    Form,
    Header,
    JsonMember,
    Part,
    Path,
    Query,
    QuerystringForm,
    QuerystringJson,
}

/// The type of a value, as far as it decides how its text is read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Any,
    Boolean,
    Integer,
    List(Box<Schema>),
    Map(Box<Schema>),
    Number,
    Object(Vec<Member>),
    Text,
    /// A list with a type for each item.
    Tuple(Vec<Schema>),
}

/// A member of an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) is_required: bool,
    pub(crate) schema: Schema,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Schema {
    pub(crate) kind: Kind,
    pub(crate) is_nullable: bool,
    pub(crate) default: Option<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) version: Version,
    pub(crate) place: Place,
    /// The declared style or `content`; in version 2.0 the formats of the list and of the lists in it.
    pub(crate) style: Option<&'static str>,
    pub(crate) explode: Option<bool>,
    pub(crate) allow_reserved: bool,
    pub(crate) allow_empty_value: bool,
    pub(crate) is_required: bool,
    /// True if a body has another member beside the value.
    pub(crate) has_sibling: bool,
    pub(crate) schema: Schema,
    pub(crate) given: Option<Value>,
}

impl Schema {
    pub(crate) fn of(kind: Kind) -> Self {
        Self { kind, is_nullable: false, default: None }
    }

    /// The schema with the types of the given value where it leaves them open: a service knows what it expects.
    pub(crate) fn with_types_of(&self, given: &Value) -> Self {
        let kind = match (&self.kind, given) {
            (Kind::Any, Value::Array(items)) => Kind::Tuple(
                items.iter().map(|item| Self::of(Kind::Any).with_types_of(item)).collect(),
            ),
            (Kind::Any, Value::Bool(_)) => Kind::Boolean,
            (Kind::Any, Value::Number(_)) => Kind::Number,
            (Kind::Any, Value::String(_)) => Kind::Text,
            (Kind::Any, Value::Object(members)) => {
                Kind::Object(Self::members_of(&[], None, members))
            }
            (Kind::Map(other), Value::Object(members)) => {
                Kind::Object(Self::members_of(&[], Some(other), members))
            }
            (Kind::Object(known), Value::Object(members)) => {
                Kind::Object(Self::members_of(known, None, members))
            }
            (Kind::List(item), Value::Array(items)) => {
                Kind::Tuple(items.iter().map(|given| item.with_types_of(given)).collect())
            }
            (kind, _) => kind.clone(),
        };
        Self { kind, ..self.clone() }
    }

    fn members_of(known: &[Member], other: Option<&Self>, given: &Object) -> Vec<Member> {
        let any = Self::of(Kind::Any);
        let find = |name: &str| known.iter().find(|member| member.name == name);
        let of_given = given.iter().map(|(name, value)| {
            let schema = find(name).map_or_else(|| other.unwrap_or(&any), |member| &member.schema);
            Member { name: name.clone(), is_required: false, schema: schema.with_types_of(value) }
        });
        let of_given: Vec<_> = of_given.collect();
        let is_absent = |member: &&Member| given.get(&member.name).is_none();
        known.iter().filter(is_absent).cloned().chain(of_given).collect()
    }

    /// Takes away what version 2.0 cannot say.
    pub(crate) fn forbid_null(&mut self) {
        self.is_nullable = false;
        match &mut self.kind {
            Kind::List(inner) | Kind::Map(inner) => inner.forbid_null(),
            Kind::Object(members) => {
                for member in members {
                    member.schema.forbid_null();
                }
            }
            _ => {}
        }
    }

    /// The schema of an item, if this is a list.
    pub(crate) fn item(&self, at: usize) -> Option<Self> {
        match &self.kind {
            Kind::List(item) => Some((**item).clone()),
            Kind::Tuple(items) => {
                Some(items.get(at).cloned().unwrap_or_else(|| Self::of(Kind::Any)))
            }
            _ => None,
        }
    }

    pub(crate) fn to_value(&self, version: Version) -> Value {
        let list = |item: &Self| json!({"type": "array", "items": item.to_value(version)});
        let mut schema = match &self.kind {
            Kind::Any => json!({}),
            Kind::Boolean => json!({"type": "boolean"}),
            Kind::Integer => json!({"type": "integer"}),
            Kind::List(item) => list(item),
            Kind::Map(item) => {
                json!({"type": "object", "additionalProperties": item.to_value(version)})
            }
            Kind::Number => json!({"type": "number"}),
            Kind::Object(members) => object(members, version),
            Kind::Text => json!({"type": "string"}),
            Kind::Tuple(_) => json!({"type": "array"}),
        };
        match (self.is_nullable, version) {
            (true, Version::V30) if self.kind != Kind::Any => schema["nullable"] = json!(true),
            (true, Version::V31 | Version::V32) if self.kind != Kind::Any => {
                schema["type"] = json!([schema["type"], "null"]);
            }
            _ => {}
        }
        if let Some(default) = &self.default {
            schema["default"] = default.clone();
        }
        schema
    }
}

fn object(members: &[Member], version: Version) -> Value {
    let properties =
        members.iter().map(|member| (member.name.clone(), member.schema.to_value(version)));
    let required: Value = members
        .iter()
        .filter(|member| member.is_required)
        .map(|member| member.name.clone())
        .collect();
    let mut schema = json!({"type": "object", "properties": Value::Object(properties.collect())});
    if required != json!([]) {
        schema["required"] = required;
    }
    schema
}

impl Case {
    /// The style of the value, and whether its parts stand apart.
    pub(crate) fn style(&self) -> (&'static str, bool) {
        let default = match self.place {
            Place::Cookie | Place::Query => "form",
            Place::Header | Place::Path => "simple",
            Place::Form
            | Place::JsonMember
            | Place::Part
            | Place::QuerystringForm
            | Place::QuerystringJson => "",
        };
        if self.version == Version::V2 {
            let format = self.style.unwrap_or("csv").split(' ').next().unwrap_or_default();
            return (format, format == "multi");
        }
        let is_body = matches!(self.place, Place::Form | Place::Part);
        // OpenAPI 3.0.4 §4.7.15.1: other bodies than forms ignore styles. A style, an `explode` or an `allowReserved` alone
        // has the others' defaults.
        let is_styled = !(self.version == Version::V30 && self.place == Place::Part)
            && (self.style.is_some() || self.explode.is_some() || self.allow_reserved);
        let style = self.style.unwrap_or(if is_body && is_styled { "form" } else { default });
        let style = if is_body && !is_styled { "" } else { style };
        (style, self.explode.unwrap_or(style == "form" || style == "cookie"))
    }

    fn is_body(&self) -> bool {
        matches!(self.place, Place::Form | Place::JsonMember | Place::Part)
    }

    fn schema(&self) -> Value {
        let mut schema = self.schema.to_value(self.version);
        let is_of_formats = self.version == Version::V2 && self.place != Place::JsonMember;
        let mut level = &mut schema;
        for format in self.style.unwrap_or("csv").split(' ').filter(|_| is_of_formats) {
            if level["type"] != json!("array") {
                break;
            }
            level["collectionFormat"] = format.into();
            level = &mut level["items"];
        }
        schema
    }

    fn parameter(&self) -> Value {
        let place = match self.place {
            Place::Cookie => "cookie",
            Place::Form | Place::Part => "formData",
            Place::Header => "header",
            Place::Path => "path",
            Place::JsonMember | Place::Query => "query",
            Place::QuerystringForm | Place::QuerystringJson => "querystring",
        };
        let mut parameter = json!({"name": "color", "in": place, "required": self.is_required});
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                parameter[name] = value;
            }
        };
        set("allowEmptyValue", self.allow_empty_value.then_some(json!(true)));
        if self.version == Version::V2 {
            for (name, value) in members(self.schema()) {
                parameter[&*name] = value;
            }
            return parameter;
        }
        match (self.place, self.style) {
            (Place::QuerystringForm, _) => {
                set("content", Some(json!({FORM: {"schema": self.schema()}})));
            }
            (_, Some("content")) | (Place::QuerystringJson, _) => {
                set("content", Some(json!({"application/json": {"schema": self.schema()}})));
            }
            (_, style) => {
                set("style", style.map(Value::from));
                set("explode", self.explode.map(Value::from));
                set("allowReserved", self.allow_reserved.then_some(json!(true)));
                set("schema", Some(self.schema()));
            }
        }
        parameter
    }

    fn body(&self) -> Value {
        let mut properties = Object::new();
        properties.insert("color", self.schema());
        let mut required = Vec::new();
        if self.is_required {
            required.push(Value::from("color"));
        }
        if self.has_sibling {
            properties.insert("sibling", json!({"type": "string"}));
            required.push(Value::from("sibling"));
        }
        let mut schema = json!({"type": "object", "properties": Value::Object(properties)});
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }

    fn request_body(&self) -> Value {
        let mut media = json!({"schema": self.body()});
        let mut encoding = Object::new();
        encoding.extend(self.style.map(|style| ("style".to_owned(), style.into())));
        encoding.extend(self.explode.map(|explode| ("explode".to_owned(), explode.into())));
        encoding.extend(self.allow_reserved.then(|| ("allowReserved".to_owned(), true.into())));
        if !encoding.is_empty() && self.place != Place::JsonMember {
            media["encoding"] = json!({"color": Value::Object(encoding)});
        }
        json!({"required": self.is_required, "content": {self.media_type(): media}})
    }

    fn media_type(&self) -> &'static str {
        match self.place {
            Place::Form => FORM,
            Place::Part => "multipart/form-data",
            _ => "application/json",
        }
    }

    pub(crate) fn description(&self) -> Value {
        let path = if self.place == Place::Path { "/{color}" } else { "/" };
        if self.version == Version::V2 {
            let parameter = match self.place {
                Place::JsonMember => {
                    json!({"name": "body", "in": "body", "required": self.is_required, "schema": self.body()})
                }
                _ => self.parameter(),
            };
            let sibling =
                json!({"name": "sibling", "in": "formData", "type": "string", "required": true});
            let has_field = self.has_sibling && matches!(self.place, Place::Form | Place::Part);
            let parameters =
                if has_field { json!([parameter, sibling]) } else { json!([parameter]) };
            return json!({"swagger": "2.0", "info": {"title": "t", "version": "1"}, "host": "api.example.com", "basePath": "/v1",
                "schemes": ["https"], "paths": {path: {"post": {"operationId": "x", "responses": {},
                "consumes": [self.media_type()], "parameters": parameters}}}});
        }
        let version = match self.version {
            Version::V2 | Version::V30 => "3.0.4",
            Version::V31 => "3.1.1",
            Version::V32 => "3.2.0",
        };
        let mut operation = json!({"operationId": "x", "responses": {}});
        if self.is_body() {
            operation["requestBody"] = self.request_body();
        } else {
            operation["parameters"] = json!([self.parameter()]);
        }
        json!({"openapi": version, "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com/v1"}], "paths": {path: {"post": operation}}})
    }

    /// The plan, unless the operation is refused.
    pub(crate) fn plan(&self) -> Option<Plan> {
        let text = self.description().to_string();
        let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let loaded = load(&document, &LoadOptions::default());
        loaded.operations.first().map(|operation| Plan::new(operation.clone()))
    }

    /// The arguments of the call, and the location of the value in them.
    pub(crate) fn arguments(&self, plan: &Plan) -> (Value, &'static str) {
        let has = |name: &str| {
            plan.operation().inputs.iter().any(|input| input.argument.as_str() == name)
        };
        let mut members = Object::new();
        members.extend(self.given.clone().map(|given| ("color".to_owned(), given)));
        if self.is_body() && self.has_sibling {
            members.insert("sibling", "x".into());
        }
        if !has("color") && self.is_body() {
            return (json!({"body": Value::Object(members)}), "body.color");
        }
        (Value::Object(members), "color")
    }
}

fn members(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}

const FORM: &str = "application/x-www-form-urlencoded";
