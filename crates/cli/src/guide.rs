//! Tells what a tool's schema accepts at a place: a list, an object, text, the bytes of a file. It only helps to read
//! arguments from a command line; the call itself checks them.

use std::collections::BTreeSet;

use callgate_tool::Value;

/// The schema of one value, and the definitions it refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guide<'a> {
    root: &'a Value,
    schema: &'a Value,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Kinds {
    pub(crate) array: bool,
    pub(crate) boolean: bool,
    /// Bytes, as an object with `data`.
    pub(crate) bytes: bool,
    pub(crate) number: bool,
    /// Objects that are not bytes.
    pub(crate) object: bool,
    pub(crate) string: bool,
}

impl<'a> Guide<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, schema: root }
    }

    pub(crate) fn member(self, name: &str) -> Option<Self> {
        let parts = self.schema_with_branches();
        let declared = |part: &&'a Value| part.get("properties")?.get(name);
        let schema = parts.iter().find_map(declared)?;
        Some(Self { schema, ..self })
    }

    /// The guide to each item of a list, or to each further member of a map.
    pub(crate) fn item_guide(self) -> Option<Self> {
        let parts = self.schema_with_branches();
        let below =
            |part: &&'a Value| part.get("items").or_else(|| part.get("additionalProperties"));
        let schema = parts.iter().find_map(below).filter(|schema| schema.as_object().is_some())?;
        Some(Self { schema, ..self })
    }

    /// The member with this name, or the schema for any member.
    pub(crate) fn member_or_item(self, name: &str) -> Option<Self> {
        self.member(name).or_else(|| self.item_guide())
    }

    /// The kinds of values that are allowed here; all kinds if the schema names none.
    pub(crate) fn allowed_value_kinds(self) -> Kinds {
        let mut kinds = Kinds::default();
        let parts = self.schema_with_branches();
        for part in &parts {
            kinds.bytes |= is_base64_file(part);
            for kind in types(part) {
                kinds.array |= kind == "array";
                kinds.boolean |= kind == "boolean";
                kinds.number |= matches!(kind, "integer" | "number");
                kinds.object |= kind == "object";
                kinds.string |= kind == "string";
            }
        }
        let is_silent =
            parts.iter().all(|part| types(part).next().is_none() && part.get("enum").is_none());
        if is_silent {
            return Kinds { array: true, object: true, string: true, ..Kinds::default() };
        }
        kinds
    }

    pub(crate) fn schema(self) -> &'a Value {
        self.schema
    }

    pub(crate) fn keyword(self, name: &str) -> Option<&'a Value> {
        self.schema_with_branches().into_iter().find_map(|part| part.get(name))
    }

    /// The names of the types that are allowed here, in the order of the schema.
    pub(crate) fn types(self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.schema_with_branches().into_iter().flat_map(types) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(crate) fn declared_member_names(self) -> Vec<&'a str> {
        declared_members(self.schema_with_branches())
    }

    /// The names of the members that every alternative has: those of no `oneOf` and no `anyOf`.
    pub(crate) fn common_members(self) -> Vec<&'a str> {
        declared_members(self.schema_parts_below(&["allOf"]))
    }

    /// The names of the members that are required here, whatever alternative is meant.
    pub(crate) fn required_members(self) -> Vec<&'a str> {
        let parts = self.schema_parts_below(&["allOf"]).into_iter();
        let lists = parts.filter_map(|part| part.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str).collect()
    }

    /// The alternatives of a union of objects, with their names in the description; empty if there are fewer than two.
    pub(crate) fn object_alternatives(self) -> Vec<Self> {
        let branches = self.schema_parts_below(&["allOf"]).into_iter().flat_map(|part| {
            let all = ["oneOf", "anyOf"].into_iter().filter_map(|keyword| part.get(keyword));
            all.filter_map(Value::as_array).flatten()
        });
        let guides = branches.map(|schema| Self { schema, ..self });
        let objects: Vec<_> =
            guides.filter(|guide| !guide.declared_member_names().is_empty()).collect();
        if objects.len() < 2 { Vec::new() } else { objects }
    }

    /// The heading of an alternative: the value of the member that tells it from the others, its title, or the name of its
    /// schema.
    pub(crate) fn alternative_heading(self) -> Option<String> {
        let tag = self.declared_member_names().into_iter().find_map(|name| {
            let only = self.member(name)?.only_value()?;
            Some(format!("{name}={}", only.text_or_json()))
        });
        let title = || self.keyword("title").and_then(Value::as_str).map(ToOwned::to_owned);
        let name = || self.schema.get("$ref")?.as_str()?.rsplit('/').next().map(ToOwned::to_owned);
        tag.or_else(title).or_else(name)
    }

    pub(crate) fn only_value(self) -> Option<&'a Value> {
        let one = |values: &'a Value| match values.as_array().map(Vec::as_slice) {
            Some([only]) => Some(only),
            _ => None,
        };
        if self.allows_several_types() {
            return None;
        }
        self.keyword("const").or_else(|| self.keyword("enum").and_then(one))
    }

    /// True if values of several types are allowed, beside `null`: what one alternative lists is not all.
    pub(crate) fn allows_several_types(self) -> bool {
        self.types().into_iter().filter(|name| *name != "null").count() > 1
    }

    /// The schema and its parts, with references resolved.
    fn schema_with_branches(self) -> Vec<&'a Value> {
        self.schema_parts_below(&["oneOf", "anyOf", "allOf"])
    }

    fn schema_parts_below(self, keywords: &[&str]) -> Vec<&'a Value> {
        let mut parts: Vec<&'a Value> = Vec::new();
        let mut waiting = vec![self.schema];
        while let Some(schema) = waiting.pop() {
            if parts.len() >= MOST_PARTS {
                break;
            }
            let reference = schema.get("$ref").and_then(Value::as_str);
            let referred = reference.and_then(|at| self.root.pointer(at.strip_prefix('#')?));
            waiting.extend(referred.filter(|referred_schema| {
                !parts.iter().any(|part| std::ptr::eq(*part, *referred_schema))
            }));
            for keyword in keywords {
                let branches = schema.get(*keyword).and_then(Value::as_array);
                waiting.extend(branches.into_iter().flatten().rev());
            }
            parts.push(schema);
        }
        parts
    }
}

/// The names that parts of a schema declare, each once: several parts may declare the member that tells them apart.
fn declared_members(parts: Vec<&Value>) -> Vec<&str> {
    let objects = parts.into_iter().filter_map(|part| part.get("properties")?.as_object());
    let mut seen_names = BTreeSet::new();
    let names = objects.flat_map(|members| members.keys().map(String::as_str));
    names.filter(|name| seen_names.insert(*name)).collect()
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let named = schema.get("type");
    let many = named.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    named.and_then(Value::as_str).into_iter().chain(many)
}

fn is_base64_file(schema: &Value) -> bool {
    let data = schema.get("properties").and_then(|members| members.get("data"));
    data.and_then(|data| data.get("contentEncoding")).and_then(Value::as_str) == Some("base64")
}

/// A person could not follow compositions of more parts.
const MOST_PARTS: usize = 256;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: [bool; 4]) {
        let Kinds { array, bytes, object, string, .. } = Guide::new(schema).allowed_value_kinds();
        assert_eq!([array, bytes, object, string], expected, "{schema}");
    }

    #[test]
    fn the_types_of_an_argument_include_those_of_all_subschemas() {
        check(&json!({"type": "array"}), [true, false, false, false]);
        check(&json!({"type": ["string", "null"]}), [false, false, false, true]);
        check(&json!({}), [true, false, true, true]);
        check(&json!({"enum": [1, 2]}), [false, false, false, false]);
        let bytes =
            json!({"properties": {"data": {"contentEncoding": "base64"}}, "type": "object"});
        check(&json!({"anyOf": [{"type": "string"}, bytes]}), [false, true, true, true]);
        let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"type": "array"}]}}});
        check(&circle, [true, false, false, false]);
    }

    #[test]
    fn the_value_of_one_alternative_is_not_the_only_one() {
        let empty = json!({"type": "string", "enum": [""]});
        assert_eq!(Guide::new(&empty).only_value(), Some(&json!("")));
        let nullable = json!({"anyOf": [{"type": "null"}, empty]});
        assert_eq!(Guide::new(&nullable).only_value(), Some(&json!("")));
        let mixed = json!({"anyOf": [{"type": "object"}, empty]});
        assert_eq!(Guide::new(&mixed).only_value(), None);
        assert_eq!(Guide::new(&mixed).types(), ["object", "string"]);
    }

    #[test]
    fn a_union_of_objects_has_an_alternative_for_each() {
        let card =
            json!({"type": "object", "properties": {"kind": {"const": "card"}, "last4": {}}});
        let bill = json!({"title": "Bill", "properties": {"number": {}}});
        let schema = json!({"properties": {"amount": {}},
            "oneOf": [card, bill, {"$ref": "#/$defs/Gift"}, {"type": "null"}],
            "$defs": {"Gift": {"properties": {"code": {}}}}});
        let guide = Guide::new(&schema);
        assert_eq!(guide.common_members(), ["amount"]);
        let headings: Vec<_> =
            guide.object_alternatives().into_iter().map(Guide::alternative_heading).collect();
        assert_eq!(headings, ["kind=card", "Bill", "Gift"].map(|name| Some(name.to_owned())));
        assert!(
            Guide::new(&json!({"oneOf": [card, {"type": "null"}]}))
                .object_alternatives()
                .is_empty()
        );
        let tagged = json!({"allOf": [{"properties": {"kind": {"const": "card"}}}, card]});
        assert_eq!(
            Guide::new(&tagged).declared_member_names(),
            ["kind", "last4"],
            "each name once"
        );
    }

    #[test]
    fn a_member_is_found_through_references_and_compositions() {
        let schema = json!({"properties": {"owner": {"allOf": [{"$ref": "#/$defs/owner"}]}},
            "$defs": {"owner": {"properties": {"email": {"type": "string"}}}}});
        let owner = Guide::new(&schema).member("owner").unwrap();
        assert!(owner.member("email").unwrap().allowed_value_kinds().string);
        assert!(owner.member("phone").is_none());
    }
}
