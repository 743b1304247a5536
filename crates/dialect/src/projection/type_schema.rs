//! Schemas of one type: writes the rules of numbers, texts, lists and objects as keywords if the provider supports them,
//! else in words.

use callgate_tool::{Object, Value, json};

use super::{
    cut::Level,
    description::with_description_after_type,
    grammar::{Listed, NullForm},
    kinds::Kinds,
    loss::Lost,
    nullable::nullable_schema,
    parts::{Rest, SchemaParts},
    projector::Projector,
    words::Words,
};

impl<'s> Projector<'s> {
    pub(super) fn schema_by_kinds(
        &mut self,
        parts: &SchemaParts<'s>,
        level: Level,
        mut words: Words,
    ) -> Value {
        let mut kinds = parts.kinds();
        if let Some((_, hinted)) = parts.type_hint().filter(|_| kinds == Kinds::ALL) {
            self.note_loss("type", Lost::Narrower);
            kinds = hinted;
        }
        self.describe_not_and_if(parts, &mut words);
        let has_words = parts.type_hint().is_some() || parts.enum_or_const_values().is_some();
        if kinds == Kinds::NONE || (kinds == Kinds::ALL && !has_words) {
            let any = self.any_schema();
            return self.any_of_schema(vec![any], parts.description_or_title(), &words);
        }
        let singles: Vec<Kinds> =
            kinds.single_kinds().filter(|kind| *kind != Kinds::NULL).collect();
        let is_nullable = kinds.overlaps(Kinds::NULL);
        if let [kind] = singles.as_slice() {
            let built = self.typed_schema(*kind, parts, level, &mut words);
            let description =
                words.description_with_words(parts.description_or_title(), self.cut.text);
            self.spend_bytes(description.len());
            let built = with_description_after_type(built, description);
            return if is_nullable { nullable_schema(built, self.grammar.null) } else { built };
        }
        let mut branches = Vec::new();
        for kind in singles {
            let mut own = Words::default();
            let built = self.typed_schema(kind, parts, level.branch_level(), &mut own);
            branches.push(with_description_after_type(
                built,
                own.description_with_words("", self.cut.text),
            ));
        }
        branches.extend(is_nullable.then(|| self.null_schema()));
        self.any_of_schema(branches, parts.description_or_title(), &words)
    }

    pub(super) fn describe_not_and_if(&mut self, parts: &SchemaParts<'s>, words: &mut Words) {
        for keyword in ["not", "if", "then", "else"] {
            for value in parts.keyword_values(keyword) {
                words.add_keyword_phrase(keyword, value, self.definitions);
                self.note_loss(keyword, Lost::Described);
            }
        }
    }

    /// Any value, as far as the provider can express it.
    pub(super) fn any_schema(&mut self) -> Value {
        if self.grammar.has_any {
            return Value::Object(Object::new());
        }
        self.note_loss("type", Lost::Narrower);
        self.schema_without_rules(Kinds::ALL)
    }

    pub(super) fn null_schema(&self) -> Value {
        if self.grammar.null == NullForm::Flag {
            return json!({"type": "STRING", "description": "null", "nullable": true});
        }
        json!({"type": "null"})
    }

    pub(super) fn schema_without_rules(&mut self, kinds: Kinds) -> Value {
        if kinds == Kinds::ALL && self.grammar.has_any {
            return Value::Object(Object::new());
        }
        let mut branches = Vec::new();
        for kind in kinds.single_kinds().filter(|kind| *kind != Kinds::NULL) {
            // Where texts are legal, a text is not read as JSON.
            if kind == Kinds::OBJECT && self.grammar.is_closed && kinds.overlaps(Kinds::STRING) {
                self.note_loss("properties", Lost::Narrower);
                continue;
            }
            branches.push(self.bare_type_schema(kind));
        }
        self.spend_bytes(SCHEMA * branches.len());
        let is_nullable = kinds.overlaps(Kinds::NULL);
        let built = match branches.len() {
            0 => return self.null_schema(),
            1 => branches.pop().unwrap_or_default(),
            _ => json!({"anyOf": branches}),
        };
        if is_nullable { nullable_schema(built, self.grammar.null) } else { built }
    }

    fn bare_type_schema(&mut self, kind: Kinds) -> Value {
        let mut built = Object::new();
        built.insert("type", self.type_name(kind));
        match kind {
            Kinds::ARRAY if self.grammar.has_any => {
                built.insert("items", Value::Object(Object::new()));
            }
            Kinds::ARRAY => {
                self.note_loss("items", Lost::Narrower);
                let mut items = Kinds::STRING | Kinds::NUMBER | Kinds::BOOLEAN | Kinds::OBJECT;
                if self.grammar.null == NullForm::Flag {
                    items = items | Kinds::NULL;
                }
                built.insert("items", self.schema_without_rules(items));
            }
            Kinds::OBJECT if self.grammar.is_closed => return json_text_schema(""),
            Kinds::OBJECT if !self.grammar.is_proto => {
                built.insert("properties", Value::Object(Object::new()));
            }
            _ => {}
        }
        Value::Object(built)
    }

    pub(super) fn type_name(&self, kind: Kinds) -> Value {
        let name = kind.name();
        Value::String(if self.grammar.is_proto { name.to_uppercase() } else { name.to_owned() })
    }

    fn typed_schema(
        &mut self,
        kind: Kinds,
        parts: &SchemaParts<'s>,
        level: Level,
        words: &mut Words,
    ) -> Object {
        let mut built = Object::new();
        let is_map =
            parts.members().is_empty() && !matches!(parts.additional_properties(), Rest::Closed);
        if kind == Kinds::OBJECT && self.grammar.is_closed && is_map {
            // The provider has no members without declared names; the check of a call reads the text.
            self.note_loss("additionalProperties", Lost::Described);
            words.add("an object as JSON text".to_owned());
            parts.keyword_values("additionalProperties").for_each(|rest| {
                words.add_keyword_phrase("additionalProperties", rest, self.definitions);
            });
            built.insert("type", "string".into());
            return built;
        }
        built.insert("type", self.type_name(kind));
        self.add_enum_values(kind, parts, &mut built, words);
        match kind {
            Kinds::ARRAY => self.build_list(parts, level, &mut built, words),
            Kinds::OBJECT => self.build_object(parts, level, &mut built, words),
            _ => {}
        }
        self.add_validation_keywords(kind, parts, &mut built, words);
        built
    }

    fn add_enum_values(
        &mut self,
        kind: Kinds,
        parts: &SchemaParts<'s>,
        built: &mut Object,
        words: &mut Words,
    ) {
        let Some(listed) = parts.enum_or_const_values() else { return };
        let mut values: Vec<Value> = listed
            .into_iter()
            .filter(|value| Kinds::from_value(value).is_within(kind))
            .cloned()
            .collect();
        if kind == Kinds::BOOLEAN && values.len() > 1 {
            return;
        }
        let is_scalar = !(Kinds::ARRAY | Kinds::OBJECT).overlaps(kind);
        let is_taken = match self.grammar.listed {
            Listed::Any => is_scalar,
            Listed::Texts => kind == Kinds::STRING,
        };
        if self.grammar.listed == Listed::Texts && kind == Kinds::STRING && values.len() > 1 {
            let n_values = values.len();
            values.retain(|value| value.as_str() != Some(""));
            if values.len() < n_values {
                self.note_loss("enum", Lost::Narrower);
                words.add("or an empty text".to_owned());
            }
        }
        let is_empty = values.iter().any(|value| value.as_str() == Some(""));
        let is_taken = is_taken && !(is_empty && self.grammar.listed == Listed::Texts);
        let bytes: usize = values.iter().map(|value| value.as_str().map_or(8, str::len) + 3).sum();
        if is_taken && self.reserve_listed_values(values.len(), bytes) {
            self.spend_bytes(bytes);
            built.insert("enum", Value::Array(values));
        } else {
            self.note_loss("enum", Lost::Described);
            words.add_keyword_phrase("enum", &Value::Array(values), self.definitions);
        }
    }

    pub(super) fn add_validation_keywords(
        &mut self,
        kind: Kinds,
        parts: &SchemaParts<'s>,
        built: &mut Object,
        words: &mut Words,
    ) {
        for (keyword, _) in RULES.iter().filter(|(_, kinds)| kind.is_within(*kinds)) {
            let mut values = parts.keyword_values(keyword);
            let value = match parts.tightest_bound(keyword) {
                Some(tightest) => Some(tightest),
                None => values.next(),
            };
            let Some(value) = value else { continue };
            if self.grammar.allows_keyword(keyword, value)
                && is_valid_for_kind(keyword, value, kind)
            {
                built.insert(*keyword, self.value_or_count_text(keyword, value));
            } else if let Some((other, bound)) = inclusive_bound(keyword, value, kind, parts)
                .filter(|(other, bound)| self.grammar.allows_keyword(other, bound))
            {
                built.insert(other, bound);
            } else if words.add_keyword_phrase(keyword, value, self.definitions)
                && !is_informational(keyword)
            {
                self.note_loss(keyword, Lost::Described);
            }
            let is_bound = value.is_number();
            for other in values
                .filter(|other| !is_bound && *other != value && !needs_first_value_only(keyword))
            {
                words.add_keyword_phrase(keyword, other, self.definitions);
                self.note_loss(keyword, Lost::Described);
            }
        }
    }

    /// Writes counts as texts for Google.
    fn value_or_count_text(&self, keyword: &str, value: &Value) -> Value {
        let is_count = self.grammar.is_proto
            && ["Items", "Length", "Properties"].iter().any(|count| keyword.ends_with(count));
        if is_count { Value::String(value.to_string()) } else { value.clone() }
    }
}

/// An exclusive bound of whole numbers as the next inclusive one.
fn inclusive_bound(
    keyword: &str,
    value: &Value,
    kind: Kinds,
    parts: &SchemaParts<'_>,
) -> Option<(&'static str, Value)> {
    let (other, step) = match keyword {
        "exclusiveMinimum" => ("minimum", 1),
        "exclusiveMaximum" => ("maximum", -1),
        _ => return None,
    };
    let bound = value.as_i64().filter(|_| kind == Kinds::INTEGER)?.checked_add(step)?;
    let is_alone = parts.tightest_bound(other).is_none();
    is_alone.then(|| (other, Value::from(bound)))
}

fn json_text_schema(description: &str) -> Value {
    let words = if description.is_empty() { "an object as JSON text" } else { description };
    json!({"type": "string", "description": words})
}

/// True if a value fits the type. Defaults with members are dropped, because members may have other names.
fn is_valid_for_kind(keyword: &str, value: &Value, kind: Kinds) -> bool {
    let is_plain = !value.is_object() && !value.is_array();
    match keyword {
        "default" => is_plain && Kinds::from_value(value).is_within(kind),
        // Formats of numbers and of texts are unrelated.
        "format" if kind == Kinds::STRING => {
            !NUMBER_FORMATS.contains(&value.as_str().unwrap_or_default())
        }
        "format" => NUMBER_FORMATS.contains(&value.as_str().unwrap_or_default()),
        _ => true,
    }
}

/// True for keywords whose first value suffices.
fn needs_first_value_only(keyword: &str) -> bool {
    ["default", "deprecated", "examples"].contains(&keyword)
}

/// True for keywords that affect neither legal nor sent values: words serve as well.
fn is_informational(keyword: &str) -> bool {
    ["deprecated", "examples"].contains(&keyword)
}

const NUMBER_FORMATS: [&str; 4] = ["double", "float", "int32", "int64"];

const SCHEMA: usize = 20;

const RULES: [(&str, Kinds); 28] = [
    ("minLength", Kinds::STRING),
    ("maxLength", Kinds::STRING),
    ("pattern", Kinds::STRING),
    ("contentEncoding", Kinds::STRING),
    ("contentMediaType", Kinds::STRING),
    ("minimum", Kinds::NUMBER),
    ("maximum", Kinds::NUMBER),
    ("exclusiveMinimum", Kinds::NUMBER),
    ("exclusiveMaximum", Kinds::NUMBER),
    ("multipleOf", Kinds::NUMBER),
    ("format", Kinds::ALL),
    ("minItems", Kinds::ARRAY),
    ("maxItems", Kinds::ARRAY),
    ("uniqueItems", Kinds::ARRAY),
    ("contains", Kinds::ARRAY),
    ("minContains", Kinds::ARRAY),
    ("maxContains", Kinds::ARRAY),
    ("unevaluatedItems", Kinds::ARRAY),
    ("minProperties", Kinds::OBJECT),
    ("maxProperties", Kinds::OBJECT),
    ("patternProperties", Kinds::OBJECT),
    ("propertyNames", Kinds::OBJECT),
    ("dependentRequired", Kinds::OBJECT),
    ("dependentSchemas", Kinds::OBJECT),
    ("unevaluatedProperties", Kinds::OBJECT),
    ("default", Kinds::ALL),
    ("examples", Kinds::ALL),
    ("deprecated", Kinds::ALL),
];
