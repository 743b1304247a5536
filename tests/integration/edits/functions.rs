//! Edits of functions, which the client runs.

use crate::prelude::*;

const FUNCTIONS: &str = include_str!("functions.yaml");

fn text(edit: &str) -> String {
    format!("{FUNCTIONS}        {edit}\n")
}

#[tokio::test]
async fn the_client_gets_the_operators_values_and_the_new_name() {
    let edit = "open_page: {name: show, description: Shows a page., fix: {tab: 1}, defaults: {zoom: 1.5}, describe: {page: Its path.}}";
    let executor = configured(&text(edit)).unwrap().executor;
    let tool = executor.find("app-show").unwrap().declaration().unwrap();
    assert_eq!(tool.description, "Shows a page.");
    let expected = json!({
        "type": "object",
        "required": ["page"],
        "properties": {
            "page": {"type": "string", "description": "Its path."},
            "zoom": {"type": "number", "default": 1.5},
        },
        "additionalProperties": false,
    });
    assert_eq!(tool.input_schema.to_value(), expected);
    let result = call(&executor, "app-show", json!({"page": "/"})).await;
    assert_eq!(result.journal.defaults().collect::<Vec<_>>(), ["zoom", "tab"]);
    let Outcome::Pending(pending) = result.outcome else { panic!("{result:?}") };
    assert_eq!(pending.request, json!({"page": "/", "zoom": 1.5, "tab": 1}));
    let result = call(&executor, "app-show", json!({"page": "/", "zoom": 2})).await;
    let Outcome::Pending(pending) = result.outcome else { panic!("{result:?}") };
    assert_eq!(pending.request, json!({"page": "/", "zoom": 2, "tab": 1}));
}

#[tokio::test]
async fn a_hidden_argument_of_a_function_is_unknown() {
    let executor = configured(&text("open_page: {fix: {tab: 1}}")).unwrap().executor;
    let wrong =
        fault(call(&executor, "app-open_page", json!({"tab": 2, "zoom": "x"})).await.outcome);
    let told: Vec<_> = wrong.problems.iter().map(|one| format!("{} {}", one.at, one.got)).collect();
    assert_eq!(told, ["page nothing", "zoom string \"x\"", "tab an unknown property"]);
    let expected: Vec<_> = wrong.problems.iter().map(|one| one.expected.as_str()).collect();
    assert!(expected.iter().all(|text| !text.contains("tab")), "{expected:?}");
}

#[test]
fn a_change_of_a_function_that_cannot_be_made_has_a_finding_at_its_key() {
    for [edit, expected] in rows(
        r#"
            open_page: {hide: [zoom], effect: read} =>
            app-open_page: {name: 'show it'} => /toolsets/app/tools/edit/app-open_page/name: expected a name matching `^[A-Za-z_][A-Za-z0-9_-]{0,59}$`, got: `app-show it`
            open_pag: {name: x} => /toolsets/app/tools/edit/open_pag: expected the name of a tool that is offered, got: `open_pag`
            open_page: {name: find} => /toolsets/app/tools/edit/open_page/name: expected a name that no other tool has, got that of another one: `app-find`
            open_page: {hide: [tab]} => /toolsets/app/tools/edit/open_page/hide/0: expected an argument that a call can do without, got a required one that has no default that is sent: `tab`
            open_page: {fix: {tab: one}} => /toolsets/app/tools/edit/open_page/fix/tab: expected integer, got: string "one"
            open_page: {hide: [zom]} => /toolsets/app/tools/edit/open_page/hide/0: expected an argument of the tool, got: `zom`
            open_page: {examples: [{page: 1, tab: 1}]} => /toolsets/app/tools/edit/open_page/examples/0: `page`: expected string, got: number 1
            find: {hide: [a]} => /toolsets/app/tools/edit/find/hide/0: expected a tool whose schema has no rules about several arguments, got one with `anyOf`: `a`
            "#,
    ) {
        let findings = crate::built::findings(configured(&text(edit)));
        let found: Vec<_> =
            findings.iter().map(|found| format!("{}: {}", found.pointer, found.message)).collect();
        assert_eq!(found.join("; "), expected, "{edit}");
    }
}

#[test]
fn confirm_finds_a_function_by_its_new_name_and_by_its_own() {
    for name in ["show", "open_page", "app-show", "app-open_page"] {
        let known = format!(
            "{}    confirm: {{tools: {{{name}: always}}}}\n",
            text("open_page: {name: show}")
        );
        let is_known = configured(&known).unwrap().warnings.is_empty();
        assert!(is_known, "{name}");
    }
}
