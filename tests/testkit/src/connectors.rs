//! Google's service of connections with one connection, `crm`: it refuses each request that the published discovery document
//! does not allow, and keeps what it was asked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::{
    document::{Asked, Document},
    service::{Received, Service},
};

/// The service with one connection.
#[derive(Clone, Debug)]
pub struct Connectors {
    /// Scheme, host and port.
    pub origin: String,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    asked: Vec<Asked>,
    refused: Vec<String>,
    rows: Vec<Value>,
}

/// The rules of the connection for the credentials of end users.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserRules {
    /// The member `authOverrideEnabled`.
    pub is_override_enabled: bool,
    /// The member `fallbackOnAdminCredentials`.
    pub falls_back_on_admin: bool,
}

/// The name of the connection.
pub const CONNECTION: &str = "projects/p/locations/europe-west1/connections/crm";

/// The token that the service takes.
pub const CONNECTORS_TOKEN: &str = "operators-token";

impl Connectors {
    /// Starts the service.
    pub async fn start(users: UserRules) -> Self {
        let kept = Arc::new(Mutex::new(Kept { rows: rows(), ..Kept::default() }));
        let document = Document::read(include_str!("connectors/discovery.json"));
        let inner = Arc::clone(&kept);
        let service = Service::start(move |received| {
            let (status, body) = inner.lock().unwrap().answer(&document, received, users);
            (status, body.to_string())
        });
        Self { origin: service.await.origin, kept }
    }

    /// The requests that the document allows, in their order.
    pub fn asked(&self) -> Vec<Asked> {
        self.kept.lock().unwrap().asked.clone()
    }

    /// The last request that the document allows.
    pub fn last(&self) -> Asked {
        self.asked().pop().unwrap()
    }

    /// The requests of calls: not those that describe the connection.
    pub fn calls(&self) -> Vec<Asked> {
        let describes = ["get@v1", "entityTypes.get", "actions.get", "tools.list"];
        let mut asked = self.asked();
        asked.retain(|asked| !describes.contains(&&*asked.method));
        asked
    }

    /// The reasons of the refusals.
    pub fn refused(&self) -> Vec<String> {
        self.kept.lock().unwrap().refused.clone()
    }

    /// The entities of the type `Case`.
    pub fn rows(&self) -> Vec<Value> {
        self.kept.lock().unwrap().rows.clone()
    }
}

impl Kept {
    fn answer(
        &mut self,
        document: &Document,
        received: &Received,
        users: UserRules,
    ) -> (u16, Value) {
        if received.header("authorization") != format!("Bearer {CONNECTORS_TOKEN}") {
            return error(401, "UNAUTHENTICATED");
        }
        let asked = match document.asked(&received.line, &received.body) {
            Ok(asked) => asked,
            Err(why) => {
                self.refused.push(why);
                return error(400, "INVALID_ARGUMENT");
            }
        };
        self.asked.push(asked.clone());
        let (status, body) = self.result(&asked, users);
        if status == 200 {
            document.check_response(&asked.method, &body);
        }
        (status, body)
    }

    fn result(&mut self, asked: &Asked, users: UserRules) -> (u16, Value) {
        let path = |name: &str| asked.path.get(name).map_or("", String::as_str);
        if path("connectionsId") != "crm" {
            return error(404, "NOT_FOUND");
        }
        match &*asked.method {
            "get@v1" => (
                200,
                json!({
                    "name": CONNECTION,
                    "authOverrideEnabled": users.is_override_enabled,
                    "fallbackOnAdminCredentials": users.falls_back_on_admin,
                }),
            ),
            "entityTypes.get" => entity_type(path("entityTypesId")),
            "actions.get" => action(path("actionsId")),
            "actions.execute" => {
                let results = json!([{"sent": true, "to": asked.body["parameters"]["to"]}]);
                (200, json!({"results": results}))
            }
            "tools.list" => (200, tools(&asked.query)),
            "tools.execute" => {
                let said = json!({"tool": path("toolsId"), "parameters": asked.body["parameters"]});
                (200, json!({"result": said}))
            }
            "executeSqlQuery" => {
                let most = asked.body["query"]["maxRows"].as_str().unwrap().parse::<usize>();
                let rows: Vec<_> = (0..most.unwrap().min(7)).map(|at| json!({"n": at})).collect();
                (200, json!({"results": rows}))
            }
            method if method.starts_with("entityTypes.entities.") => self.entities(asked),
            method => panic!("nobody should ask: {method}"),
        }
    }

    fn entities(&mut self, asked: &Asked) -> (u16, Value) {
        let id = asked.path.get("entitiesId");
        let position = self
            .rows
            .iter()
            .position(|row| Some(row["Id"].as_str().unwrap()) == id.map(String::as_str));
        match (asked.method.rsplit('.').next().unwrap(), position) {
            ("list", _) => (200, self.page(asked)),
            ("create", _) => {
                let mut fields = asked.body["fields"].clone();
                fields["Id"] = json!(format!("C-{}", self.rows.len() + 1));
                self.rows.push(fields.clone());
                (200, json!({"name": "x", "fields": fields}))
            }
            ("updateEntitiesWithConditions", _) => (200, json!({"response": {"count": 2}})),
            ("deleteEntitiesWithConditions", _) => (200, json!({})),
            (_, None) => error(404, "NOT_FOUND"),
            ("get", Some(at)) => (200, json!({"name": "x", "fields": self.rows[at]})),
            ("delete", Some(at)) => {
                self.rows.remove(at);
                (200, json!({}))
            }
            ("patch", Some(at)) => {
                for (name, value) in asked.body["fields"].as_object().unwrap() {
                    self.rows[at][name] = value.clone();
                }
                (200, json!({"fields": self.rows[at]}))
            }
            (other, _) => panic!("{other}"),
        }
    }

    fn page(&self, asked: &Asked) -> Value {
        let number = |name: &str, unless: usize| {
            asked.query.get(name).map_or(unless, |text| text.parse().unwrap())
        };
        let (size, start) = (number("pageSize", 25).min(200), number("pageToken", 0));
        let is_paged = asked.path["entityTypesId"] != "Log";
        let rows = self.rows.iter().skip(start).take(size);
        let entities: Vec<_> = rows.map(|row| json!({"name": "x", "fields": row})).collect();
        let end = start + entities.len();
        let mut page = json!({"entities": entities});
        if is_paged && end < self.rows.len() {
            page["nextPageToken"] = json!(end.to_string());
        }
        page
    }
}

fn error(status: u16, code: &str) -> (u16, Value) {
    let message = "the value 'of another row' is taken";
    (status, json!({"error": {"code": status, "status": code, "message": message}}))
}

fn rows() -> Vec<Value> {
    let row = |at: usize| {
        json!({
            "Id": format!("C-{at}"), "Subject": format!("case {at}"), "Status": "Open", "Total": 10.5,
            "Secret": "s3cr3t",
        })
    };
    (1..=7).map(row).collect()
}

fn entity_type(name: &str) -> (u16, Value) {
    let field = |name: &str, data_type: &str, is_nullable: bool| json!({"name": name, "dataType": data_type, "key": name == "Id", "nullable": is_nullable});
    let fields = json!([
        field("Id", "VARCHAR", false),
        field("Subject", "VARCHAR", false),
        field("Status", "VARCHAR", true),
        field("Total", "DECIMAL", true),
        field("Is Open", "BIT", true),
        field("Secret", "VARCHAR", true),
        field("Data", "STRUCT", true),
    ]);
    let all = json!(["LIST", "GET", "CREATE", "UPDATE", "DELETE"]);
    match name {
        "Case" => (200, json!({"name": name, "fields": fields, "operations": all})),
        "Log" => {
            let fields = json!([field("Line", "VARCHAR", false)]);
            (200, json!({"name": name, "fields": fields, "operations": ["LIST"]}))
        }
        _ => error(404, "NOT_FOUND"),
    }
}

fn action(name: &str) -> (u16, Value) {
    match name {
        "SendMail" => {
            let parameters = json!([
                {"name": "to", "dataType": "VARCHAR", "nullable": false},
                {"name": "copies", "dataType": "INTEGER", "nullable": true},
            ]);
            let description = "Sends a mail";
            (200, json!({"name": name, "description": description, "inputParameters": parameters}))
        }
        "Close" => {
            let to = json!({"type": ["string"], "jdbcType": "VARCHAR"});
            let schema = json!({"type": ["object"], "properties": {"to": to, "why": to}, "required": ["to", "why"]});
            (200, json!({"name": name, "inputJsonSchema": schema}))
        }
        _ => error(404, "NOT_FOUND"),
    }
}

fn tools(query: &std::collections::BTreeMap<String, String>) -> Value {
    let schema = json!({"type": ["object"], "properties": {"status": {"type": ["string"]}}});
    if query.contains_key("pageToken") {
        let annotations = json!({"destructiveHint": true});
        return json!({"tools": [
            {"name": "close_case", "description": "Closes a case", "inputSchema": schema, "annotations": annotations},
        ]});
    }
    let annotations = json!({"readOnlyHint": true, "title": "Open cases"});
    json!({"nextPageToken": "2", "tools": [
        {"name": "list_cases", "description": "Lists open cases", "inputSchema": schema, "annotations": annotations},
    ]})
}
