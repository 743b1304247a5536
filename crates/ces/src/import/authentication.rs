//! Imports the `authentication` of a Dialogflow tool and the `apiAuthentication` of Customer Engagement Suite as the
//! `auth` of a toolset. The two differ in the names of a few members and in the values that a token may refer to.

use callgate_tool::{Value, json};

use crate::import::{Imported, RemarkKind, message::Message, text::ExportText};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Product {
    Ces,
    Dialogflow,
}

/// Imports the authentication. A message without a member means no authentication.
pub(super) fn import_authentication(
    message: &Message<'_>,
    product: Product,
    imported: &mut Imported,
) {
    let n_remarks = imported.remarks.len();
    message.remark_unknown_members(&KINDS, imported);
    let auth = match message.only_present_member(&KINDS, imported) {
        Some(kind) => message
            .message(kind, imported)
            .and_then(|config| imported_authentication(kind, &config, product, imported)),
        // Several at once and unknown ones cause a remark; none at all means no authentication.
        None if imported.remarks.len() == n_remarks => Some(Value::from("none")),
        None => None,
    };
    match auth {
        Some(auth) => drop(imported.settings.insert("auth".to_owned(), auth)),
        None => imported.lacks_credential = true,
    }
}

fn imported_authentication(
    kind: &str,
    config: &Message<'_>,
    product: Product,
    imported: &mut Imported,
) -> Option<Value> {
    match kind {
        "apiKeyConfig" => api_key(config, imported),
        "bearerTokenConfig" => bearer_credential(config, product, imported),
        "oauthConfig" => oauth_credential(config, product, imported),
        "serviceAccountAuthConfig" => service_account(config, imported),
        "serviceAgentAuthConfig" => service_agent(config, product, imported),
        _ => {
            config.remark_unknown_members(&[], imported);
            import_service_agent(config, product, imported);
            Some(json!({"google_id_token": {}}))
        }
    }
}

fn api_key(config: &Message<'_>, imported: &mut Imported) -> Option<Value> {
    config.remark_unknown_members(
        &["keyName", "requestLocation", "apiKey", "secretVersionForApiKey", "apiKeySecretVersion"],
        imported,
    );
    let name = config.required_text("keyName", imported).map(ExportText::plain_text);
    let values = ["REQUEST_LOCATION_UNSPECIFIED", "HEADER", "QUERY_STRING"];
    let place = match config.enum_position("requestLocation", &values, imported) {
        Some(1) => Some("header"),
        Some(2) => Some("query"),
        Some(_) => {
            let message = "expected `HEADER` or `QUERY_STRING`, got none";
            imported.add_remark(
                RemarkKind::Invalid,
                config.member_pointer("requestLocation"),
                message,
            );
            None
        }
        None => None,
    };
    let versions = ["secretVersionForApiKey", "apiKeySecretVersion"];
    let value = secret_reference(config, "apiKey", versions, imported);
    Some(json!({"api_key": {"in": place?, "name": name?, "value": value?}}))
}

fn oauth_credential(
    config: &Message<'_>,
    product: Product,
    imported: &mut Imported,
) -> Option<Value> {
    config.remark_unknown_members(
        &[
            "oauthGrantType",
            "clientId",
            "clientSecret",
            "secretVersionForClientSecret",
            "clientSecretVersion",
            "tokenEndpoint",
            "scopes",
        ],
        imported,
    );
    let values = ["OAUTH_GRANT_TYPE_UNSPECIFIED", "CLIENT_CREDENTIAL"];
    let grant = config.enum_position("oauthGrantType", &values, imported);
    // ces.v1 auth.proto: unspecified means `CLIENT_CREDENTIAL`; Dialogflow requires a value.
    let is_said = grant == Some(1) || (grant == Some(0) && product == Product::Ces);
    if grant == Some(0) && !is_said {
        let message = "expected `CLIENT_CREDENTIAL`, got none";
        imported.add_remark(RemarkKind::Invalid, config.member_pointer("oauthGrantType"), message);
    }
    let client =
        config.required_text("clientId", imported).map(ExportText::text_never_read_as_reference);
    let endpoint = config.required_text("tokenEndpoint", imported);
    let endpoint =
        endpoint.and_then(|text| server_address(config, "tokenEndpoint", text, imported));
    let versions = ["secretVersionForClientSecret", "clientSecretVersion"];
    let secret = secret_reference(config, "clientSecret", versions, imported);
    let scopes = scopes(config, imported);
    let mut settings =
        json!({"token_url": endpoint?, "client_id": client?, "client_secret": secret?});
    if let (Value::Object(members), false) = (&mut settings, scopes.is_empty()) {
        members.insert("scopes".to_owned(), Value::Array(scopes));
    }
    is_said.then(|| json!({"oauth2_client_credentials": settings}))
}

fn bearer_credential(
    config: &Message<'_>,
    product: Product,
    imported: &mut Imported,
) -> Option<Value> {
    config.remark_unknown_members(
        &["token", "secretVersionForToken", "tokenSecretVersion"],
        imported,
    );
    let versions = ["secretVersionForToken", "tokenSecretVersion"];
    let is_kept = versions.iter().any(|name| {
        config.node(name).and_then(|node| node.as_str()).is_some_and(|text| !text.is_empty())
    });
    let token = config.text("token", imported).filter(|_| !is_kept);
    let token = token.map(ExportText::plain_text);
    let Some(reference) = token.filter(|token| token.contains('$')) else {
        if token.is_some() && product == Product::Ces {
            let message = "expected a reference to a token: `$context.variables.NAME`";
            imported.add_remark(RemarkKind::Invalid, config.member_pointer("token"), message);
            return None;
        }
        let token = secret_reference(config, "token", versions, imported)?;
        return Some(json!({"bearer": {"token": token}}));
    };
    let prefix = match product {
        Product::Ces => "$context.variables.",
        Product::Dialogflow => "$session.params.",
    };
    let name = reference.strip_prefix(prefix).unwrap_or_default();
    let is_name =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(is_name) {
        let message = format!("expected a token, or a reference to one: `{prefix}NAME`");
        imported.add_remark(RemarkKind::NoEquivalent, config.member_pointer("token"), message);
        return None;
    }
    Some(json!({"bearer": {"token": reference}}))
}

fn service_account(config: &Message<'_>, imported: &mut Imported) -> Option<Value> {
    config.remark_unknown_members(&["serviceAccount", "scopes"], imported);
    let account = config.required_text("serviceAccount", imported)?.plain_text();
    let scopes = scopes(config, imported);
    let message = format!(
        "the account callgate runs as asks for the token of `{account}`: give it `roles/iam.serviceAccountTokenCreator` there"
    );
    imported.add_remark(RemarkKind::Account, config.member_pointer("serviceAccount"), message);
    let mut settings = json!({"impersonate": account});
    if let (Value::Object(members), false) = (&mut settings, scopes.is_empty()) {
        members.insert("scopes".to_owned(), Value::Array(scopes));
    }
    Some(json!({"google_access_token": settings}))
}

fn service_agent(config: &Message<'_>, product: Product, imported: &mut Imported) -> Option<Value> {
    config.remark_unknown_members(&["serviceAgentAuth"], imported);
    // cx.v3 tool.proto: unspecified means `ID_TOKEN`.
    let values = ["SERVICE_AGENT_AUTH_UNSPECIFIED", "ID_TOKEN", "ACCESS_TOKEN"];
    let kind = config.enum_position("serviceAgentAuth", &values, imported)?;
    import_service_agent(config, product, imported);
    let key = if kind == 2 { "google_access_token" } else { "google_id_token" };
    Some(json!({key: {}}))
}

fn import_service_agent(config: &Message<'_>, product: Product, imported: &mut Imported) {
    let agent = match product {
        Product::Ces => "gcp-sa-ces",
        Product::Dialogflow => "gcp-sa-dialogflow",
    };
    let message = format!(
        "the account callgate runs as asks for the token in place of the service agent of `{agent}`: give it the same roles"
    );
    imported.add_remark(RemarkKind::Account, config.pointer(), message);
}

/// The scopes of a token; no key for scopes takes a reference.
fn scopes(config: &Message<'_>, imported: &mut Imported) -> Vec<Value> {
    let scopes = config.texts("scopes", imported).into_iter();
    scopes.map(|scope| Value::from(scope.plain_text())).collect()
}

/// The address of a server; another text is reported by its kind.
pub(super) fn server_address<'a>(
    config: &Message<'_>,
    member: &str,
    text: ExportText<'a>,
    imported: &mut Imported,
) -> Option<&'a str> {
    let address = text.server_address();
    if address.is_none() {
        let message = "expected an address that begins with `https://`, got another text";
        imported.add_remark(RemarkKind::Invalid, config.member_pointer(member), message);
    }
    address
}

/// The reference to a secret: its version in Secret Manager, or else the value in the export.
fn secret_reference(
    config: &Message<'_>,
    plain: &str,
    versions: [&str; 2],
    imported: &mut Imported,
) -> Option<Value> {
    let version = versions.iter().find(|name| config.has(name)).copied();
    let named =
        version.and_then(|version| config.text(version, imported).map(|name| (version, name)));
    if let Some((version, name)) = named {
        if config.text(plain, imported).is_some() {
            let message = format!("`{plain}` is not used where `{version}` names a secret");
            imported.add_remark(RemarkKind::Ignored, config.member_pointer(plain), message);
        }
        if let Some(reference) =
            imported.secret_version_or_file(name, config.member_pointer(version), "")
        {
            return Some(reference);
        }
        let message = "expected `projects/PROJECT/secrets/SECRET/versions/VERSION`";
        imported.add_remark(RemarkKind::Invalid, config.member_pointer(version), message);
        return None;
    }
    let value = config.text(plain, imported);
    if let Some(file) = &imported.secret_file {
        let reference = format!("file:{file}");
        let message =
            format!("the secret is not taken over: write it into `{file}` beside `callgate.yaml`");
        imported.add_remark(RemarkKind::MissingSecret, config.member_pointer(plain), message);
        return Some(Value::from(reference));
    }
    if let Some(value) = value {
        return Some(value.secret_literal());
    }
    // Dialogflow, since August 2025: exports no longer contain raw secrets.
    let message = format!("the export does not hold the secret of `{plain}`");
    imported.add_remark(RemarkKind::MissingSecret, config.member_pointer(plain), message);
    None
}

const KINDS: [&str; 6] = [
    "apiKeyConfig",
    "bearerTokenConfig",
    "oauthConfig",
    "serviceAccountAuthConfig",
    "serviceAgentAuthConfig",
    "serviceAgentIdTokenAuthConfig",
];
