//! A discriminator is a hint: what is given is checked by the branches alone, so that a value outside of the declared ones is
//! sent where a branch allows it, and refused where none does.

use crate::prelude::*;

/// A body that is a cat, whose kind is any text, or a dog, whose `kind` is as said.
fn pets(version: &str, kind: &Value) -> Plan {
    let branch = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let discriminator = json!({"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}});
    let schema = json!({"anyOf": [branch("Cat"), branch("Dog")], "discriminator": discriminator});
    let pet = |kind: &Value, more: &str| {
        json!({"type": "object", "required": ["kind", more],
        "properties": {"kind": kind, more: {"type": "integer"}}})
    };
    plan(
        &json!({"openapi": version, "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}],
            "components": {"schemas": {"Cat": pet(&json!({"type": "string"}), "claws"), "Dog": pet(kind, "bones")}},
            "paths": {"/a": {"post": {"responses": {}, "requestBody": {"required": true,
                "content": {"application/json": {"schema": schema}}}}}}})
        .to_string(),
    )
}

#[test]
fn an_undeclared_discriminator_value_is_sent_if_a_branch_allows_it() {
    for version in ["3.0.3", "3.1.0", "3.2.0"] {
        let open = pets(version, &json!({"type": "string"}));
        let listed = pets(version, &json!({"type": "string", "enum": ["dog", "hound"]}));
        for (plan, kind, more, is_sent) in [
            (&open, "cat", "claws", true),
            (&open, "lion", "claws", true),
            (&open, "lion", "bones", true),
            // What stands for one branch does not refuse what another allows.
            (&open, "cat", "bones", true),
            (&listed, "hound", "bones", true),
            (&listed, "lion", "bones", false),
        ] {
            let pet = json!({"kind": kind, more: 1});
            let planned = call(plan, json!({"body": pet}));
            assert_eq!(planned.result.is_ok(), is_sent, "{version} {pet}");
            if let Ok(request) = planned.result {
                assert_eq!(*request.body(), pet.to_string(), "{version}");
            }
        }
    }
}

#[test]
fn each_branch_is_declared_with_its_discriminator_value() {
    let plan = pets("3.0.3", &json!({"type": "string"}));
    let declared = plan.operation().declaration().unwrap().input_schema.to_value();
    let branches = &declared["properties"]["body"]["anyOf"];
    assert_eq!(branches[0]["properties"], json!({"kind": {"enum": ["cat"]}}));
    assert_eq!(branches[1]["properties"], json!({"kind": {"enum": ["dog"]}}));
}

#[test]
fn a_fault_names_the_branch_of_the_discriminator_value() {
    let text = json!({"type": "string"});
    let plan = pets("3.1.0", &text);
    for (pet, expected) in [
        (json!({"kind": "cat"}), "body.claws: expected a value, got nothing"),
        (json!({"kind": "dog"}), "body.bones: expected a value, got nothing"),
        (json!({"kind": "dog", "bones": "x"}), "body.bones: expected integer, got string \"x\""),
        (json!({"kind": "lion"}), "body.kind: expected one of `cat`, `dog`, got string \"lion\""),
        (json!({}), "body.kind: expected one of `cat`, `dog`, got nothing"),
        (json!({"bones": 1}), "body.kind: expected `dog`, got nothing"),
    ] {
        assert_eq!(call(&plan, json!({"body": pet})).problems(), expected, "{pet}");
    }
}
