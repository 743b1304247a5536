//! Tools whose `operationId` a generator made: their names, the names that reach them, and the configurations whose tools
//! keep the long names.

use crate::prelude::*;

const DESCRIPTION: &str = r"
paths:
  /orders:
    get: { operationId: list_orders_orders_get, responses: { '200': { description: All } } }
    post: { operationId: create_order_orders_post, responses: { '200': { description: One } } }
";

fn names(built: &Built) -> Vec<&str> {
    built.executor.entries().map(|entry| entry.name().as_str()).collect()
}

#[tokio::test]
async fn a_call_by_the_long_name_is_made_and_its_journal_says_so() {
    let server = Server::start().await;
    let executor = target::executor(DESCRIPTION, &server.url(""), "");
    assert!(executor.find("create_order").is_some());
    let result = call(&executor, "create_order_orders_post", json!({})).await;
    assert_eq!((&*result.tool, server.total()), ("create_order", 1));
    let is_said = |event: &Event| {
        matches!(event, Event::ToolFolded { asked, meant }
            if asked == "create_order_orders_post" && meant == "create_order")
    };
    assert!(result.journal.events().iter().any(is_said), "{:?}", result.journal);
}

#[test]
fn settings_may_name_a_tool_by_its_short_name_its_long_one_or_its_id() {
    let text = "
server: https://a.example
confirm: {tools: {NAME: always}}
execution: {tools: {NAME: client}}
tools: {include: [NAME]}
mcp: {pinned: [PINNED], tools: {PINNED: {title: New}}}
";
    let prefixed = ["shop-create_order", "shop-create_order_orders_post"];
    for name in prefixed.into_iter().chain(["create_order", "create_order_orders_post"]) {
        let pinned = prefixed.iter().find(|known| known.ends_with(name)).unwrap_or(&name);
        let (settings, mcp) = text.split_once("mcp").unwrap();
        let settings = settings.trim().replace('\n', "\n    ").replace("NAME", name);
        let mcp = format!("mcp{}", mcp.replace("PINNED", pinned));
        let text = format!("toolsets:\n  shop:\n    openapi: a.yaml\n    {settings}\n{mcp}");
        let built = configured_with(DESCRIPTION, &text).unwrap();
        assert_eq!(
            (names(&built), &*built.warnings),
            (vec!["shop-create_order"], &[][..]),
            "{name}"
        );
        assert_eq!(built.mcp.pinned, ["shop-create_order"]);
        assert!(built.mcp.tools.contains_key("shop-create_order"));
    }
}

/// Two operations with one id.
const SHARED_ID: &str = r"
paths:
  /orders: { get: { operationId: listItems, responses: { '200': { description: All } } } }
  /returns: { get: { operationId: listItems, responses: { '200': { description: All } } } }
";

#[tokio::test]
async fn operations_with_one_id_have_words_of_their_paths_and_their_former_names_reach_them() {
    let server = Server::start().await;
    let executor = target::executor(SHARED_ID, &server.url(""), "");
    for (asked, name) in [
        ("listItems_orders", "listItems_orders"),
        ("listItems_60c198", "listItems_orders"),
        ("listItems_df7da8", "listItems_returns"),
    ] {
        assert_eq!(&*call(&executor, asked, json!({})).await.tool, name, "{asked}");
    }
    assert_eq!(server.total(), 3);
    for name in ["shop-listItems_orders", "shop-listItems_60c198", "listItems_orders"] {
        let rules = format!(
            "confirm: {{tools: {{{name}: always}}}}, execution: {{tools: {{{name}: client}}}}, tools: {{include: [{name}]}}"
        );
        let toolset = format!("{{openapi: a.yaml, server: 'https://a.example', {rules}}}");
        let text = format!("toolsets: {{shop: {toolset}}}");
        let built = configured_with(SHARED_ID, &text).unwrap();
        assert_eq!(
            (names(&built), &*built.warnings),
            (vec!["shop-listItems_orders"], &[][..]),
            "{name}"
        );
    }
    for key in ["confirm", "execution"] {
        let rule = if key == "confirm" { "always" } else { "client" };
        let rule = format!("server: https://a.example\n{key}: {{tools: {{listItems: {rule}}}}}");
        let error = toolset(SHARED_ID, &rule).unwrap_err();
        let pointer = format!("/{key}/tools/listItems");
        let finding = error.findings().iter().find(|finding| finding.pointer == pointer);
        let finding = finding.unwrap_or_else(|| panic!("{error}"));
        assert_eq!(finding.message, "expected the name of one tool, got that of 2: `listItems`");
        assert!(finding.help.contains("`listItems_orders`, `listItems_returns`"), "{error}");
        // Only one is offered.
        let one = toolset(SHARED_ID, &format!("{rule}\ntools: {{paths: [/orders]}}")).unwrap();
        assert_eq!((names(&one), one.warnings.len()), (vec!["listItems_orders"], 0));
    }
    let kept = toolset(SHARED_ID, "server: https://a.example\ntool_names: as_written").unwrap();
    assert_eq!(names(&kept), ["listItems_60c198", "listItems_df7da8"]);
}

#[test]
fn toolsets_that_share_a_prefix_keep_the_long_names() {
    let toolset = |name: &str, more: &str| {
        format!(
            "  {name}: {{openapi: a.yaml, server: 'https://a.example', prefix: '', tools: {{methods: [{more}]}}}}\n"
        )
    };
    let text = format!("toolsets:\n{}{}", toolset("a", "GET"), toolset("b", "POST"));
    let built = configured_with(DESCRIPTION, &text).unwrap();
    assert_eq!(names(&built), ["list_orders_orders_get", "create_order_orders_post"]);
    let wished = text.replace("prefix", "tool_names: short, prefix");
    let built = configured_with(DESCRIPTION, &wished).unwrap();
    assert_eq!(names(&built), ["list_orders", "create_order"]);
}

#[test]
fn a_key_keeps_the_long_names_and_so_does_a_function_with_the_short_one() {
    let settings = "server: https://a.example\n";
    let built = toolset(DESCRIPTION, &format!("{settings}tool_names: as_written")).unwrap();
    assert_eq!(names(&built), ["list_orders_orders_get", "create_order_orders_post"]);
    let function = "functions: [{name: list_orders, description: Mine, input: {type: object}}]";
    let built = toolset(DESCRIPTION, &format!("{settings}{function}")).unwrap();
    assert_eq!(names(&built), ["list_orders_orders_get", "create_order", "list_orders"]);
}

#[test]
fn the_report_shows_the_shortened_names_once() {
    let built = toolset(DESCRIPTION, "server: https://a.example").unwrap();
    let found = built.toolsets[0].report.diagnostics.iter();
    let found: Vec<_> = found.filter(|found| found.code == Code::ShortenedNames).collect();
    let [found] = &*found else { panic!("{found:?}") };
    assert_eq!(
        found.message,
        "expected ids with the names of a program alone, got 2 with path and method, as FastAPI writes them: `list_orders_orders_get` is `list_orders`, `create_order_orders_post` is `create_order`"
    );
}
