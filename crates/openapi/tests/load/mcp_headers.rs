//! `x-mcp-header`: arguments that clients of MCP repeat in headers, and those that cannot stand there.

use crate::prelude::*;

use callgate_tool::Tool;

fn named((path, header): (&str, &str)) -> (String, String) {
    (path.to_owned(), header.to_owned())
}

/// The headers by the dotted paths to their values.
fn headers(tool: &Tool) -> Vec<(String, String)> {
    tool.mcp_headers.iter().map(|(path, header)| (path.join("."), header.clone())).collect()
}

#[test]
fn an_argument_is_repeated_in_the_header_that_its_schema_names() {
    let paths = "
paths:
  /a/{id}:
    post:
      summary: A
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, x-mcp-header: Id}}
        - {name: region, in: query, schema: {type: string, x-mcp-header: X-Region}}
        - {name: plain, in: query, schema: {type: string}}
        - {name: same, in: query, schema: {type: boolean, x-mcp-header: x-region}}
        - {name: number, in: query, schema: {type: number, x-mcp-header: Number}}
        - {name: empty, in: query, schema: {type: string, x-mcp-header: ''}}
        - {name: spaced, in: query, schema: {type: string, x-mcp-header: 'a b'}}
        - {name: several, in: query, schema: {type: [string, 'null'], x-mcp-header: Several}}
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, required: [tenant], properties: {tenant: {type: string, x-mcp-header: Tenant}}}}}
";
    let loaded = loaded(paths, &LoadOptions::default()).with_schema_findings();
    let tool = loaded.operations[0].declaration().unwrap();
    assert_eq!(
        headers(tool),
        [("id", "Id"), ("region", "X-Region"), ("tenant", "Tenant")].map(named)
    );
    assert!(!tool.input_schema.to_value().to_string().contains("x-mcp-header"));
    let found: Vec<_> = loaded.report.diagnostics.iter().collect();
    let of = |name: usize| format!("/paths/~1a~1{{id}}/post/parameters/{name}/schema");
    let found: Vec<_> =
        found.iter().map(|found| (found.code.as_str(), found.pointer.clone())).collect();
    assert_eq!(found, [3, 4, 5, 6, 7].map(|at| ("mcp-header", of(at))));
}

#[test]
fn only_members_and_references_declare_a_header() {
    let paths = "
paths:
  /a:
    post:
      summary: A
      parameters:
        - {name: region, in: query, schema: {$ref: '#/components/schemas/Region'}}
        - {name: tags, in: query, schema: {type: array, items: {type: string, x-mcp-header: Tag}}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [order]
              properties:
                order: {$ref: '#/components/schemas/Order'}
components:
  schemas:
    Region: {type: string, x-mcp-header: Region}
    Order:
      type: object
      properties:
        tenant: {type: object, properties: {id: {type: integer, x-mcp-header: Tenant}}}
        before: {$ref: '#/components/schemas/Order'}
        choice: {oneOf: [{type: string, x-mcp-header: Choice}]}
";
    let loaded = loaded(paths, &LoadOptions::default()).with_schema_findings();
    let tool = loaded.operations[0].declaration().unwrap();
    assert_eq!(headers(tool), [("region", "Region"), ("order.tenant.id", "Tenant")].map(named));
    let found = loaded.report.diagnostics.iter();
    let found: Vec<_> = found.map(|found| (found.code.as_str(), &*found.pointer)).collect();
    let expected = [
        "/paths/~1a/post/parameters/1/schema/items",
        "/components/schemas/Order/properties/choice/oneOf/0",
    ];
    assert_eq!(found, expected.map(|at| ("mcp-header", at)));
}
