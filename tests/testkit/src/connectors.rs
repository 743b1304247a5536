//! Google's service of connections with one connection, `crm`: it refuses each request that the published discovery document
//! does not allow, and keeps what it was asked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::{
    document::{AllowedRequest, Document},
    service::{Received, Service},
};

/// The service with one connection.
#[derive(Clone, Debug)]
pub struct Connectors {
    /// Scheme, host and port.
    pub origin: String,
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    requests: Vec<AllowedRequest>,
    refusals: Vec<String>,
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
        let log = Arc::new(Mutex::new(Log { rows: rows(), ..Log::default() }));
        let document = Document::read(include_str!("connectors/discovery.json"));
        let inner = Arc::clone(&log);
        let service = Service::start(move |received| {
            let (status, body) = inner.lock().unwrap().answer(&document, received, users);
            (status, body.to_string())
        });
        Self { origin: service.await.origin, log }
    }

    /// The requests that the document allows, in their order.
    pub fn requests(&self) -> Vec<AllowedRequest> {
        self.log.lock().unwrap().requests.clone()
    }

    /// The last request that the document allows.
    pub fn last(&self) -> AllowedRequest {
        self.requests().pop().unwrap()
    }

    /// The requests of calls: not those that describe the connection.
    pub fn calls(&self) -> Vec<AllowedRequest> {
        let describes = ["get@v1", "entityTypes.get", "actions.get", "tools.list"];
        let mut requests = self.requests();
        requests.retain(|request| !describes.contains(&&*request.method));
        requests
    }

    /// The reasons of the refusals.
    pub fn refusals(&self) -> Vec<String> {
        self.log.lock().unwrap().refusals.clone()
    }

    /// The entities of the type `Case`.
    pub fn rows(&self) -> Vec<Value> {
        self.log.lock().unwrap().rows.clone()
    }
}

impl Log {
    fn answer(
        &mut self,
        document: &Document,
        received: &Received,
        users: UserRules,
    ) -> (u16, Value) {
        if received.header("authorization") != format!("Bearer {CONNECTORS_TOKEN}") {
            return error(401, "UNAUTHENTICATED");
        }
        let request = match document.request(&received.line, &received.body) {
            Ok(request) => request,
            Err(why) => {
                self.refusals.push(why);
                return error(400, "INVALID_ARGUMENT");
            }
        };
        self.requests.push(request.clone());
        let (status, body) = self.result(&request, users);
        if status == 200 {
            document.check_response(&request.method, &body);
        }
        (status, body)
    }

    fn result(&mut self, request: &AllowedRequest, users: UserRules) -> (u16, Value) {
        let path = |name: &str| request.path.get(name).map_or("", String::as_str);
        if path("connectionsId") != "crm" {
            return error(404, "NOT_FOUND");
        }
        match &*request.method {
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
                let results = json!([{"sent": true, "to": request.body["parameters"]["to"]}]);
                (200, json!({"results": results}))
            }
            "tools.list" => (200, tools(&request.query)),
            "tools.execute" => {
                let said =
                    json!({"tool": path("toolsId"), "parameters": request.body["parameters"]});
                (200, json!({"result": said}))
            }
            "executeSqlQuery" => {
                let most = request.body["query"]["maxRows"].as_str().unwrap().parse::<usize>();
                let rows: Vec<_> = (0..most.unwrap().min(7)).map(|at| json!({"n": at})).collect();
                (200, json!({"results": rows}))
            }
            method if method.starts_with("entityTypes.entities.") => self.entities(request),
            method => panic!("nobody should ask: {method}"),
        }
    }

    fn entities(&mut self, request: &AllowedRequest) -> (u16, Value) {
        let id = request.path.get("entitiesId");
        let position = self
            .rows
            .iter()
            .position(|row| Some(row["Id"].as_str().unwrap()) == id.map(String::as_str));
        match (request.method.rsplit('.').next().unwrap(), position) {
            ("list", _) => (200, self.page(request)),
            ("create", _) => {
                let mut fields = request.body["fields"].clone();
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
                for (name, value) in request.body["fields"].as_object().unwrap() {
                    self.rows[at][name] = value.clone();
                }
                (200, json!({"fields": self.rows[at]}))
            }
            (other, _) => panic!("{other}"),
        }
    }

    fn page(&self, request: &AllowedRequest) -> Value {
        let number = |name: &str, unless: usize| {
            request.query.get(name).map_or(unless, |text| text.parse().unwrap())
        };
        let (size, start) = (number("pageSize", 25).min(200), number("pageToken", 0));
        let is_paged = request.path["entityTypesId"] != "Log";
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
