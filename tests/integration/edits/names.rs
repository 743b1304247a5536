//! New names of tools: who finds a tool by which name.

use crate::prelude::*;

use super::{DESCRIPTION, edited, found, properties};

#[test]
fn every_key_that_names_tools_finds_one_by_its_new_name_its_former_one_and_its_operation_id() {
    let edit = "listOrders: {name: find_orders}, createOrder: {name: order}";
    for name in ["find_orders", "listOrders"] {
        for more in [
            format!("confirm: {{tools: {{{name}: always}}}}"),
            format!("execution: {{tools: {{{name}: client}}}}"),
            format!("output: {{tools: {{{name}: {{select: [id]}}}}}}"),
            format!("argument_headers: {{tools: {{{name}: [Prefer]}}}}"),
        ] {
            let found = found(edit, &more);
            let unknown = found.iter().filter(|found| found.contains("name of a tool"));
            assert_eq!(unknown.count(), 0, "{more} {found:?}");
        }
    }
    for name in ["order", "createOrder"] {
        assert_eq!(found(edit, &format!("arguments: {{tools: {{{name}: body}}}}")), [""; 0]);
    }
}

#[test]
fn an_edit_finds_an_operation_by_each_of_its_names() {
    let description = "paths: {/orders: {post: {operationId: create_order_orders_post}}, /pets: {get: {operationId: list}}}";
    let texts = "shop-create_order shop-create_order_orders_post create_order_orders_post
        create_order";
    for name in texts.split_whitespace() {
        let text = format!(
            "toolsets: {{shop: {{openapi: x, server: 'https://a.example', tools: {{edit: {{{name}: {{name: order}}}}}}}}}}"
        );
        let built = configured_with(description, &text).unwrap();
        let names: Vec<_> = built.executor.entries().map(|entry| entry.name().as_str()).collect();
        assert_eq!(names, ["shop-order", "shop-list"], "{name} {:?}", built.warnings);
        assert!(built.warnings.iter().all(|found| found.code != "selects-nothing"), "{name}");
    }
    for name in ["order", "order_orders_post", "shop-create"] {
        let text = format!(
            "toolsets: {{shop: {{openapi: x, server: 'https://a.example', tools: {{edit: {{{name}: {{name: buy}}}}}}}}}}"
        );
        let built = configured_with(description, &text).unwrap();
        assert!(built.executor.find("shop-buy").is_none(), "{name}");
        assert!(built.warnings.iter().any(|found| found.code == "selects-nothing"), "{name}");
    }
}

#[test]
fn a_selection_finds_a_tool_by_its_new_name_and_by_its_operation_id() {
    for name in ["find_orders", "listOrders"] {
        let settings = format!(
            "server: https://a.example\ntools: {{include: [{name}], edit: {{listOrders: {{name: find_orders}}}}}}"
        );
        let built = toolset(DESCRIPTION, &settings).unwrap();
        let names: Vec<_> =
            built.executor.entries().map(|entry| entry.name().to_string()).collect();
        assert_eq!(names, ["find_orders"], "{:?}", built.warnings);
    }
}

#[test]
fn a_new_name_follows_the_prefix_and_mcp_finds_it_by_every_name() {
    let text = |name: &str| {
        format!(
            "mcp: {{pinned: [{name}], tools: {{{name}: {{title: T}}}}}}\n\
             toolsets: {{shop: {{openapi: x, server: 'https://a.example', tools: {{edit: {{listOrders: {{name: find}}}}}}}}}}"
        )
    };
    for name in ["shop-find", "find", "shop-listOrders", "listOrders"] {
        let built = configured_with(DESCRIPTION, &text(name)).unwrap();
        assert!(built.executor.find("shop-find").is_some());
        assert_eq!(built.mcp.pinned, ["shop-find"], "{:?}", built.warnings);
        assert!(built.mcp.tools.contains_key("shop-find"));
    }
}

#[test]
fn an_edit_of_a_tool_that_is_not_selected_is_a_warning() {
    let settings = "server: https://a.example\ntools: {exclude: [listOrders], edit: {listOrders: {name: find_orders}}}";
    let built = toolset(DESCRIPTION, settings).unwrap();
    let [warning] = &*built.warnings else { panic!("{:?}", built.warnings) };
    assert_eq!(warning.pointer, "/tools/edit/listOrders");
    assert_eq!(warning.help, "remove it, or let the other keys of `tools` select the operation");
}

#[test]
fn two_edits_of_one_tool_and_two_rules_for_it_are_faults() {
    let text = "toolsets: {shop: {openapi: x, server: 'https://a.example', tools: {edit: {shop-listOrders: {name: a}, listOrders: {name: b}}}}}";
    let error = configured_with(DESCRIPTION, text).unwrap_err();
    let messages: Vec<_> = error.findings().iter().map(|found| &*found.message).collect();
    assert_eq!(messages, ["expected one edit of a tool, got another one of it: `listOrders`"]);
    let found =
        found("listOrders: {name: find, confirm: always}", "confirm: {tools: {find: never}}");
    assert_eq!(
        found,
        [
            "error /listOrders/confirm: expected one entry for each tool, got another one for that of: `listOrders`; remove one of them"
        ]
    );
}

#[test]
fn a_new_name_is_not_that_of_a_tool_in_another_toolset() {
    let toolset = |edit: &str| {
        format!(
            "{{openapi: x, prefix: '', server: 'https://a.example', tools: {{include: [listOrders], edit: {{{edit}}}}}}}"
        )
    };
    let text = format!(
        "toolsets: {{one: {}, two: {}}}",
        toolset("listOrders: {name: find}"),
        toolset("listOrders: {name: find}")
    );
    let error = configured_with(DESCRIPTION, &text).unwrap_err();
    let pointers: Vec<_> = error.findings().iter().map(|found| &*found.pointer).collect();
    assert_eq!(
        pointers,
        ["/toolsets/one/tools/edit/listOrders/name", "/toolsets/two/tools/edit/listOrders/name"]
    );
}

#[tokio::test]
async fn the_fault_of_an_unknown_tool_and_a_search_name_the_new_name() {
    let executor = edited("listOrders: {name: find_orders, description: Zebras.}", "");
    let wrong = fault(call(&executor, "find_order", json!({})).await.outcome);
    assert!(wrong.message.contains("`find_orders`"), "{}", wrong.message);
    let wrong = fault(call(&executor, "listOrders", json!({})).await.outcome);
    assert_eq!(wrong.code, FaultCode::UnknownTool);
    let search = callgate::search::Search::new("zebras");
    let found = executor.search(&search, |_| true);
    assert_eq!(found[0].entry.name().as_str(), "find_orders");
    assert!(!properties(&executor, "find_orders").is_empty());
}
