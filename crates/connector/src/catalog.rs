//! A connection as the service describes it: entity types, actions, tools, and the rules for its users. Read when a toolset
//! is loaded, with the operator's credential.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use callgate_auth::Authenticator;
use callgate_kind::Operation;
use callgate_tool::{Effect, NamedBy, Session, Value};
use callgate_transport::{Limits, Transport};
use http::{Request, header::ACCEPT};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    connection_name::ConnectionName,
    field::{Field, member_text_or_empty},
};

/// The service, as the load of a connection asks it.
#[derive(Debug)]
pub(crate) struct Catalog<'a> {
    pub(crate) transport: &'a Arc<dyn Transport>,
    pub(crate) authenticator: &'a Arc<dyn Authenticator>,
    pub(crate) server: &'a str,
    pub(crate) connection: &'a ConnectionName,
}

/// The reason why the service did not describe something.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum MissingDescription {
    /// The service answers that there is no such thing, or that the request is wrong.
    Refused(String),
    /// The service, or its credential, may be available later.
    Unavailable(String),
}

#[derive(Clone, Debug)]
pub(crate) struct EntityType {
    pub(crate) fields: Vec<Field>,
    /// Empty if the service does not say.
    pub(crate) operations: Vec<Operation>,
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) description: String,
    pub(crate) parameters: Vec<Field>,
    pub(crate) input: Option<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct ServiceTool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input: Option<Value>,
    pub(crate) effect: Effect,
}

/// The rule for the credentials of end users.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct UserRule {
    pub(crate) is_override_enabled: bool,
    pub(crate) falls_back_on_admin: bool,
}

impl Catalog<'_> {
    pub(crate) async fn fetch_entity_type(
        &self,
        name: &str,
    ) -> Result<EntityType, MissingDescription> {
        let described = self
            .fetch_json("v2", &format!("/entityTypes/{}", encoded_path_segment(name)), "")
            .await?;
        Ok(EntityType {
            fields: described_fields(&described, "fields"),
            operations: supported_operations(&described),
        })
    }

    pub(crate) async fn fetch_action(&self, name: &str) -> Result<Action, MissingDescription> {
        let described =
            self.fetch_json("v2", &format!("/actions/{}", encoded_path_segment(name)), "").await?;
        Ok(Action {
            description: member_text_or_empty(&described, "description"),
            parameters: described_fields(&described, "inputParameters"),
            input: described.get("inputJsonSchema").filter(|schema| schema.is_object()).cloned(),
        })
    }

    /// All tools of the connection.
    pub(crate) async fn fetch_tools(&self) -> Result<Vec<ServiceTool>, MissingDescription> {
        let (mut tools, mut page) = (Vec::new(), String::new());
        for _ in 0..MAX_PAGES {
            let mut query = String::from("pageSize=100");
            if !page.is_empty() {
                query.push_str("&pageToken=");
                query.push_str(&encoded_path_segment(&page));
            }
            let listed = self.fetch_json("v2", "/tools", &query).await?;
            let items = listed.get("tools").and_then(Value::as_array);
            tools.extend(items.into_iter().flatten().filter_map(read_service_tool));
            page = member_text_or_empty(&listed, "nextPageToken");
            if page.is_empty() {
                return Ok(tools);
            }
        }
        Err(MissingDescription::Refused(format!(
            "expected at most {MAX_PAGES} pages of tools, got more"
        )))
    }

    pub(crate) async fn fetch_user_rule(&self) -> Result<UserRule, MissingDescription> {
        let described = self.fetch_json("v1", "", "view=FULL").await?;
        let is = |member| described.get(member).and_then(Value::as_bool).unwrap_or_default();
        Ok(UserRule {
            is_override_enabled: is("authOverrideEnabled"),
            falls_back_on_admin: is("fallbackOnAdminCredentials"),
        })
    }

    async fn fetch_json(
        &self,
        version: &str,
        path: &str,
        query: &str,
    ) -> Result<Value, MissingDescription> {
        let mark = if query.is_empty() { "" } else { "?" };
        let server = self.server.trim_end_matches('/');
        let url = format!("{server}/{version}/{}{path}{mark}{query}", self.connection);
        let request = Request::get(url).header(ACCEPT, "application/json").body(Bytes::new());
        let mut request =
            request.map_err(|error| MissingDescription::Refused(error.to_string()))?;
        request.extensions_mut().insert(NamedBy::Operator);
        let session = Session::default();
        let authorized = self.authenticator.authorize(&mut request, &session).await;
        authorized.map_err(|error| MissingDescription::Unavailable(message_with_causes(&error)))?;
        let limits = Limits { timeout: TIMEOUT, response_bytes: MOST_BYTES };
        let response = self.transport.send(request, &limits).await;
        let response = response
            .map_err(|error| MissingDescription::Unavailable(message_with_causes(&error)))?;
        let status = response.status().as_u16();
        let value =
            std::str::from_utf8(response.body()).ok().and_then(|text| Value::parse(text).ok());
        match (status, value) {
            (200, Some(value)) if value.is_object() => Ok(value),
            (200, _) => {
                Err(MissingDescription::Unavailable("the answer is not a JSON object".to_owned()))
            }
            (400 | 404, value) => {
                Err(MissingDescription::Refused(status_message(status, value.as_ref())))
            }
            (_, value) => {
                Err(MissingDescription::Unavailable(status_message(status, value.as_ref())))
            }
        }
    }
}

impl MissingDescription {
    pub(crate) fn reason(&self) -> &str {
        let (Self::Refused(why) | Self::Unavailable(why)) = self;
        why
    }
}

/// The status with Google's code for it, which is one word; its other words are not shown.
fn status_message(status: u16, value: Option<&Value>) -> String {
    let code = value.and_then(|value| value.pointer("/error/status")).and_then(Value::as_str);
    let is_word = |code: &&str| {
        !code.is_empty()
            && code.len() <= 40
            && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    match code.filter(is_word) {
        Some(code) => format!("the service answered with status {status}, {code}"),
        None => format!("the service answered with status {status}"),
    }
}

fn message_with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = callgate_secret::cause_texts(error).into_iter();
    causes.fold(error.to_string(), |message, cause| {
        if message.contains(&cause) { message } else { format!("{message}: {cause}") }
    })
}

fn described_fields(described: &Value, member: &str) -> Vec<Field> {
    let items = described.get(member).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Field::read).collect()
}

fn supported_operations(described: &Value) -> Vec<Operation> {
    let items = described.get("operations").and_then(Value::as_array);
    let read = |value: &Value| {
        Some(match value.as_str()? {
            "CREATE" => Operation::Create,
            "DELETE" => Operation::Delete,
            "GET" => Operation::Get,
            "LIST" => Operation::List,
            "UPDATE" => Operation::Update,
            _ => return None,
        })
    };
    items.into_iter().flatten().filter_map(read).collect()
}

fn read_service_tool(described: &Value) -> Option<ServiceTool> {
    let hint = |name: &str| {
        let annotations = described.get("annotations")?;
        annotations.get(name)?.as_bool()
    };
    let effect = match (hint("readOnlyHint"), hint("idempotentHint")) {
        (Some(true), _) => Effect::Read,
        (_, Some(true)) => Effect::Idempotent,
        _ => Effect::Write,
    };
    let title = described.pointer("/annotations/title").and_then(Value::as_str);
    Some(ServiceTool {
        name: Some(member_text_or_empty(described, "name")).filter(|name| !name.is_empty())?,
        title: title.map(str::to_owned),
        description: member_text_or_empty(described, "description"),
        input: described.get("inputSchema").filter(|schema| schema.is_object()).cloned(),
        effect,
    })
}

/// A text as one segment of a path.
fn encoded_path_segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// All but the unreserved characters of RFC 3986 §2.3.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The time for one question: a person waits while a configuration is loaded.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The most bytes of one answer: a type with a thousand fields has a tenth of it.
const MOST_BYTES: usize = 4 << 20;

const MAX_PAGES: usize = 20;
