//! `x-mcp-header`: arguments that clients of MCP repeat in headers, and those that cannot stand there.

use callgate_openapi::LoadOptions;

use crate::documents::loaded;

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
    let loaded = loaded(paths, &LoadOptions::default()).examined();
    let tool = loaded.operations[0].declaration().unwrap();
    let headers: Vec<_> = tool.mcp_headers.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(headers, [("id", "Id"), ("region", "X-Region"), ("tenant", "Tenant")]);
    assert!(!tool.input_schema.to_value().to_string().contains("x-mcp-header"));
    let found: Vec<_> = loaded.report.diagnostics.iter().collect();
    let of = |name: usize| format!("/paths/~1a~1{{id}}/post/parameters/{name}/schema");
    let found: Vec<_> =
        found.iter().map(|found| (found.code.as_str(), found.pointer.clone())).collect();
    assert_eq!(found, [3, 4, 5, 6, 7].map(|at| ("mcp-header", of(at))));
}
