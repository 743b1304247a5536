//! Dynamic references (JSON Schema 2020-12 §8.2.3.2): what they mean depends on the schemas with an `$id` that lead to
//! them.

use crate::prelude::*;

use super::references::{check, query};

/// The usual pattern of a generic list, and two that say what is in it.
const LISTS: &str = r"
components:
  schemas:
    List: {$id: 'https://a.example/list', type: array, items: {$dynamicRef: '#T'}, $defs: {any: {$dynamicAnchor: T}}}
    Numbers: {$id: 'https://a.example/numbers', $ref: list, $defs: {T: {$dynamicAnchor: T, type: number}}}
    Texts: {$id: 'https://a.example/texts', $ref: 'https://a.example/list', $defs: {T: {$dynamicAnchor: T, type: string}}}
    Both: {properties: {numbers: {$ref: 'https://a.example/numbers'}, texts: {$ref: 'https://a.example/texts'}, any: {$ref: 'https://a.example/list'}}}
    Named: {$id: 'https://a.example/named', $ref: numbers, $defs: {T: {$dynamicAnchor: T, type: boolean}}}
    Filled: {$id: 'https://a.example/filled', $ref: list, $defs: {T: {$dynamicAnchor: T, required: [a], properties: {a: {default: 1}}}}}
";

#[track_caller]
fn check_list(schema: &str, definitions: &Value, found: &[&str]) {
    let name = schema.rsplit('/').next().unwrap_or_default();
    let expected = json!({"q": {"$ref": format!("#/$defs/{name}")}, "$defs": definitions});
    let text = query(&format!("{{$ref: '#/components/schemas/{schema}'}}")) + LISTS;
    check("3.1.0", &text, &[], &expected, found);
}

const NOTE: &str = "dynamic-reference /components/schemas/List/items";

#[test]
fn the_outermost_schema_decides_the_item_type_of_a_generic_list() {
    let list = |of: &str| json!({"type": "array", "items": {"$ref": format!("#/$defs/{of}")}});
    check_list(
        "Numbers",
        &json!({"Numbers": {"$ref": "#/$defs/List"}, "List": list("T"), "T": {"type": "number"}}),
        &[NOTE],
    );
    check_list(
        "Named",
        &json!({"Named": {"$ref": "#/$defs/Numbers"}, "Numbers": {"$ref": "#/$defs/List"},
            "List": list("T"), "T": {"type": "boolean"}}),
        &[NOTE],
    );
    check_list("List", &json!({"List": list("any"), "any": {}}), &[]);
}

#[test]
fn a_generic_list_has_a_definition_for_each_extension() {
    let list = |of: &str| json!({"type": "array", "items": {"$ref": format!("#/$defs/{of}")}});
    check_list(
        "Both",
        &json!({
            "Both": {"properties": {"numbers": {"$ref": "#/$defs/Numbers"}, "texts": {"$ref": "#/$defs/Texts"},
                "any": {"$ref": "#/$defs/List"}}},
            "Numbers": {"$ref": "#/$defs/List_2"}, "Texts": {"$ref": "#/$defs/List_3"},
            "List": list("any"), "List_2": list("T"), "List_3": list("T_2"),
            "any": {}, "T": {"type": "number"}, "T_2": {"type": "string"},
        }),
        &[NOTE],
    );
}

#[test]
fn members_with_defaults_behind_a_dynamic_reference_are_required_of_the_model() {
    check_list(
        "Filled",
        &json!({
            "Filled": {"$ref": "#/$defs/List"},
            "List": {"type": "array", "items": {"$ref": "#/$defs/T"}},
            "T": {"required": ["a"], "properties": {"a": {"default": 1}}},
        }),
        &[NOTE],
    );
}

#[test]
fn the_nodes_of_an_extended_tree_have_the_schema_of_the_extension() {
    let text = query("{$ref: 'https://a.example/strict'}")
        + r"
components:
  schemas:
    Tree: {$id: 'https://a.example/tree', $dynamicAnchor: node, properties: {children: {items: {$dynamicRef: '#node'}}}}
    Strict: {$id: 'https://a.example/strict', $dynamicAnchor: node, $ref: tree, unevaluatedProperties: false}
";
    check(
        "3.1.0",
        &text,
        &[],
        &json!({"q": {"$ref": "#/$defs/Strict"}, "$defs": {
            "Strict": {"$ref": "#/$defs/Tree", "unevaluatedProperties": false},
            "Tree": {"properties": {"children": {"items": {"$ref": "#/$defs/Strict"}}}},
        }}),
        &["dynamic-reference /components/schemas/Tree/properties/children/items"],
    );
}

#[test]
fn without_an_outer_schema_a_dynamic_reference_is_a_plain_one() {
    let tree = |own: &str, reference: &str| {
        query("{$ref: '#/components/schemas/Tree'}")
            + &format!(
                "components: {{schemas: {{Tree: {{{own}, items: {{$dynamicRef: '{reference}'}}}}}}}}"
            )
    };
    let expected = json!({
        "q": {"$ref": "#/$defs/Tree"},
        "$defs": {"Tree": {"items": {"$ref": "#/$defs/Tree"}}},
    });
    check("3.1.0", &tree("$dynamicAnchor: node", "#node"), &[], &expected, &[]);
    let mut anchored = expected.clone();
    anchored["$defs"]["Tree"]["$anchor"] = json!("node");
    check("3.1.0", &tree("$anchor: node", "#node"), &[], &anchored, &[]);
    let pointer = tree("$dynamicAnchor: node", "#/components/schemas/Tree");
    check("3.1.0", &pointer, &[], &expected, &[]);
}

#[test]
fn a_document_without_an_id_is_a_schema_resource() {
    let text = query("{$ref: 'list.yaml'}")
        + "components: {schemas: {T: {$dynamicAnchor: T, type: number}}}";
    let list = "{items: {$dynamicRef: '#T'}, $defs: {T: {$dynamicAnchor: T}}}";
    check(
        "3.1.0",
        &text,
        &[("list.yaml", list)],
        &json!({"q": {"$ref": "#/$defs/list"}, "$defs": {
            "list": {"items": {"$ref": "#/$defs/T"}}, "T": {"type": "number"}}}),
        &["dynamic-reference list.yaml#/items"],
    );
    let other = query("{$dynamicRef: 'list.yaml#T'}");
    check(
        "3.1.0",
        &other,
        &[("list.yaml", "{$defs: {T: {$dynamicAnchor: T, type: number}}}")],
        &json!({"q": {"$ref": "#/$defs/T"}, "$defs": {"T": {"type": "number"}}}),
        &[],
    );
}
