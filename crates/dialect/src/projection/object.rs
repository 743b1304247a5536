//! Objects and lists: members with names that a provider accepts, required members, and items, which always have a type.

use std::collections::BTreeSet;

use callgate_tool::{Object, Value, shows_all_letters};

use super::{
    cut::Level,
    grammar::Names,
    kinds::Kinds,
    loss::Lost,
    nullable::nullable_schema,
    parts::{Rest, SchemaParts, schema_kinds},
    projector::Projector,
    words::Words,
};

#[derive(Debug)]
pub(super) struct Shape<'s> {
    pub(super) members: Vec<Member<'s>>,
    pub(super) required: Vec<&'s str>,
    pub(super) rest: Rest<'s>,
}

#[derive(Debug)]
pub(super) struct Member<'s> {
    pub(super) name: &'s str,
    /// The schemas that the member must meet.
    pub(super) schemas: Vec<&'s Value>,
    /// Further schemas; the member must meet one of them.
    pub(super) others: Vec<&'s Value>,
}

impl<'s> Shape<'s> {
    pub(super) fn from_parts(parts: &SchemaParts<'s>) -> Self {
        let members = parts.members().into_iter();
        let members = members.map(|(name, schemas)| Member { name, schemas, others: Vec::new() });
        Self {
            members: members.collect(),
            required: parts.required_names(),
            rest: parts.additional_properties(),
        }
    }

    /// Adds an alternative's schemas of a member. The member is at the position `at`, or is new.
    pub(super) fn add_member_alternative(
        &mut self,
        at: usize,
        name: &'s str,
        schemas: &[&'s Value],
    ) {
        if at == self.members.len() {
            self.members.push(Member { name, schemas: Vec::new(), others: Vec::new() });
        }
        let Some(member) = self.members.get_mut(at) else { return };
        let others = schemas
            .first()
            .filter(|schema| !member.others.contains(schema) && !member.schemas.contains(schema));
        member.others.extend(others.copied());
    }
}

impl<'s> Projector<'s> {
    pub(super) fn build_object(
        &mut self,
        parts: &SchemaParts<'s>,
        level: Level,
        built: &mut Object,
        words: &mut Words,
    ) {
        self.build_shape(Shape::from_parts(parts), level, built, words);
    }

    pub(super) fn build_shape(
        &mut self,
        shape: Shape<'s>,
        level: Level,
        built: &mut Object,
        words: &mut Words,
    ) {
        let Shape { members, required, rest } = shape;
        let needed: BTreeSet<&str> = required.iter().copied().collect();
        let mut properties = Object::with_capacity(members.len());
        let mut names = Vec::new();
        for member in &members {
            if member.schemas.iter().any(|schema| schema.as_bool() == Some(false)) {
                continue;
            }
            if self.is_byte_budget_spent() && level != Level::default() {
                break;
            }
            let is_required = needed.contains(member.name);
            let place = ["properties", member.name];
            let level_of_member = level.member_level(is_required);
            let mut property = self.at_place(&place, |walk| {
                walk.projected_member_alternatives(member, level_of_member)
            });
            if !is_required && self.grammar.is_complete {
                property =
                    self.at_place(&place, |walk| walk.with_null_for_absent(member, property));
            }
            let name = self.member_name(member.name, level);
            self.spend_bytes(name.len());
            if !shows_all_letters(&name, member.name) {
                property = self.with_service_name_note(property, member.name);
            }
            let closes = is_required && self.has_forbidden_circle(&member.schemas);
            if closes {
                self.note_loss("required", Lost::Wider);
            } else if is_required || self.grammar.is_complete {
                names.push(Value::String(name.clone()));
            }
            properties.insert(name, property);
        }
        self.add_undeclared_required(&required, &mut properties, &mut names, level);
        if !properties.is_empty() || !self.grammar.is_proto {
            built.insert("properties", Value::Object(properties));
        }
        if !names.is_empty() || self.grammar.is_complete {
            built.insert("required", Value::Array(names));
        }
        self.build_additional_properties(rest, level, built, words);
    }

    /// Adds `null` to an optional member's schema where every member must be present; `null` then means absent. If the
    /// member itself allows `null`, that value can no longer be given.
    fn with_null_for_absent(&mut self, member: &Member<'s>, property: Value) -> Value {
        let takes_null = |schema: &&'s Value| {
            schema_kinds(schema, self.definitions, ALTERNATIVES).overlaps(Kinds::NULL)
        };
        let Member { schemas, others, .. } = member;
        let is_one = others.is_empty() || others.iter().any(takes_null);
        if schemas.iter().all(takes_null) && is_one {
            self.note_loss("type", Lost::Narrower);
        }
        nullable_schema(property, self.grammar.null)
    }

    fn projected_member_alternatives(&mut self, member: &Member<'s>, level: Level) -> Value {
        let Member { schemas, others, .. } = member;
        if others.is_empty() {
            return self.projected_schema(schemas, level);
        }
        let each: Vec<Value> = others
            .iter()
            .map(|other| {
                let together: Vec<&Value> = schemas.iter().copied().chain([*other]).collect();
                self.projected_schema(&together, level)
            })
            .collect();
        self.any_of_schema(each, "", &Words::default())
    }

    /// Adds required members that are not declared; they allow any value.
    fn add_undeclared_required(
        &mut self,
        required: &[&'s str],
        properties: &mut Object,
        names: &mut Vec<Value>,
        level: Level,
    ) {
        if self.grammar.has_any {
            return;
        }
        for name in required {
            let name = self.member_name(name, level);
            if !properties.contains_key(&name) {
                let any = self.any_schema();
                properties.insert(name.clone(), any);
                names.push(Value::String(name));
            }
        }
    }

    fn build_additional_properties(
        &mut self,
        rest: Rest<'s>,
        level: Level,
        built: &mut Object,
        words: &mut Words,
    ) {
        let takes = self.grammar.keywords.contains(&"additionalProperties");
        if self.grammar.is_closed {
            // Undeclared members without a schema are not a loss.
            if !matches!(rest, Rest::Closed | Rest::Open { is_declared: false }) {
                self.note_loss("additionalProperties", Lost::Narrower);
            }
            built.insert("additionalProperties", Value::Bool(false));
            return;
        }
        match rest {
            Rest::Closed if takes || self.grammar.allows_all_keywords() => {
                built.insert("additionalProperties", Value::Bool(false));
            }
            // There is no keyword for it, and models do not invent members.
            Rest::Closed => {}
            Rest::Described(schemas) if takes || self.grammar.allows_all_keywords() => {
                let value = self.at_place(&["additionalProperties"], |walk| {
                    walk.projected_schema(&schemas, level.item_level())
                });
                built.insert("additionalProperties", value);
            }
            Rest::Described(schemas) => {
                for schema in schemas {
                    words.add_keyword_phrase("additionalProperties", schema, self.definitions);
                }
                self.note_loss("additionalProperties", Lost::Described);
            }
            Rest::Open { is_declared } => {
                if is_declared && takes {
                    built.insert("additionalProperties", Value::Bool(true));
                }
            }
        }
    }

    pub(super) fn build_list(
        &mut self,
        parts: &SchemaParts<'s>,
        level: Level,
        built: &mut Object,
        words: &mut Words,
    ) {
        let tuple = parts.keyword_values("prefixItems").find_map(Value::as_array);
        let items = parts.item_schemas();
        let Some(tuple) = tuple else {
            let items =
                self.at_place(&["items"], |walk| walk.projected_schema(&items, level.item_level()));
            built.insert("items", items);
            return;
        };
        let mut each = Vec::new();
        for (index, schema) in tuple.iter().enumerate() {
            let place = ["prefixItems", &index.to_string()];
            each.push(
                self.at_place(&place, |walk| walk.projected_schema(&[schema], level.item_level())),
            );
        }
        let is_closed = parts.keyword_values("items").any(|items| items.as_bool() == Some(false));
        let rest = (!is_closed || !items.is_empty()).then(|| {
            self.at_place(&["items"], |walk| walk.projected_schema(&items, level.item_level()))
        });
        if self.grammar.keywords.contains(&"prefixItems") {
            if rest.is_none() {
                built.insert("maxItems", Value::from(each.len() as u64));
            }
            let rest =
                rest.unwrap_or_else(|| self.any_of_schema(each.clone(), "", &Words::default()));
            built.insert("prefixItems", Value::Array(each));
            built.insert("items", rest);
            return;
        }
        self.note_loss("prefixItems", Lost::Described);
        words.add_keyword_phrase("prefixItems", &Value::Array(tuple.clone()), self.definitions);
        each.extend(rest);
        let items = self.any_of_schema(each, "", &Words::default());
        built.insert("items", items);
    }

    pub(super) fn member_name(&mut self, name: &str, level: Level) -> String {
        let is_theirs = match self.grammar.names {
            Names::Any => false,
            Names::Dotted => level == Level::default(),
            Names::Identifiers => true,
        };
        match self.names.get(name).filter(|_| is_theirs) {
            Some(other) => {
                self.note_loss("properties", Lost::Renamed);
                other.clone()
            }
            None => name.to_owned(),
        }
    }
}

/// The most levels of nested alternatives that are searched for `null`.
const ALTERNATIVES: usize = 3;
