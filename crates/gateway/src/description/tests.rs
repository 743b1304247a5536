//! Tests that callgate itself accepts the description without a finding, and that it matches the code.

use callgate_config::{Config, Description, Environment, ServerUrl, ToolsetConfig};

use super::*;

#[test]
fn every_reference_in_the_description_of_the_sidecar_has_its_schema() {
    let document = Value::parse(&openapi_json(&Object::new())).unwrap();
    let schemas = document.pointer("/components/schemas").unwrap();
    let text = document.to_string();
    let named = text.split(r##""$ref":"#/components/schemas/"##).skip(1);
    for name in named.map(|rest| rest.split('"').next().unwrap()) {
        assert!(schemas.get(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn callgate_loads_the_description_of_the_sidecar_without_findings() {
    let server = ServerUrl::new("https://sidecar.example.com").unwrap();
    let toolset =
        ToolsetConfig::new(Description::text(openapi_json(&Object::new()))).with_server(server);
    let config = Config::new().with_toolset(toolset);
    let mut built = config.build(&Environment::new(), None).await.unwrap();
    let mut toolset = built.toolsets.remove(0);
    toolset.report.add_schema_findings(&toolset.operations, |_, _| {});
    assert_eq!(toolset.report.diagnostics, []);
    let exposed = toolset.operations.iter().map(|operation| operation.tool_name.as_str());
    let exposed: Vec<_> = exposed.collect();
    assert!(exposed.contains(&"decideApproval"), "{exposed:?}");
}
