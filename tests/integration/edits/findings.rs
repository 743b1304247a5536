//! What a configuration may not ask of an edit, and what is gone from a description.

use crate::prelude::*;

use super::{DESCRIPTION, found};

#[test]
fn each_change_that_cannot_be_made_has_a_finding_at_its_key() {
    for [edit, expected] in rows(FINDINGS) {
        assert_eq!(found(edit, "").join("; "), expected, "{edit}");
    }
}

/// Edits, each with what is found.
const FINDINGS: &str = r#"
    listOrders: {name: find_orders, hide: [status]} =>
    lstOrders: {name: x} => error /lstOrders: expected the name of a tool that is offered, got: `lstOrders`; did you mean `listOrders`?
    zzz: {name: x} => warning /zzz: expected the name of a tool that is offered, got: `zzz`; remove it
    listOrders: {name: find orders} => error /listOrders/name: expected a name matching `^[A-Za-z_][A-Za-z0-9_-]{0,59}$`, got: `find orders`; use letters, digits, `_` and `-`, at most 60 with the prefix of the toolset
    listOrders: {name: createOrder} => error /listOrders/name: expected a name that no other tool has, got that of `POST /orders`: `createOrder`; choose another, also if that tool gets a new name itself
    listOrders: {hide: [stats]} => error /listOrders/hide/0: expected an argument of the tool, got: `stats`; did you mean `status`?
    listOrders: {hide: [colour]} => warning /listOrders/hide/0: expected an argument of the tool, got: `colour`; correct it or remove it; its arguments are `tenant`, `status`, `limit`, `X_Trace`, `user`
    listOrders: {hide: [tenant]} => error /listOrders/hide/0: expected an argument that a call can do without, got a required one that has no default that is sent: `tenant`; give it a value: `fix: {tenant: …}`
    replaceOrder: {hide: [id]} => error /replaceOrder/hide/0: expected an argument that a call can do without, got a required one that has no default that is sent: `id`; give it a value: `fix: {id: …}`
    listOrders: {fix: {tenant: gamma}} => error /listOrders/fix/tenant: expected one of `acme`, `beta`, got: string "gamma"; write a value that the service takes there
    listOrders: {defaults: {limit: 500}} => error /listOrders/defaults/limit: expected at most 50, got: number 500; write a value that the service takes there
    listOrders: {defaults: {X_Trace: "a\nb"}} => error /listOrders/defaults/X_Trace: expected text without control characters, got: a control character; write a value that the service takes there
    listOrders: {fix: {X_Trace: 'env:TOKEN'}} => warning /listOrders/fix/X_Trace: the text `env:…` is sent as it stands: no secret is read here; a credential goes into `auth` or `headers` of the toolset; a member of a body can be none
    replaceOrder: {fix: {id: ..}} => error /replaceOrder/fix/id: expected a value without `.` and `..` as a path, got: a dot segment; write a value that the service takes there
    listOrders: {fix: {user: ada}} => error /listOrders/fix/user: expected an argument without values of the session, got one with `$session.params.user`: `user`; remove it: the session gives this value
    listOrders: {defaults: {call: x}} => error /listOrders/defaults/call: expected an argument without values of the session, got one with `$context.session_id`: `call`; remove it: the session gives this value
    listOrders: {fix: {limit: 1}, defaults: {limit: 2}} => error /listOrders/defaults/limit: expected `limit` under `fix` or `defaults`, got both; `fix` hides it, `defaults` does not
    listOrders: {hide: [limit], describe: {limit: x}} => warning /listOrders/describe/limit: expected an argument that the model sees, got: `limit`; remove it: the argument is hidden
    createOrder: {fix: {ship.way: sea}} => error /createOrder/fix/ship.way: expected an argument, got a value inside `ship`: `ship.way`; change the description by an overlay
    replaceOrder: {hide: [content_type]} => error /replaceOrder/hide/0: expected an argument with a value, got the media type of the body: `content_type`; leave one media type in the description by an overlay
    replaceOrder: {defaults: {body: [1]}} => error /replaceOrder/defaults/body: expected an argument of one form, got a body of several media types: `body`; `fix: {body: …}` sends it in the first; or leave one by an overlay
    replaceOrder: {fix: {id: '7', body: some text}} => error /replaceOrder/fix/body: expected array, got: string "some text"; write a value that the service takes there
    listOrders: {examples: [{tenant: acme}, {limit: 51, tenant: acme}]} => error /listOrders/examples/1: `limit`: expected at most 50, got: number 51; write a value that the service takes there
    listOrders: {fix: {tenant: acme}, examples: [{tenant: acme}]} => error /listOrders/examples/0: `tenant`: expected one of `status`, `limit`, `X_Trace`, `user`, got: an unknown property; write a value that the service takes there
    listOrders: {} => warning /listOrders: expected changes to the tool, got none; for example `name: find_pets`, or remove it
    listOrders: {hidden: [x]} => error /listOrders/hidden: expected a key of an edit, got: `hidden`; did you mean `hide`?
    listOrders: {effect: reads} => error /listOrders/effect: expected `idempotent`, `read` or `write`, got: `reads`; `read` changes nothing, and `idempotent` changes nothing more when it is called again
    "#;

#[test]
fn an_operation_without_an_argument_that_is_fixed_is_not_offered() {
    let settings =
        "server: https://a.example/v1\ntools: {edit: {listOrders: {fix: {colour: red}}}}";
    let built = toolset(DESCRIPTION, settings).unwrap();
    assert!(built.executor.find("listOrders").is_none());
    assert!(built.executor.find("createOrder").is_some());
    let report = &built.toolsets[0].report;
    let lost = report.diagnostics.iter().find(|found| found.code == Code::MissingArgument).unwrap();
    assert_eq!(
        lost.message,
        "expected the argument that the configuration gives a fixed value, got none: `colour`"
    );
    assert_eq!(lost.operation.as_deref(), Some("GET /orders"));
}

#[test]
fn members_of_a_body_as_arguments_are_changed_by_an_overlay() {
    let more = "arguments: {tools: {createOrder: body}}";
    assert_eq!(
        found("createOrder: {hide: [note]}", more),
        [
            "error /createOrder/hide/0: expected a tool whose arguments are inputs of their own, got a member of its body: `note`; remove the tool from `arguments`, or change the description by an overlay"
        ]
    );
    assert_eq!(found("createOrder: {name: order, examples: [{item: a}]}", more), [""; 0]);
}

#[test]
fn an_edit_stays_when_the_description_changes_and_a_finding_says_what_is_gone() {
    let settings = "server: https://a.example/v1\n\
         tools: {edit: {listOrders: {name: find_orders, fix: {tenant: acme}, hide: [X_Trace]}, searchOrders: {name: search}}}";
    let gone = [
        ("        - { name: X-Trace, in: header, schema: { type: string } }\n", ""),
        ("searchOrders", "lookUpAnything"),
    ];
    let changed =
        gone.iter().fold(DESCRIPTION.to_owned(), |text, (old, new)| text.replace(old, new));
    let before = toolset(DESCRIPTION, settings).unwrap();
    assert!(before.warnings.is_empty() && before.executor.find("search").is_some());
    let after = toolset(&changed, settings).unwrap();
    let found: Vec<_> = after.warnings.iter().map(|found| &*found.pointer).collect();
    assert_eq!(found, ["/tools/edit/listOrders/hide/0", "/tools/edit/searchOrders"]);
    assert!(after.executor.find("find_orders").is_some());
    assert!(after.executor.find("lookUpAnything").is_some());
}
