//! Imports tools of connections: `connectorSpec` of Dialogflow CX (v3beta1), `connectorTool` and `connectorToolset` of Customer
//! Engagement Suite. They run on Google's connections, with the arguments that Google's agents know.

use callgate_tool::{Object, ToolName, Value, json};

use crate::import::{Imported, RemarkKind, authentication::Product, message::Message};

/// Imports the specification of a tool of Dialogflow CX.
pub(super) fn import_cx_connector(spec: &Message<'_>, imported: &mut Imported) {
    spec.remark_unknown_members(&["name", "actions", "endUserAuthConfig"], imported);
    let actions = spec.messages("actions", imported);
    import_connection(spec, ["name", "endUserAuthConfig"], &actions, Product::Dialogflow, imported);
}

/// Imports a toolset of Customer Engagement Suite.
pub(super) fn import_connector_toolset(toolset: &Message<'_>, imported: &mut Imported) {
    toolset.remark_unknown_members(&["connection", "authConfig", "connectorActions"], imported);
    let actions = toolset.messages("connectorActions", imported);
    import_connection(toolset, ["connection", "authConfig"], &actions, Product::Ces, imported);
}

/// Imports a tool of Customer Engagement Suite, which has one action and a name of its own.
pub(super) fn import_connector_tool(tool: &Message<'_>, imported: &mut Imported) {
    tool.remark_unknown_members(
        &["connection", "authConfig", "action", "name", "description"],
        imported,
    );
    let actions: Vec<_> = tool.message("action", imported).into_iter().collect();
    import_connection(tool, ["connection", "authConfig"], &actions, Product::Ces, imported);
    let name = tool.text("name", imported).map(|text| text.plain_text().to_owned());
    let description = tool.text("description", imported).map(|text| text.plain_text().to_owned());
    let actions = imported.settings.get_mut("actions").and_then(Value::as_array_mut);
    let Some(Value::Object(action)) = actions.and_then(|actions| actions.first_mut()) else {
        return;
    };
    action.insert_if_some("description", description);
    let Some(name) = name else { return };
    // The agent calls the tool by this name alone.
    if ToolName::new(&name).is_ok() {
        action.insert("name", name.into());
        imported.settings.insert("prefix", "".into());
    } else {
        let message = "expected a name that models can write; the tool gets one of its action";
        imported.add_remark(RemarkKind::NoEquivalent, tool.member_pointer("name"), message);
    }
}

fn import_connection(
    spec: &Message<'_>,
    [name, user]: [&str; 2],
    actions: &[Message<'_>],
    product: Product,
    imported: &mut Imported,
) {
    let Some(connection) = spec.required_text(name, imported) else { return };
    let connection = connection.plain_text().to_owned();
    let parts: Vec<&str> = connection.split('/').collect();
    if !matches!(*parts, ["projects", _, "locations", _, "connections", _]) {
        let message = "expected the name of a connection: `projects/…/locations/…/connections/…`";
        return imported.add_remark(RemarkKind::Invalid, spec.member_pointer(name), message);
    }
    let n_remarks = imported.remarks.len();
    let user = spec.message(user, imported).map(|user| user_credential(&user, product, imported));
    let mut new = imported.remarks.iter().skip(n_remarks);
    if new.any(|remark| remark.kind == RemarkKind::Invalid) {
        return;
    }
    let actions: Vec<Value> = actions
        .iter()
        .filter_map(|action| imported_action(action, imported).map(Value::Object))
        .collect();
    if actions.is_empty() {
        let message = "expected an action that can be taken over, got none";
        return imported.add_remark(RemarkKind::Invalid, spec.pointer(), message);
    }
    let message = "the account callgate runs as calls the connection in place of the product's service agent: give it `roles/connectors.invoker` and `roles/connectors.viewer`";
    imported.add_remark(RemarkKind::Account, spec.member_pointer(name), message);
    let settings = &mut imported.settings;
    settings.insert("connection", connection.into());
    settings.insert("actions", Value::Array(actions));
    if let Some(Some(user)) = user {
        settings.insert("user", json!({"oauth2_auth_code": user}));
    }
}

/// One action: `connectionActionId`, or an operation on entities. `None` for one that is left out, which a remark says.
fn imported_action(action: &Message<'_>, imported: &mut Imported) -> Option<Object> {
    action.remark_unknown_members(
        &["connectionActionId", "entityOperation", "inputFields", "outputFields"],
        imported,
    );
    let mut entry = match action
        .only_present_member(&["connectionActionId", "entityOperation"], imported)?
    {
        "connectionActionId" => {
            let id = action.required_text("connectionActionId", imported)?.plain_text();
            if id == "ExecuteCustomQuery" {
                let message = "statements that a model writes are not run: write an action with `sql` into the toolset";
                let pointer = action.member_pointer("connectionActionId");
                imported.add_remark(RemarkKind::NoEquivalent, pointer, message);
                return None;
            }
            Object::from_iter([("action", id.into())])
        }
        _ => entity_action(&action.message("entityOperation", imported)?, imported)?,
    };
    entry.insert("arguments", "google".into());
    let operation = entry.get("operation").and_then(Value::as_str);
    let gives_no_fields = operation.is_some_and(|it| !matches!(it, "create" | "update"));
    for (member, key) in [("inputFields", "input_fields"), ("outputFields", "output_fields")] {
        let fields = action.texts(member, imported);
        if key == "input_fields" && gives_no_fields && !fields.is_empty() {
            let message =
                "expected no fields that a model gives to an operation which writes none, got some";
            imported.add_remark(RemarkKind::Ignored, action.member_pointer(member), message);
            continue;
        }
        // An empty list means all fields.
        if !fields.is_empty() {
            entry.insert(
                key,
                fields.into_iter().map(|field| field.plain_text().to_owned()).collect(),
            );
        }
    }
    Some(entry)
}

fn entity_action(operation: &Message<'_>, imported: &mut Imported) -> Option<Object> {
    operation.remark_unknown_members(&["entityId", "operation"], imported);
    let entity = operation.required_text("entityId", imported)?.plain_text();
    let words = ["OPERATION_TYPE_UNSPECIFIED", "LIST", "GET", "CREATE", "UPDATE", "DELETE"];
    let word = match operation.enum_position("operation", &words, imported)? {
        1 => "list",
        2 => "get",
        3 => "create",
        4 => "update",
        5 => "delete",
        _ => {
            let message = "expected `LIST`, `GET`, `CREATE`, `UPDATE` or `DELETE`, got none";
            imported.add_remark(
                RemarkKind::Invalid,
                operation.member_pointer("operation"),
                message,
            );
            return None;
        }
    };
    let mut entry = Object::from_iter([("entity", entity.into()), ("operation", word.into())]);
    if matches!(word, "update" | "delete") {
        // The products let agents change entities by `filterClause` too.
        entry.insert("many", true.into());
    }
    Some(entry)
}

/// The place of the end user's token in the session. A credential that cannot be taken over makes the tool invalid: without
/// it, calls would have the rights of the connection.
fn user_credential(
    config: &Message<'_>,
    product: Product,
    imported: &mut Imported,
) -> Option<Value> {
    let kinds = ["oauth2AuthCodeConfig", "oauth2JwtBearerConfig"];
    config.remark_unknown_members(&kinds, imported);
    let kind = config.only_present_member(&kinds, imported)?;
    if kind == "oauth2JwtBearerConfig" {
        let message = "tokens for a signed assertion of the user cannot be taken over";
        imported.add_remark(RemarkKind::Invalid, config.member_pointer(kind), message);
        return None;
    }
    let token = config.message(kind, imported)?;
    token.remark_unknown_members(&["oauthToken"], imported);
    let text = token.required_text("oauthToken", imported)?.plain_text();
    let prefix = match product {
        Product::Ces => "$context.variables.",
        Product::Dialogflow => "$session.params.",
    };
    let name = text.strip_prefix(prefix).filter(|name| {
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        !name.is_empty() && name.bytes().all(is_legal)
    });
    let Some(name) = name else {
        let message = format!("expected a value of the session, `{prefix}NAME`, got another one");
        imported.add_remark(RemarkKind::Invalid, token.member_pointer("oauthToken"), message);
        return None;
    };
    Some(format!("{prefix}{name}").into())
}
