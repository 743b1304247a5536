//! The root of a schema: always one object without alternatives. Members of alternatives become optional members.

use std::collections::BTreeMap;

use callgate_tool::{Object, Value};

use super::{
    alternatives::group_description,
    copy::add_items_or_properties,
    cut::Level,
    definitions::is_annotation,
    kinds::Kinds,
    loss::Lost,
    object::Shape,
    parts::{Group, SchemaParts},
    projector::Projector,
    words::Words,
};

impl<'s> Projector<'s> {
    /// The schema of all arguments, and the words to add to the description.
    pub(super) fn projected_root(&mut self, schema: &'s Value) -> (Value, Words) {
        let level = Level::default();
        let mut words = Words::default();
        let copied = copyable_members(schema).filter(|members| {
            // `dependentRequired` names members too, which may be renamed.
            self.names.is_empty() || !members.contains_key("dependentRequired")
        });
        if let (true, Some(members)) = (self.grammar.allows_all_keywords(), copied) {
            let mut built = match self.copied_schema(members, level) {
                Value::Object(built) => built,
                _ => Object::new(),
            };
            built.insert("type", Value::from("object"));
            add_items_or_properties(&mut built);
            return (Value::Object(built), words);
        }
        let parts = SchemaParts::from_schemas(&[schema], self.definitions);
        let mut shape = Shape::from_parts(&parts);
        for group in &parts.groups {
            words.add(group_description(*group));
            self.note_loss(group.keyword, Lost::Described);
            self.merge_alternatives(*group, &mut shape, DEEPEST);
        }
        self.describe_not_and_if(&parts, &mut words);
        let mut built = Object::new();
        built.insert("type", self.type_name(Kinds::OBJECT));
        self.build_shape(shape, level, &mut built, &mut words);
        self.add_validation_keywords(Kinds::OBJECT, &parts, &mut built, &mut words);
        (Value::Object(built), words)
    }

    fn merge_alternatives(&mut self, group: Group<'s>, shape: &mut Shape<'s>, depth: usize) {
        let members = shape.members.iter().enumerate();
        let mut positions: BTreeMap<&str, usize> =
            members.map(|(at, member)| (member.name, at)).collect();
        let mut nested = Vec::new();
        for branch in group.branches {
            let parts = SchemaParts::from_schemas(&[branch], self.definitions);
            for (name, schemas) in parts.members() {
                self.note_loss(group.keyword, Lost::Narrower);
                let at = *positions.entry(name).or_insert(shape.members.len());
                shape.add_member_alternative(at, name, &schemas);
            }
            nested.extend(parts.groups);
        }
        for group in nested.into_iter().filter(|_| depth > 0) {
            self.merge_alternatives(group, shape, depth - 1);
        }
    }
}

/// The members of a root that can simply be copied.
fn copyable_members(schema: &Value) -> Option<&Object> {
    let is_plain = |key: &String| is_annotation(key) || PLAIN.contains(&key.as_str());
    schema.as_object().filter(|members| members.keys().all(is_plain))
}

const PLAIN: [&str; 8] = [
    "additionalProperties",
    "dependentRequired",
    "maxProperties",
    "minProperties",
    "patternProperties",
    "properties",
    "required",
    "type",
];
/// The most levels of nested alternatives that are merged; deeper ones are only described in words.
const DEEPEST: usize = 4;
