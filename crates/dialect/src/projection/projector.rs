//! Walks a canonical schema and builds a provider's form of it: handles references, depth and size. The files beside this
//! one handle alternatives, objects, lists and texts.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Object, Value, json, pointer_segment};

use super::{
    circles::Circles,
    cut::{Cut, Level},
    definitions::{Definitions, PREFIX, Reference},
    grammar::Grammar,
    kinds::Kinds,
    loss::{Losses, Lost},
    parts::{Group, SchemaParts, schema_kinds},
    words::{self, Words},
};

#[derive(Debug)]
pub(super) struct Projector<'s> {
    pub(super) grammar: &'static Grammar,
    pub(super) cut: Cut,
    pub(super) definitions: &'s Definitions<'s>,
    /// The provider's names of members, by the original names.
    pub(super) names: &'s BTreeMap<String, String>,
    pub(super) losses: Losses,
    at: String,
    /// The bytes that may still be written.
    left: usize,
    /// The references that are being unrolled.
    open: Vec<&'s str>,
    wanted: BTreeSet<(Level, &'s str)>,
    definition_names: BTreeSet<&'s str>,
    circles: Circles<'s>,
    n_listed: usize,
}

impl<'s> Projector<'s> {
    pub(super) fn new(
        grammar: &'static Grammar,
        cut: Cut,
        definitions: &'s Definitions<'s>,
        names: &'s BTreeMap<String, String>,
        left: usize,
    ) -> Self {
        Self {
            grammar,
            cut,
            definitions,
            names,
            losses: Losses::default(),
            at: String::new(),
            left,
            open: Vec::new(),
            wanted: BTreeSet::new(),
            definition_names: BTreeSet::new(),
            circles: Circles::default(),
            n_listed: 0,
        }
    }

    pub(super) fn is_byte_budget_spent(&self) -> bool {
        self.left == 0
    }

    pub(super) fn spend_bytes(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// True if the provider accepts a list of `n_values` values with so many bytes, in addition to the earlier lists.
    pub(super) fn reserve_listed_values(&mut self, n_values: usize, bytes: usize) -> bool {
        let is_long = n_values > LONG_LIST && bytes > LONG_LIST_BYTES;
        let is_small = bytes <= self.cut.text.saturating_mul(LISTED);
        let is_taken = is_small
            && (!self.grammar.is_closed || (self.n_listed + n_values <= MOST_LISTED && !is_long));
        self.n_listed += if is_taken { n_values } else { 0 };
        is_taken
    }

    pub(super) fn note_loss(&mut self, keyword: &'static str, what: Lost) {
        self.losses.add(&self.at, keyword, what);
    }

    pub(super) fn at_place<T>(&mut self, place: &[&str], apply: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.at.len();
        for token in place {
            self.at.push('/');
            self.at.push_str(&pointer_segment(token));
        }
        let applied = apply(self);
        self.at.truncate(length);
        applied
    }

    pub(super) fn projected_schema(&mut self, schemas: &[&'s Value], level: Level) -> Value {
        self.spend_bytes(SCHEMA);
        if self.is_byte_budget_spent() || level.is_too_deep() {
            return self.any_schema();
        }
        if let [schema] = schemas {
            if let Some(reference) = self.definitions.bare_reference(schema)
                && let Some(kept) = self.reference_unless_written_out(reference, level)
            {
                return kept;
            }
            if let (true, Value::Object(members)) = (self.grammar.allows_all_keywords(), schema) {
                let copied = self.copied_schema(members, level);
                return self.built_or_any_schema(copied);
            }
        }
        let parts = SchemaParts::from_schemas(schemas, self.definitions);
        self.merged_schema(&parts, level)
    }

    /// The built schema, or any value if the size limit made it incomplete.
    fn built_or_any_schema(&mut self, built: Value) -> Value {
        if self.is_byte_budget_spent() { self.any_schema() } else { built }
    }

    /// The definitions that are referred to, directly or by other definitions.
    pub(super) fn referenced_definitions(&mut self) -> Object {
        let mut built = Object::new();
        while let Some((level, name)) = self.wanted.pop_first() {
            let Some(schema) = self.definitions.get(name).filter(|_| !built.contains_key(name))
            else {
                continue;
            };
            self.at = format!("/$defs/{name}");
            self.spend_bytes(name.len());
            let definition = if self.grammar.allows_all_keywords() {
                self.copied_subschema(schema, level)
            } else {
                self.merged_schema(&SchemaParts::from_schemas(&[schema], self.definitions), level)
            };
            built.insert(name, definition);
        }
        built
    }

    pub(super) fn mark_definition_referenced(&mut self, name: &'s str, level: Level) {
        self.definition_names.insert(name);
        self.wanted.insert((level, name));
    }

    fn reference_unless_written_out(
        &mut self,
        reference: Reference<'s>,
        level: Level,
    ) -> Option<Value> {
        let Reference { name, description } = reference;
        if !self.grammar.has_references
            || (self.cut.hides_members(level) && !self.definition_names.contains(name))
        {
            return None;
        }
        self.mark_definition_referenced(name, level);
        let target = format!("{PREFIX}{name}");
        let description =
            Words::default().description_with_words(description.unwrap_or_default(), self.cut.text);
        self.spend_bytes(name.len() + description.len());
        if description.is_empty() {
            return Some(json!({"$ref": target}));
        }
        Some(if self.grammar.allows_all_keywords() {
            json!({"description": description, "$ref": target})
        } else {
            json!({"description": description, "anyOf": [{"$ref": target}]})
        })
    }

    pub(super) fn merged_schema(&mut self, parts: &SchemaParts<'s>, level: Level) -> Value {
        self.spend_bytes(SCHEMA);
        if self.is_byte_budget_spent() || level.is_too_deep() {
            return self.any_schema();
        }
        let n_open = |name: &&str| self.open.iter().filter(|open| *open == name).count();
        let is_again = parts.followed.iter().any(|name| n_open(name) >= UNROLLED);
        if parts.is_never {
            return self.unsatisfiable_schema(parts);
        }
        if parts.is_cut {
            self.note_loss("allOf", Lost::Wider);
        }
        if is_again || self.cut.hides_members(level) {
            let all = kinds_of_parts(parts, self.definitions);
            let kinds = self.allowed_kinds_at(level, all);
            if is_again || kinds != all || kinds.overlaps(Kinds::OBJECT) {
                return self.summary_schema(parts, kinds);
            }
        }
        let length = self.open.len();
        self.open.extend(&parts.followed);
        let built = self.schema_of_alternatives(parts, level);
        self.open.truncate(length);
        self.built_or_any_schema(built)
    }

    /// True if schemas lead back to the definition that holds them, and the provider forbids that.
    pub(super) fn has_forbidden_circle(&mut self, schemas: &[&'s Value]) -> bool {
        let Self { circles, definitions, .. } = self;
        let inside = self.at.strip_prefix("/$defs/").filter(|_| !self.grammar.has_circles);
        let Some(name) = inside.and_then(|at| at.split('/').next()) else { return false };
        schemas.iter().any(|schema| circles.can_reach_definition(schema, name, definitions))
    }

    /// The form of a schema that no value meets; no provider can express it.
    fn unsatisfiable_schema(&mut self, parts: &SchemaParts<'s>) -> Value {
        self.note_loss("not", Lost::Described);
        let any = self.any_schema();
        let mut words = Words::default();
        words.add("no value is legal".to_owned());
        let description = words.description_with_words(parts.description_or_title(), self.cut.text);
        self.with_description(any, description)
    }

    /// The types that can be shown at a level: where items would be too deep, a list becomes a text.
    fn allowed_kinds_at(&self, level: Level, kinds: Kinds) -> Kinds {
        if !level.is_beyond_item_depth(self.grammar.deepest) || !kinds.overlaps(Kinds::ARRAY) {
            return kinds;
        }
        let others = kinds.without(Kinds::ARRAY);
        if others == Kinds::NONE { Kinds::STRING } else { others }
    }

    /// A part that is too deep: its types, and the names of its members in words.
    fn summary_schema(&mut self, parts: &SchemaParts<'s>, kinds: Kinds) -> Value {
        self.note_loss("properties", Lost::Cut);
        let mut words = Words::default();
        let members = parts.members();
        if !members.is_empty() {
            let names = words::name_list(members.iter().map(|(name, _)| *name));
            words.add(format!("members: {names}"));
        }
        let kinds = if kinds == Kinds::NONE { Kinds::ALL } else { kinds };
        let built = self.schema_without_rules(kinds);
        let description = words.description_with_words(parts.description_or_title(), self.cut.text);
        self.spend_bytes(SCHEMA + description.len());
        self.with_description(built, description)
    }
}

fn kinds_of_parts<'s>(parts: &SchemaParts<'s>, definitions: &Definitions<'s>) -> Kinds {
    let below = |group: &Group<'s>| {
        let each = group.branches.iter().map(|branch| schema_kinds(branch, definitions, 0));
        each.fold(Kinds::NONE, |all, one| all | one)
    };
    parts.groups.iter().map(below).fold(parts.kinds(), |all, one| all & one)
}

const SCHEMA: usize = 20;
/// The number of times a definition is unrolled into itself if references are not supported.
const UNROLLED: usize = 2;
/// The ratio of the bytes of an enumeration to those of a description, if descriptions are limited.
const LISTED: usize = 20;
/// The most enumerated values of `OpenAI`'s strict mode, and the most bytes of a long list.
const MOST_LISTED: usize = 1000;
const LONG_LIST: usize = 250;
const LONG_LIST_BYTES: usize = 15_000;
