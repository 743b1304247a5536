//! Tools of a connection that run as the tools of a database: their arguments and results in Google's names.

#![cfg(test)]

use std::sync::Arc;

use callgate_connector::{
    ActionKind, ActionSettings, ConnectionSettings, Loaded, SERVICE, load_on_database,
};
use callgate_executor::{Backend, CallSettings, Executor, Function};
use callgate_kind::{ArgumentForm, Operation};
use callgate_tool::{Effect, Outcome, Session, ToolCall, ToolsetName, Value, json};

/// Tools of a database with these declarations, which answer with their arguments.
fn database(short: &str) -> Option<Arc<dyn Backend>> {
    let conditions = json!({"type": "object", "properties": {
        "no": {"type": "object"}, "note": {"type": "object"}, "any": {"type": "array"},
    }});
    let no = json!({"type": "integer"});
    let note = json!({"type": "string"});
    let (properties, required) = match short {
        "orders-list" => (
            json!({"where": conditions, "limit": no, "page": note, "sort": {"type": "array"}}),
            json!([]),
        ),
        "orders-get" => (json!({"no": no}), json!(["no"])),
        "orders-create" => (json!({"note": note}), json!(["note"])),
        "orders-update" => {
            let set = json!({"type": "object", "properties": {"note": note}});
            (json!({"no": no, "where": conditions, "set": set}), json!(["set"]))
        }
        "plain-update" => (json!({"no": no, "set": {"type": "object"}}), json!(["no", "set"])),
        "parts-get" => (json!({"a": no, "b": no}), json!(["a", "b"])),
        _ => return None,
    };
    let schema = json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    });
    let function = Function::new("shop", short, schema, |call| async move {
        let asked = Value::Object(call.arguments().clone());
        json!({"rows": [asked], "more": true, "next": "t"})
    });
    Some(Arc::new(function.unwrap().with_effect(Effect::Read)))
}

fn load_tools(entity: &str, operation: Operation, form: ArgumentForm) -> Loaded {
    load_kind(ActionKind::Entity { entity: entity.to_owned(), operation, many: true }, form)
}

fn load_kind(kind: ActionKind, form: ArgumentForm) -> Loaded {
    let action = ActionSettings {
        pointer: "/a".to_owned(),
        name: None,
        description: String::new(),
        kind,
        input_fields: None,
        output_fields: None,
        form,
    };
    let settings = ConnectionSettings {
        pointer: "/toolsets/crm".to_owned(),
        toolset: "crm".to_owned(),
        prefix: Some(ToolsetName::new("crm").unwrap()),
        connection: "projects/p/locations/l/connections/c".parse().unwrap(),
        server: SERVICE.to_owned(),
        actions: Some(vec![action]),
        user: None,
        call: CallSettings::default(),
        rows: 50,
    };
    load_on_database(&settings, database)
}

/// The arguments that the database's tool gets; `None` if the call fails before.
async fn request_body(operation: Operation, arguments: Value) -> Option<Value> {
    let Loaded { mut tools, findings, .. } = load_tools("orders", operation, ArgumentForm::Google);
    assert!(findings.is_empty(), "{findings:?}");
    let tool = tools.remove(0);
    let name = tool.name().to_string();
    let executor = Executor::builder().shared_backend(tool).build().unwrap();
    let Value::Object(arguments) = arguments else { panic!() };
    let result = executor.call(&ToolCall::new("1", &*name, arguments), &Session::default()).await;
    match result.outcome {
        Outcome::Answered(_) => {
            let result = Value::parse(result.text()?).unwrap();
            assert_eq!(result["nextPageToken"], "t");
            assert_eq!(result.get("more"), None);
            Some(result["connectorOutputPayload"][0].clone())
        }
        _ => None,
    }
}

#[tokio::test]
async fn arguments_of_an_agent_become_those_of_the_database() {
    let clause = json!({"filterClause": "note = \"it's\" OR no = 1", "pageSize": 2, "sortByColumns": ["no"]});
    let expected = json!({
        "where": {"any": [{"note": {"eq": "it's"}}, {"no": {"eq": 1}}]}, "limit": 2, "sort": ["no"],
    });
    assert_eq!(request_body(Operation::List, clause).await, Some(expected));
    assert_eq!(
        request_body(Operation::Get, json!({"entityId": "2"})).await,
        Some(json!({"no": 2}))
    );
    assert_eq!(
        request_body(Operation::Create, json!({"note": "x"})).await,
        Some(json!({"note": "x"}))
    );
    let update = json!({"filterClause": "no >= 2", "note": "x"});
    let expected = json!({"where": {"no": {"gte": 2}}, "set": {"note": "x"}});
    assert_eq!(request_body(Operation::Update, update).await, Some(expected));
}

#[tokio::test]
async fn a_clause_or_key_that_the_database_lacks_is_refused() {
    for clause in ["no = 1; drop table orders", "secret = 1", "no = 1 AND no = 2", "1 = 1"] {
        assert_eq!(
            request_body(Operation::List, json!({"filterClause": clause})).await,
            None,
            "{clause}"
        );
    }
    assert_eq!(request_body(Operation::Get, json!({"entityId": "two"})).await, None);
    assert_eq!(request_body(Operation::Get, json!({"no": 2})).await, None);
}

#[test]
fn a_tool_without_its_like_in_the_database_is_a_finding() {
    for (entity, operation) in
        [("orders", Operation::Delete), ("cases", Operation::List), ("parts", Operation::Get)]
    {
        let found = load_tools(entity, operation, ArgumentForm::Google);
        assert_eq!((found.tools.len(), found.findings[0].code), (0, "connection-local"));
    }
}

#[test]
fn conditions_are_those_that_the_action_and_the_database_have() {
    for (entity, many, expected) in [
        ("orders", true, (1, None)),
        ("orders", false, (0, Some(("connection-local", "/a")))),
        ("plain", true, (1, Some(("unused-key", "/a/many")))),
        ("plain", false, (1, None)),
    ] {
        let kind =
            || ActionKind::Entity { entity: entity.to_owned(), operation: Operation::Update, many };
        for form in [ArgumentForm::Google, ArgumentForm::Own] {
            let Loaded { tools, findings, .. } = load_kind(kind(), form);
            let first = findings.first().map(|finding| (finding.code, &*finding.pointer));
            assert_eq!((tools.len(), first), expected, "{entity} {many}: {findings:?}");
        }
    }
}
