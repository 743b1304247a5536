//! An operation in words, for searching: the texts about it in the description, and the fields of its response. Read on
//! demand, with its own limit of steps; nothing is built or kept.

use std::{borrow::Cow, collections::VecDeque, sync::Arc};

use callgate_tree::{Node, Path};

use crate::{
    blueprint::{InputOrigin, Origin},
    document::Document,
    input::InputLocation,
    operation::Operation,
    reference::{LocatedNode, follow_references, reference_of},
    sanitize::visible_text_without_markup,
};

/// The texts of a description about an operation, without HTML and invisible characters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outline<'a> {
    /// The purpose in one line; if the operation has none, that of its path item. Empty if both have none.
    pub summary: Cow<'a, str>,
    /// The purpose at length; if the operation has none, that of its path item. Empty if both have none.
    pub description: Cow<'a, str>,
    /// The tags.
    pub tags: Vec<&'a str>,
    /// The arguments that a model may supply, each with its description; for a body that is one argument, also its members.
    pub arguments: Vec<(&'a str, Cow<'a, str>)>,
    /// True if the description says that the operation is deprecated.
    pub is_deprecated: bool,
}

/// A field of the first successful response that is JSON.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AnswerField<'a> {
    /// The name of the field.
    pub name: &'a str,
    /// The names of the enclosing fields, the outermost first.
    pub above: &'a [&'a str],
    /// The name of the schema of the object that contains the field, if it has one.
    pub schema: Option<&'a str>,
    /// The path of the object that contains the field; empty for the response itself.
    within: &'a str,
}

impl AnswerField<'_> {
    /// The path of the field: `items[].id`. Made on demand: a response may have a thousand fields, and few are asked for it.
    pub fn path(&self) -> String {
        if self.within.is_empty() {
            return self.name.to_owned();
        }
        [self.within, ".", self.name].concat()
    }
}

impl Operation {
    /// The texts of the description about the operation.
    pub fn outline(&self) -> Outline<'_> {
        let operation = &self.blueprint.operation.node;
        let described = self.blueprint.item.as_ref().unwrap_or(operation);
        let edit = self.edit.as_ref().map(|edit| &*edit.changes);
        let own = edit.and_then(|edit| edit.description.as_deref());
        let own_text = |name: &str| edit.and_then(|edit| edit.describe.get(name));
        let inputs = self.inputs.iter().zip(&self.blueprint.inputs);
        let visible = inputs.filter(|(input, _)| input.visible);
        let mut arguments = Vec::new();
        for (input, origin) in visible {
            if self.body_as_arguments_name() != Some(&input.argument) {
                let text = own_text(input.argument.as_str()).map(|text| Cow::Borrowed(&**text));
                let text =
                    text.unwrap_or_else(|| visible_text_without_markup(input_description(origin)));
                arguments.push((input.argument.as_str(), text));
            }
            let is_body = input.place() == InputLocation::Body && input.name.is_empty();
            if let Some(schema) = origin.schema.as_ref().filter(|_| is_body) {
                self.collect_members(schema, &mut arguments);
            }
        }
        Outline {
            summary: visible_text_without_markup(if own.is_some() {
                ""
            } else {
                text_or_empty(described, "summary")
            }),
            description: own.map_or_else(
                || visible_text_without_markup(text_or_empty(described, "description")),
                Cow::Borrowed,
            ),
            tags: self.tags().collect(),
            arguments,
            is_deprecated: self.is_deprecated(),
        }
    }

    /// The tags, without reading the texts of the outline.
    #[doc(hidden)]
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.blueprint.operation.node.list("tags").iter().filter_map(Node::as_str)
    }

    /// True if the description says that the operation is deprecated.
    #[doc(hidden)]
    pub fn is_deprecated(&self) -> bool {
        self.blueprint.operation.node.is_true("deprecated")
    }

    /// The members of a body and of its compositions, each with its description.
    fn collect_members<'o>(&'o self, body: &'o Origin, members: &mut Vec<(&'o str, Cow<'o, str>)>) {
        let document = &self.blueprint.common.document;
        let Ok(body) = follow_references(document, &body.node, &Path::at(&body.pointer)) else {
            return;
        };
        let parts = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| {
            let parts = body.node.list(keyword);
            parts.iter().take(MOST_PARTS).enumerate().map(move |(at, part)| (keyword, at, part))
        });
        let path = body.path();
        let parts = parts.filter_map(|(keyword, at, part)| {
            let path = path.name(keyword);
            follow_references(document, part, &path.index(at)).ok().map(|part| part.node)
        });
        for schema in [body.node].into_iter().chain(parts) {
            let properties = schema.members_of("properties").take(MOST_MEMBERS);
            members.extend(properties.map(|(name, node)| {
                let text = visible_text_without_markup(text_or_empty(node, "description"));
                (&**name, text)
            }));
        }
    }

    /// Calls `visit` with the fields of the response, those nearest to the root first. Deep fields are left out, and so
    /// are some of a response with very many.
    pub fn each_answer_field(&self, mut visit: impl FnMut(AnswerField<'_>)) {
        let Some(Origin { node, pointer }) = &self.blueprint.output else { return };
        let document = self.blueprint.common.document.with_step_limit(MOST_STEPS);
        let schema = LocatedNode { node, pointer: Arc::clone(pointer) };
        let (above, at) = (Vec::new(), String::new());
        let mut open = VecDeque::from([Level { schema, name: None, above, at, n_within: 0 }]);
        while let Some(level) = open.pop_front().filter(|_| !document.is_spent()) {
            level.visit_fields(&document, &mut open, &mut visit);
        }
    }
}

/// A schema that will be read, and the place of its values in the response.
#[derive(Clone, Debug)]
struct Level<'d> {
    schema: LocatedNode<'d>,
    /// The name of the schema that led here.
    name: Option<Arc<str>>,
    above: Vec<&'d str>,
    at: String,
    /// The number of compositions and lists around this place.
    n_within: usize,
}

impl<'d> Level<'d> {
    /// Visits the fields of an object, and queues its nested schemas.
    fn visit_fields(
        self,
        document: &'d Document,
        open: &mut VecDeque<Self>,
        visit: &mut impl FnMut(AnswerField<'_>),
    ) {
        let Ok(schema) = follow_references(document, self.schema.node, &self.schema.path()) else {
            return;
        };
        let own = reference_of(self.schema.node).and_then(|_| schema.pointer.rsplit('/').next());
        let name = self.name.clone().or_else(|| own.map(Arc::from));
        let level = Self { schema, name, ..self };
        level.queue_parts(document, open);
        let properties = level.schema.node.members_of("properties");
        for (name, node) in document.while_affordable(properties, 1) {
            let (above, schema) = (&*level.above, level.name.as_deref());
            let field = AnswerField { name, above, schema, within: &level.at };
            visit(field);
            if above.len() < DEEPEST && is_structured(node) {
                let path = level.schema.path();
                let path = path.name("properties");
                let schema = LocatedNode::new(node, &path.name(name));
                let above = above.iter().copied().chain([&**name]).collect();
                open.push_back(Level { schema, name: None, above, at: field.path(), n_within: 0 });
            }
        }
    }

    /// Queues the parts of a composition and the items of a list; they have the current place.
    fn queue_parts(&self, document: &Document, open: &mut VecDeque<Self>) {
        let Self { schema: LocatedNode { node, .. }, n_within, .. } = self;
        if *n_within >= DEEPEST {
            return;
        }
        let path = self.schema.path();
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let parts = node.list(keyword);
            let path = path.name(keyword);
            for (at, part) in document.while_affordable(parts.iter().enumerate(), 1) {
                let schema = LocatedNode::new(part, &path.index(at));
                open.push_back(Level { schema, n_within: n_within + 1, ..self.clone() });
            }
        }
        if let Some(item) = document.while_affordable(node.get("items"), 1).next() {
            let schema = LocatedNode::new(item, &path.name("items"));
            let at = format!("{}[]", self.at);
            let above = self.above.clone();
            open.push_back(Level { schema, name: None, above, at, n_within: n_within + 1 });
        }
    }
}

fn is_structured(node: &Node) -> bool {
    node.members().any(|(name, _)| {
        matches!(
            &**name,
            "$dynamicRef" | "$ref" | "allOf" | "anyOf" | "items" | "oneOf" | "properties"
        )
    })
}

fn input_description(origin: &InputOrigin) -> &str {
    let own = origin.description.as_deref();
    let of = |node: &'_ Node| !text_or_empty(node, "description").is_empty();
    let described = origin.described_by.as_ref().filter(|node| of(node));
    let schema = origin.schema.as_ref().map(|schema| &schema.node);
    own.or_else(|| Some(text_or_empty(described.or(schema)?, "description"))).unwrap_or_default()
}

fn text_or_empty<'n>(node: &'n Node, name: &str) -> &'n str {
    node.text(name).unwrap_or_default()
}

/// The number of compositions whose members are listed; a description may have very many.
const MOST_PARTS: usize = 20;
/// The number of members of a body that are listed.
const MOST_MEMBERS: usize = 100;
/// The number of names above a field. Deeper objects are only mentioned in a response.
const DEEPEST: usize = 3;
/// The steps for one response: a field costs one, a reference a few.
const MOST_STEPS: usize = 2000;

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::{LoadOptions, load, sample::document};

    fn operation(method: &str, answer: &Value, schemas: &Value) -> Arc<Operation> {
        let document = document(json!({
            "servers": [{"url": "https://pets.example"}],
            "paths": {"/pets": {
                "summary": "Of the path",
                "post": {"responses": {}, "requestBody": {"content": {"application/json": {"schema": {
                    "oneOf": [{"properties": {"name": {"description": "How it is called"}}}, {"properties": {"age": {}}}],
                }}}}},
                "get": {
                    "tags": ["animals"],
                    "parameters": [
                        {"name": "limit", "in": "query", "description": "How many", "schema": {"type": "integer"}},
                        {"name": "kind", "in": "query", "schema": {"type": "string", "description": "Of a kind"}},
                    ],
                    "responses": {"200": {
                        "description": "x", "content": {"application/json": {"schema": answer}},
                    }},
                },
            }},
            "components": {"schemas": schemas},
        }));
        let operations = load(&document, &LoadOptions::default()).operations;
        operations.into_iter().find(|operation| operation.method == method).unwrap()
    }

    #[track_caller]
    fn check(answer: &Value, schemas: &Value, expected: &[&str]) {
        let mut found = Vec::new();
        operation("GET", answer, schemas).each_answer_field(|field| {
            let schema = field.schema.map(|name| format!(" of {name}")).unwrap_or_default();
            found.push(format!("{}{schema}", field.path()));
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn an_outline_has_the_texts_of_its_operation() {
        let operation = operation("GET", &json!({}), &json!({}));
        let outline = operation.outline();
        assert_eq!((&*outline.summary, &*outline.description), ("Of the path", ""));
        assert_eq!(outline.tags, ["animals"]);
        let expected = [("limit", "How many".into()), ("kind", "Of a kind".into())];
        assert_eq!(outline.arguments, expected);
    }

    #[test]
    fn an_outline_has_no_markup_and_no_invisible_characters() {
        let document = document(json!({
            "servers": [{"url": "https://pets.example"}],
            "paths": {"/pets": {"post": {
                "summary": "<b>Add</b> a pet",
                "description": "<p>With a name<!-- secret --></p>",
                "parameters": [{"name": "kind", "in": "query", "description": "<i>Dog</i>\u{200b} or cat"}],
                "requestBody": {"content": {"application/json": {"schema": {"anyOf": [
                    {"properties": {"name": {"description": "<code>Rex</code>"}}},
                ]}}}},
                "responses": {},
            }}},
        }));
        let operations = load(&document, &LoadOptions::default()).operations;
        let outline = operations[0].outline();
        assert_eq!((&*outline.summary, &*outline.description), ("Add a pet", "With a name"));
        let texts: Vec<_> = outline.arguments.iter().map(|(_, text)| &**text).collect();
        assert_eq!(texts, ["Dog or cat", "", "`Rex`"]);
    }

    #[test]
    fn an_outline_lists_the_members_of_a_body_argument() {
        let operation = operation("POST", &json!({}), &json!({}));
        let outline = operation.outline();
        let expected =
            [("body", "".into()), ("name", "How it is called".into()), ("age", "".into())];
        assert_eq!(outline.arguments, expected);
    }

    #[test]
    fn fields_are_found_in_lists_compositions_and_behind_references() {
        let pet = json!({"allOf": [{"properties": {"id": {}}}, {"properties": {"owner": {"$ref": "#/components/schemas/Owner"}}}]});
        let schemas = json!({"Pet": pet, "Owner": {"properties": {"id": {}}}});
        let list = json!({"properties": {"items": {"items": {"$ref": "#/components/schemas/Pet"}}, "n": {}}});
        check(
            &list,
            &schemas,
            &[
                "items",
                "n",
                "items[].id of Pet",
                "items[].owner of Pet",
                "items[].owner.id of Owner",
            ],
        );
        check(
            &json!({"items": {"$ref": "#/components/schemas/Pet"}}),
            &schemas,
            &["[].id of Pet", "[].owner of Pet", "[].owner.id of Owner"],
        );
    }

    #[test]
    fn the_fields_of_a_recursive_schema_end_at_a_depth() {
        let node = json!({"properties": {"id": {}, "next": {"$ref": "#/components/schemas/Node"}}});
        let expected = [
            "id",
            "next",
            "next.id",
            "next.next",
            "next.next.id",
            "next.next.next",
            "next.next.next.id",
            "next.next.next.next",
        ];
        let expected: Vec<String> = expected.iter().map(|at| format!("{at} of Node")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&json!({"$ref": "#/components/schemas/Node"}), &json!({"Node": node}), &expected);
        check(
            &json!({"$ref": "#/components/schemas/A"}),
            &json!({"A": {"$ref": "#/components/schemas/A"}}),
            &[],
        );
        let branches = json!({"anyOf": vec![json!({"$ref": "#/components/schemas/A"}); 30]});
        check(&json!({"$ref": "#/components/schemas/A"}), &json!({"A": branches}), &[]);
    }
}
