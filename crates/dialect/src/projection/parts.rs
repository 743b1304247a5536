//! The schemas that one value must meet together: the members of `allOf` and the targets of references, side by side.
//! Nothing is copied.

use std::collections::BTreeMap;

use callgate_tool::{Number, Object, Value};

use super::{
    definitions::{Definitions, is_annotation, keyword_text},
    kinds::Kinds,
};

#[derive(Clone, Debug, Default)]
pub(super) struct SchemaParts<'s> {
    list: Vec<&'s Object>,
    /// The index of the first schema that belongs to a branch.
    own: usize,
    /// The groups of alternatives; a value must meet each group.
    pub(super) groups: Vec<Group<'s>>,
    pub(super) followed: Vec<&'s str>,
    pub(super) is_never: bool,
    /// True if there are more schemas than were examined.
    pub(super) is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Group<'s> {
    pub(super) keyword: &'static str,
    pub(super) branches: &'s [Value],
}

#[derive(Debug)]
pub(super) enum Rest<'s> {
    Closed,
    /// Undeclared members must meet these schemas.
    Described(Vec<&'s Value>),
    /// All undeclared members are allowed, explicitly or by default.
    Open {
        is_declared: bool,
    },
}

impl<'s> SchemaParts<'s> {
    pub(super) fn from_schemas(schemas: &[&'s Value], definitions: &Definitions<'s>) -> Self {
        let mut parts = Self::default();
        for schema in schemas {
            parts.add_schema(schema, definitions, 0);
        }
        parts
    }

    /// Adds a branch of a group and drops the groups.
    pub(super) fn with_branch(&self, branch: &'s Value, definitions: &Definitions<'s>) -> Self {
        let (list, followed) = (self.list.clone(), self.followed.clone());
        let mut parts = Self { own: list.len(), list, followed, ..Self::default() };
        parts.add_schema(branch, definitions, 0);
        parts
    }

    fn add_schema(&mut self, schema: &'s Value, definitions: &Definitions<'s>, depth: usize) {
        self.is_never |= schema.as_bool() == Some(false);
        let Some(members) = schema.as_object() else { return };
        if depth > DEEPEST || self.list.len() > MOST {
            self.is_cut = true;
            return;
        }
        self.list.push(members);
        if let Some(reference) = keyword_text(members, "$ref")
            && !self.followed.contains(&reference)
            && let Some(target) = definitions.referenced_schema(reference)
        {
            self.followed.push(reference);
            self.add_schema(target, definitions, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = members.get(keyword).and_then(Value::as_array);
            self.groups.extend(branches.map(|branches| Group { keyword, branches }));
        }
        for each in members.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add_schema(each, definitions, depth + 1);
        }
    }

    /// The values of a keyword, with those of the referring schema before those of the referenced one.
    pub(super) fn keyword_values(&self, keyword: &str) -> impl Iterator<Item = &'s Value> {
        self.list.iter().filter_map(move |members| members.get(keyword))
    }

    /// The first text of an annotation that is not blank.
    pub(super) fn first_annotation(&self, keyword: &str) -> Option<&'s str> {
        let mut own = self.list.iter().skip(self.own);
        own.find_map(|members| {
            keyword_text(members, keyword).filter(|text| !text.trim().is_empty())
        })
    }

    /// The description, or else the title.
    pub(super) fn description_or_title(&self) -> &'s str {
        self.first_annotation("description")
            .or_else(|| self.first_annotation("title"))
            .unwrap_or_default()
    }

    pub(super) fn kinds(&self) -> Kinds {
        let types = self.keyword_values("type").map(Kinds::from_type_keyword);
        let kinds = types.fold(Kinds::ALL, |all, kinds| all & kinds);
        let Some(listed) = self.enum_or_const_values() else { return kinds };
        listed
            .iter()
            .map(|value| Kinds::from_value(value) & kinds)
            .fold(Kinds::NONE, |all, one| all | one)
    }

    pub(super) fn enum_or_const_values(&self) -> Option<Vec<&'s Value>> {
        let mut lists = self.list.iter().flat_map(|members| {
            let one = members.get("const").map(std::slice::from_ref);
            let listed = members.get("enum").and_then(Value::as_array).map(Vec::as_slice);
            one.into_iter().chain(listed)
        });
        let mut listed: Vec<&Value> = lists.next()?.iter().collect();
        // Long lists are not compared with each other: that would take quadratic time.
        for others in lists.filter(|others| others.len() <= MOST_LISTED) {
            listed.retain(|value| others.contains(value));
        }
        Some(listed)
    }

    /// True if the schemas restrict only the type of a value.
    pub(super) fn is_type_only(&self) -> bool {
        let is_silent = |key: &str| is_annotation(key) || SILENT.contains(&key);
        self.list.iter().all(|members| members.keys().all(|key| is_silent(key)))
    }

    /// The tightest value of a numeric keyword: the largest for lower bounds, otherwise the smallest.
    pub(super) fn tightest_bound(&self, keyword: &str) -> Option<&'s Value> {
        let is_lower = keyword.starts_with("min") || keyword.ends_with("Minimum");
        let number = |value: &&'s Value| value.as_number().cloned();
        self.keyword_values(keyword).filter(|value| value.is_number()).reduce(|tight, other| {
            let order =
                number(&tight).zip(number(&other)).map(|(a, b): (Number, Number)| a.order(&b));
            let is_tight =
                order.is_none_or(|order| if is_lower { order.is_ge() } else { order.is_le() });
            if is_tight { tight } else { other }
        })
    }

    pub(super) fn members(&self) -> Vec<(&'s str, Vec<&'s Value>)> {
        let mut members: Vec<(&str, Vec<&Value>)> = Vec::new();
        let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, schema) in
            self.keyword_values("properties").filter_map(Value::as_object).flatten()
        {
            let at = *positions.entry(name).or_insert(members.len());
            match members.get_mut(at) {
                Some((_, schemas)) if schemas.contains(&schema) => {}
                Some((_, schemas)) => schemas.push(schema),
                None => members.push((name, vec![schema])),
            }
        }
        members
    }

    pub(super) fn required_names(&self) -> Vec<&'s str> {
        let lists = self.keyword_values("required").filter_map(Value::as_array).flatten();
        let mut names: Vec<&str> = Vec::new();
        let mut seen_names = std::collections::BTreeSet::new();
        names.extend(lists.filter_map(Value::as_str).filter(|name| seen_names.insert(*name)));
        names
    }

    pub(super) fn additional_properties(&self) -> Rest<'s> {
        let values: Vec<_> = self.keyword_values("additionalProperties").collect();
        if values.iter().any(|value| value.as_bool() == Some(false)) {
            return Rest::Closed;
        }
        let described: Vec<_> =
            values.iter().copied().filter(|value| is_nonempty_object(value)).collect();
        let is_declared = !values.is_empty();
        if described.is_empty() { Rest::Open { is_declared } } else { Rest::Described(described) }
    }

    /// The schemas of items, including those of positions if `prefixItems` is not supported.
    pub(super) fn item_schemas(&self) -> Vec<&'s Value> {
        self.keyword_values("items").filter(|value| is_nonempty_object(value)).collect()
    }

    /// The first keyword that hints at a type, for schemas without one, and the hinted type.
    pub(super) fn type_hint(&self) -> Option<(&'static str, Kinds)> {
        HINTS.into_iter().find(|(keyword, _)| self.keyword_values(keyword).next().is_some())
    }
}

/// True for a schema that restricts or describes values.
fn is_nonempty_object(schema: &Value) -> bool {
    schema.as_object().is_some_and(|members| !members.is_empty())
}

pub(super) fn schema_kinds<'s>(
    schema: &'s Value,
    definitions: &Definitions<'s>,
    depth: usize,
) -> Kinds {
    let parts = SchemaParts::from_schemas(&[schema], definitions);
    if parts.is_never {
        return Kinds::NONE;
    }
    let kinds = parts.kinds();
    let below = |group: &Group<'s>| {
        let each = group.branches.iter().map(|branch| schema_kinds(branch, definitions, depth - 1));
        each.fold(Kinds::NONE, |all, one| all | one)
    };
    let groups = parts.groups.iter();
    let groups = groups.filter(|group| depth > 0 && group.branches.len() <= MOST);
    groups.map(below).fold(kinds, |all, one| all & one)
}

/// Keywords beside groups that do not restrict values further.
const SILENT: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "type"];

/// The types that keywords hint at, for schemas without a type.
const HINTS: [(&str, Kinds); 17] = [
    ("properties", Kinds::OBJECT),
    ("additionalProperties", Kinds::OBJECT),
    ("patternProperties", Kinds::OBJECT),
    ("required", Kinds::OBJECT),
    ("minProperties", Kinds::OBJECT),
    ("maxProperties", Kinds::OBJECT),
    ("items", Kinds::ARRAY),
    ("prefixItems", Kinds::ARRAY),
    ("minItems", Kinds::ARRAY),
    ("maxItems", Kinds::ARRAY),
    ("minimum", Kinds::NUMBER),
    ("maximum", Kinds::NUMBER),
    ("multipleOf", Kinds::NUMBER),
    ("pattern", Kinds::STRING),
    ("minLength", Kinds::STRING),
    ("maxLength", Kinds::STRING),
    ("format", Kinds::STRING),
];

/// The deepest composition that is followed, the most alternatives, and the longest list that is compared.
const DEEPEST: usize = 32;
const MOST: usize = 64;
const MOST_LISTED: usize = 256;
