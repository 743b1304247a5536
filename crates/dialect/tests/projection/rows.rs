//! Schemas as each provider gets them: a row for each rule.

use crate::prelude::*;

/// A tool with this argument, and a definition that refers to itself.
fn tool(property: &Value) -> Tool {
    let node = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}}});
    made(json!({
        "type": "object", "properties": {"a": property}, "additionalProperties": false,
        "$defs": {"Node": node},
    }))
}

#[track_caller]
fn projected(projection: Projection, property: &Value) -> Projected {
    let projected = project(&tool(property), projection);
    assert_eq!(wrong(projection, &projected.schema), Vec::<String>::new(), "{}", projected.schema);
    projected
}

/// Holds the form of an argument, and what it loses, against what is expected.
#[track_caller]
fn check(projection: Projection, property: &Value, expected: &str, losses: &[&str]) {
    let projected = projected(projection, property);
    let got = projected.schema["properties"]["a"].to_string();
    assert_eq!(got.replace('"', ""), expected, "{projection} of {property}");
    let told: Vec<String> = projected.losses.iter().map(ToString::to_string).collect();
    let told: Vec<String> = told.iter().map(|loss| loss.replace('`', "")).collect();
    assert_eq!(told, losses, "{projection} of {property}");
}

use Projection::{
    AnthropicStrict, BedrockStrict, GeminiJson, GeminiSchema, LlamaCpp, OpenAi, OpenAiStrict,
    Portable,
};

const TOLD: &str = "told in words";

#[test]
fn const_becomes_an_enum_of_one_value() {
    let one = json!({"type": "string", "const": "b", "description": "B"});
    check(Portable, &one, "{type:string,description:B,enum:[b]}", &[]);
    check(GeminiSchema, &one, "{type:STRING,description:B,enum:[b]}", &[]);
    check(OpenAiStrict, &one, "{type:[string,null],description:B,enum:[b,null]}", &[]);
    check(OpenAi, &one, "{type:string,const:b,description:B}", &[]);
}

#[test]
fn listed_numbers_become_words_for_providers_that_list_only_texts() {
    let one = json!({"type": "integer", "enum": [1, 2]});
    let lost = format!("enum at /properties/a: {TOLD}");
    for (projection, expected) in [
        (Portable, "{type:integer,description:one of: 1, 2}"),
        (GeminiJson, "{type:integer,description:one of: 1, 2}"),
        (GeminiSchema, "{type:INTEGER,description:one of: 1, 2}"),
    ] {
        check(projection, &one, expected, &[&lost]);
    }
    check(LlamaCpp, &one, "{type:integer,enum:[1,2]}", &[]);
    let lost = "enum at /properties/a: some legal values cannot be given";
    let one = json!({"type": "string", "enum": ["", "a"]});
    check(GeminiSchema, &one, "{type:STRING,description:or an empty text,enum:[a]}", &[lost]);
    let one = json!({"enum": ["a", 7, null]});
    let expected = "{anyOf:[{type:STRING,enum:[a],nullable:true},\
        {type:INTEGER,description:one of: 7,nullable:true}]}";
    check(GeminiSchema, &one, expected, &[&format!("enum at /properties/a: {TOLD}")]);
}

#[test]
fn keywords_that_a_provider_refuses_move_to_the_description() {
    let one = json!({"type": "string", "format": "uri", "pattern": "\\d+", "minLength": 2,
        "maxLength": 5000, "description": "D"});
    let lost = |keywords: &[&str]| -> Vec<String> {
        keywords.iter().map(|keyword| format!("{keyword} at /properties/a: {TOLD}")).collect()
    };
    for (projection, expected, keywords) in [
        (
            Portable,
            "{type:string,description:D (at most 5000 characters; pattern: \\\\d+; format: uri),minLength:2}",
            &["maxLength", "pattern", "format"][..],
        ),
        (
            GeminiSchema,
            "{type:STRING,description:D (format: uri),minLength:2,maxLength:5000,pattern:\\\\d+}",
            &["format"],
        ),
        (
            OpenAiStrict,
            "{type:[string,null],description:D (at least 2 characters; at most 5000 characters; format: uri),\
             pattern:\\\\d+}",
            &["minLength", "maxLength", "format"],
        ),
    ] {
        let lost = lost(keywords);
        let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
        check(projection, &one, expected, &lost);
    }
    check(
        GeminiSchema,
        &json!({"type": "integer", "exclusiveMinimum": 0, "multipleOf": 2}),
        "{type:INTEGER,description:a multiple of 2,minimum:1}",
        &["multipleOf at /properties/a: told in words"],
    );
}

#[test]
fn counts_in_a_schema_are_texts_for_google_only() {
    let projected = projected(GeminiSchema, &json!({"type": "array", "maxItems": 5}));
    assert_eq!(projected.schema["properties"]["a"]["maxItems"], "5");
}

#[test]
fn null_is_written_in_the_form_of_the_provider() {
    let one = json!({"type": ["string", "null"], "description": "D"});
    check(Portable, &one, "{description:D,anyOf:[{type:string},{type:null}]}", &[]);
    check(GeminiSchema, &one, "{type:STRING,description:D,nullable:true}", &[]);
    let lost = ["type at /properties/a: some legal values cannot be given"];
    check(OpenAiStrict, &one, "{type:[string,null],description:D}", &lost);
    let one = json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]});
    let expected = "{anyOf:[{type:STRING,nullable:true},{type:INTEGER,nullable:true}]}";
    check(GeminiSchema, &one, expected, &[]);
}

#[test]
fn an_array_without_items_gets_typed_items() {
    let projected = projected(Portable, &json!({"type": "array"}));
    let items = &projected.schema["properties"]["a"]["items"]["anyOf"];
    assert_eq!(items[0], json!({"type": "string"}));
    check(OpenAi, &json!({"type": "array"}), "{type:array,items:{}}", &[]);
    check(
        Portable,
        &json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}),
        "{type:array,description:items in this order: [{\\type\\:\\string\\}],items:{type:string}}",
        &["prefixItems at /properties/a: told in words"],
    );
}

#[test]
fn an_object_gets_a_list_of_properties_except_an_empty_one_for_google() {
    check(OpenAi, &json!({"type": "object"}), "{type:object,properties:{}}", &[]);
    check(Portable, &json!({"type": "object"}), "{type:object,properties:{}}", &[]);
    check(GeminiSchema, &json!({"type": "object"}), "{type:OBJECT}", &[]);
}

#[test]
fn a_map_becomes_a_json_text_where_every_member_must_be_declared() {
    let one = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let expected = "{type:[string,null],description:an object as JSON text; other members: {\\type\\:\\integer\\}}";
    check(OpenAiStrict, &one, expected, &["additionalProperties at /properties/a: told in words"]);
}

#[test]
fn a_supported_reference_stays_without_siblings() {
    let one = json!({"$ref": "#/$defs/Node", "description": "D"});
    check(Portable, &one, "{description:D,anyOf:[{$ref:#/$defs/Node}]}", &[]);
    check(OpenAi, &one, "{description:D,$ref:#/$defs/Node}", &[]);
    let node = &projected(OpenAiStrict, &one).schema["$defs"]["Node"];
    assert_eq!(node["required"], json!(["name", "next"]));
    assert_eq!(node["properties"]["next"]["anyOf"][1], json!({"type": "null"}));
}

#[test]
fn a_recursive_schema_is_expanded_twice_for_providers_without_references() {
    let expected = "{type:OBJECT,properties:{name:{type:STRING},next:{type:OBJECT,properties:{name:{type:STRING},\
        next:{type:OBJECT,description:members: name, next}},required:[name]}},required:[name]}";
    let at = "/properties/a/properties/next/properties/next";
    let lost = format!("properties at {at}: shown as an object in words");
    check(GeminiSchema, &json!({"$ref": "#/$defs/Node"}), expected, &[&lost]);
}

#[test]
fn recursive_members_become_optional_where_a_provider_needs_it() {
    let tree = json!({"type": "object", "required": ["name", "below"], "properties": {
        "name": {"type": "string"}, "below": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}});
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/Tree"}},
        "required": ["a"], "$defs": {"Tree": tree}});
    let projected = project(&made(schema.clone()), GeminiJson);
    assert_eq!(projected.schema["required"], json!(["a"]));
    assert_eq!(projected.schema["$defs"]["Tree"]["required"], json!(["name"]));
    let lost = "`required` at `/$defs/Tree`: checked by the gateway alone";
    assert_eq!(projected.losses[0].to_string(), lost);
    let projected = project(&made(schema), Portable);
    assert_eq!(projected.schema["$defs"]["Tree"]["required"], json!(["name", "below"]));
}

#[test]
fn an_all_of_becomes_one_object() {
    let one = json!({"allOf": [
        {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
        {"properties": {"x": {"minLength": 1}, "y": {"type": "boolean"}}},
    ]});
    let expected =
        "{type:object,properties:{x:{type:string,minLength:1},y:{type:boolean}},required:[x]}";
    check(Portable, &one, expected, &[]);
}

#[test]
fn alternatives_include_their_sibling_keywords() {
    let one = json!({"type": "object", "properties": {"k": {"type": "string"}}, "description": "D",
        "oneOf": [{"properties": {"x": {"type": "integer"}}}, {"required": ["k"]}]});
    let expected = "{description:D,anyOf:[{type:object,properties:{k:{type:string},x:{type:integer}}},\
        {type:object,properties:{k:{type:string}},required:[k]}]}";
    let lost = "oneOf at /properties/a: checked by the gateway alone";
    check(Portable, &one, expected, &[lost]);
    let one = json!({"type": "object", "properties": {"k": {"type": "string"}},
        "anyOf": [{"required": ["k"]}, {"required": ["l", "m"]}]});
    let expected =
        "{type:object,description:needs at least one of: k, l and m,properties:{k:{type:string}}}";
    check(Portable, &one, expected, &["anyOf at /properties/a: told in words"]);
}

#[test]
fn the_root_is_an_object_without_alternatives() {
    let schema = json!({"type": "object", "properties": {"k": {"type": "string"}}, "oneOf": [
        {"properties": {"x": {"type": "integer"}}, "required": ["x"]}, {"required": ["k"]}]});
    for &projection in Projection::ALL {
        let projected = project(&made(schema.clone()), projection);
        assert_eq!(wrong(projection, &projected.schema), Vec::<String>::new());
        assert!(projected.schema["properties"]["x"].is_object(), "{projection}");
        assert_eq!(projected.description, "Does it (needs exactly one of: x, k)");
    }
}

#[track_caller]
fn check_restored(schema: Value, projection: Projection, given: &Value, expected: &Value) {
    let given = given.as_object().cloned().unwrap_or_default();
    let restored: Object = restore(&made(schema), projection, given);
    assert_eq!(&Value::Object(restored), expected);
}

#[test]
fn renamed_members_get_their_own_names_back_in_a_call() {
    let filter = json!({"type": "object", "properties": {
        "$top": {"type": "integer"}, "top": {"type": "integer"}, "x-y": {"type": "string"}}});
    let schema =
        json!({"type": "object", "properties": {"list": {"type": "array", "items": filter}}});
    let projected = project(&made(schema.clone()), GeminiSchema);
    let items = &projected.schema["properties"]["list"]["items"]["properties"];
    let names: Vec<&String> = items.as_object().unwrap().keys().collect();
    assert_eq!(names, ["top_483071aa", "top", "x_y"]);
    check_restored(
        schema,
        GeminiSchema,
        &json!({"list": [{"top_483071aa": 1, "top": 2, "x_y": "a", "z": 3}], "x_y": 4}),
        &json!({"list": [{"$top": 1, "top": 2, "x-y": "a", "z": 3}], "x_y": 4}),
    );
}

#[test]
fn null_means_absent_where_every_member_must_be_written() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": ["string", "null"]}, "b": {"type": ["string", "null"]},
        "c": {"type": "object", "properties": {"d": {"type": "string"}}},
        "e": {"type": "object", "additionalProperties": true}}});
    let given = json!({"a": null, "b": null, "c": {"d": null}, "e": {"f": null}});
    let expected = json!({"a": null, "c": {}, "e": {"f": null}});
    check_restored(schema.clone(), OpenAiStrict, &given, &expected);
    check_restored(schema, Portable, &given, &given);
    let either = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    check_restored(either, OpenAiStrict, &json!({"a": "x", "b": null}), &json!({"a": "x"}));
}

#[test]
fn a_strict_tool_of_claude_has_optional_members_and_no_others() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "pattern": "^a$", "minLength": 2},
        "$b": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 9},
        "next": {"$ref": "#/$defs/Node"}, "map": {"type": "object", "additionalProperties": {}}},
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}});
    for (projection, name) in [(AnthropicStrict, "b"), (BedrockStrict, "$b")] {
        let projected = project(&made(schema.clone()), projection).schema;
        assert_eq!(projected["required"], json!(["a"]));
        assert_eq!(projected["additionalProperties"], false);
        assert_eq!(
            projected["properties"]["a"].to_string().replace('"', ""),
            "{type:string,description:at least 2 characters; pattern: ^a$}"
        );
        assert_eq!(
            projected["properties"][name].to_string().replace('"', ""),
            "{type:array,description:at most 9 items,items:{type:integer,description:at least 1},minItems:1}"
        );
        assert_eq!(projected["properties"]["map"]["type"], "string");
        assert!(!projected.to_string().contains("$ref"), "{projected}");
    }
    let given = json!({"a": "a", "b": [1], "next": null});
    check_restored(
        schema.clone(),
        AnthropicStrict,
        &given,
        &json!({"a": "a", "$b": [1], "next": null}),
    );
    check_restored(schema, BedrockStrict, &given, &given);
}

#[test]
fn a_map_that_a_model_sent_as_text_is_parsed_where_text_is_illegal() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let schema = json!({"type": "object", "properties": {
        "a": map, "b": {"type": "array", "items": map}, "c": {"type": "string"}, "d": {"anyOf": [map, {"type": "string"}]}}});
    let given = json!({"a": "{\"x\":1}", "b": ["{}", "no"], "c": "{}", "d": "{}"});
    let expected = json!({"a": {"x": 1}, "b": [{}, "no"], "c": "{}", "d": "{}"});
    for projection in [AnthropicStrict, BedrockStrict, OpenAiStrict] {
        check_restored(schema.clone(), projection, &given, &expected);
    }
    check_restored(schema, OpenAi, &given, &given);
}

/// A tool whose optional parts are as large as this.
fn large(n_members: usize) -> Tool {
    let leaf =
        json!({"type": "string", "description": "A text that says something of some length"});
    let members = |below: &Value| -> Value {
        let each = (0..n_members).map(|at| (format!("member_{at}"), below.clone()));
        json!({"type": "object", "properties": (Value::Object(each.collect::<Object>()))})
    };
    let deep = members(&members(&leaf));
    made(json!({"type": "object", "required": ["id"],
        "properties": {"id": {"type": "string"}, "body": deep, "same": (members(&leaf))}}))
}

#[test]
fn a_tool_too_large_for_a_provider_describes_deep_optional_members_in_words() {
    let tool = large(40);
    assert!(tool.tokens() > 30_000);
    for &projection in Projection::ALL {
        let projected = project(&tool, projection);
        assert!(projected.tokens(&tool) <= 8000, "{projection}: {}", projected.tokens(&tool));
        let body = &projected.schema["properties"]["body"];
        let member = &body["properties"]["member_0"];
        let words = member["description"].as_str().unwrap();
        assert!(words.contains("members: member_0, member_1"), "{member}");
        assert!(projected.losses[0].to_string().ends_with("shown as an object in words"));
    }
    let projected = project(&tool.clone().with_most_tokens(100_000), Portable);
    assert!(projected.losses.is_empty());
    let projected = project(&tool.with_most_tokens(1), Portable);
    let names: Vec<&String> = projected.schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "body", "same"]);
}

#[test]
fn definitions_that_multiply_are_not_written_out_without_bound() {
    let each = (0..40).map(|at| {
        let next = format!("#/$defs/D{}", at + 1);
        let members = json!({"l": {"$ref": next}, "r": {"$ref": next}, "s": {"anyOf": [{"$ref": next}, {"$ref": next}]}});
        (format!("D{at}"), json!({"type": "object", "properties": members}))
    });
    let mut definitions: Object = each.collect();
    definitions.insert("D40", json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}},
        "$defs": (Value::Object(definitions))});
    for &projection in Projection::ALL {
        let tool = made(schema.clone());
        let projected = project(&tool, projection);
        assert!(projected.tokens(&tool) <= 8000, "{projection}");
    }
}

#[test]
fn nested_unions_are_projected_in_bounded_time() {
    let union = |name: &str| -> Value {
        let each = (0..60).map(|_| json!({"$ref": name}));
        json!({"type": "object", "properties": {"k": {"const": name}}, "oneOf": (each.collect::<Value>())})
    };
    let leaf = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {
        "A": (union("#/$defs/B")), "B": (union("#/$defs/C")), "C": (union("#/$defs/D")),
        "D": (union("#/$defs/E")), "E": leaf}});
    for &projection in Projection::ALL {
        let tool = made(schema.clone());
        let projected = project(&tool, projection);
        assert_eq!(wrong(projection, &projected.schema), Vec::<String>::new());
        assert!(projected.tokens(&tool) <= 8000, "{projection}");
    }
}

#[test]
fn a_huge_schema_is_projected_from_a_bounded_part() {
    let each: Value = (0..3000).map(|at| json!({"required": [(format!("m{at}"))]})).collect();
    let projected = projected(Portable, &json!({"type": "object", "allOf": each}));
    let lost = "`allOf` at `/properties/a`: checked by the gateway alone";
    assert!(projected.losses.iter().any(|loss| loss.to_string() == lost));
    let many: Value = (0..100_000).map(|at| json!(format!("value {at}"))).collect();
    let projected = project(&tool(&json!({"enum": many})), Portable);
    let words = projected.schema["properties"]["a"]["description"].as_str().unwrap();
    assert!(words.starts_with("one of: \"value 0\""), "{words}");
}
