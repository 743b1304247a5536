//! Google's service of data stores (Discovery Engine, v1): it refuses each request that the published discovery document does not
//! allow, and what its documentation does not: sizes of pages, strengths, texts of filters. It keeps what it was asked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::{
    document::{AllowedRequest, Document},
    service::{Received, Service},
};

/// The service with the data stores `manuals` of documents, `chunks` of chunks, `faq` of rows, and the engine `shop` over all.
#[derive(Clone, Debug)]
pub struct DiscoveryEngine {
    /// Scheme, host and port.
    pub origin: String,
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    requests: Vec<AllowedRequest>,
    refusals: Vec<String>,
    /// The statuses of the next responses in place of results.
    failures: Vec<u16>,
    /// The next answer in place of the usual one.
    answer: Option<Value>,
}

/// The beginning of the names of data stores and engines.
pub const SEARCHED: &str = "projects/p/locations/eu/collections/default_collection";

/// The token that the service takes.
pub const DISCOVERY_TOKEN: &str = "searchers-token";

impl DiscoveryEngine {
    /// Starts the service.
    pub async fn start() -> Self {
        let log = Arc::<Mutex<Log>>::default();
        let document = Document::read(include_str!("discovery_engine/discovery.json"));
        let inner = Arc::clone(&log);
        let service = Service::start(move |received| {
            let (status, body) = inner.lock().unwrap().response(&document, received);
            (status, body.to_string())
        });
        Self { origin: service.await.origin, log }
    }

    /// The next responses have these statuses.
    pub fn fails(&self, statuses: &[u16]) {
        self.log.lock().unwrap().failures = statuses.to_vec();
    }

    /// The next answer is this one.
    pub fn answers(&self, answer: Value) {
        self.log.lock().unwrap().answer = Some(answer);
    }

    /// The requests that the document allows, in their order.
    pub fn requests(&self) -> Vec<AllowedRequest> {
        self.log.lock().unwrap().requests.clone()
    }

    /// The last request that the document allows.
    pub fn last(&self) -> AllowedRequest {
        self.requests().pop().unwrap()
    }

    /// The reasons of the refusals.
    pub fn refusals(&self) -> Vec<String> {
        self.log.lock().unwrap().refusals.clone()
    }
}

impl Log {
    fn response(&mut self, document: &Document, received: &Received) -> (u16, Value) {
        if received.header("authorization") != format!("Bearer {DISCOVERY_TOKEN}") {
            return error(401, "UNAUTHENTICATED");
        }
        let request = document.request(&received.line, &received.body).and_then(|request| {
            documented(&request.body)?;
            Ok(request)
        });
        let request = match request {
            Ok(request) => request,
            Err(why) => {
                self.refusals.push(why);
                return error(400, "INVALID_ARGUMENT");
            }
        };
        self.requests.push(request.clone());
        if !self.failures.is_empty() {
            return error(self.failures.remove(0), "UNAVAILABLE");
        }
        let (status, body) = self.result(&request);
        if status == 200 {
            document.check_response(&request.method, &body);
        }
        (status, body)
    }

    fn result(&mut self, request: &AllowedRequest) -> (u16, Value) {
        let path = |name: &str| request.path.get(name).map_or("", String::as_str);
        let id = [path("dataStoresId"), path("enginesId")].concat();
        if path("servingConfigsId") != "default_search" {
            return error(404, "NOT_FOUND");
        }
        if request.method.ends_with(".answer") {
            return (200, json!({"answer": self.answer.take().unwrap_or_else(usual_answer)}));
        }
        let is_chunks = request.body["contentSearchSpec"]["searchResultMode"] == "CHUNKS";
        let results = match (&*id, is_chunks) {
            ("manuals" | "shop", false) => documents(&request.body["contentSearchSpec"]),
            ("chunks", true) => chunks(),
            ("faq", false) => rows(),
            ("manuals" | "shop" | "faq", true) => return error(400, "INVALID_ARGUMENT"),
            _ => return error(404, "NOT_FOUND"),
        };
        let size =
            request.body["pageSize"].as_u64().map_or(50, |size| usize::try_from(size).unwrap());
        let n_all = results.len();
        let shown: Vec<_> = results.into_iter().take(size).collect();
        let mut page = json!({"results": shown, "totalSize": n_all});
        if size < n_all {
            page["nextPageToken"] = json!("next");
        }
        (200, page)
    }
}

/// The rules of the documentation that the discovery document does not have.
fn documented(body: &Value) -> Result<(), String> {
    if body.get("query").is_none() {
        return Err("no query".to_owned());
    }
    let size = body.get("pageSize").map_or(Some(1), Value::as_u64);
    if size.is_none_or(|size| !(1..=100).contains(&size)) {
        return Err(format!("pageSize: {}", body["pageSize"]));
    }
    let parameters = match body.get("searchSpec") {
        Some(spec) => &spec["searchParams"],
        None => body,
    };
    let stores = parameters["dataStoreSpecs"].as_array().cloned().unwrap_or_default();
    for part in stores.iter().chain([parameters]) {
        if let Some(filter) = part.get("filter") {
            lexical(filter.as_str().unwrap())?;
        }
        let boosts = part["boostSpec"]["conditionBoostSpecs"].as_array().cloned();
        for boost in boosts.iter().flatten() {
            if boost.get("boost").is_some_and(|by| by.as_f64().unwrap().abs() > 1.0) {
                return Err(format!("boost: {boost}"));
            }
            if let Some(condition) = boost.get("condition") {
                lexical(condition.as_str().unwrap())?;
            }
        }
        if boosts.is_some_and(|boosts| boosts.len() > 20) {
            return Err("more than 20 boosts".to_owned());
        }
    }
    Ok(())
}

/// Refuses filters with open quotes or parentheses, wrong escapes, and `AND` beside `OR` in one pair of parentheses.
fn lexical(filter: &str) -> Result<(), String> {
    let wrong = || Err(format!("filter: {filter}"));
    let (mut joints, mut word) = (vec![String::new()], String::new());
    let mut letters = filter.chars();
    while let Some(letter) = letters.next() {
        if letter.is_ascii_alphabetic() {
            word.push(letter);
            continue;
        }
        if matches!(&*word, "AND" | "OR") {
            let joint = joints.last_mut().unwrap();
            if !joint.is_empty() && *joint != word {
                return wrong();
            }
            joint.clone_from(&word);
        }
        word.clear();
        match letter {
            '"' if !ends_literal(&mut letters) => return wrong(),
            '(' => joints.push(String::new()),
            ')' if joints.len() > 1 => drop(joints.pop()),
            ')' => return wrong(),
            _ => {}
        }
    }
    if filter.is_empty() || joints.len() != 1 { wrong() } else { Ok(()) }
}

/// Reads to the end of a literal.
fn ends_literal(letters: &mut std::str::Chars<'_>) -> bool {
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return true,
            '\\' if !matches!(letters.next(), Some('"' | '\\')) => return false,
            _ => {}
        }
    }
    false
}

fn error(status: u16, code: &str) -> (u16, Value) {
    let message = "the filter 'tenant: ANY(\"another\")' is not allowed";
    (status, json!({"error": {"code": status, "status": code, "message": message}}))
}

fn document_name(store: &str, id: &str) -> String {
    format!("{SEARCHED}/dataStores/{store}/branches/0/documents/{id}")
}

fn documents(content: &Value) -> Vec<Value> {
    let one = |at: usize| {
        let mut derived =
            json!({"title": format!("Manual {at}"), "link": format!("https://docs.example/{at}")});
        if content["snippetSpec"]["returnSnippet"] == true {
            let snippet = format!("The <b>backup</b> of page {at}");
            derived["snippets"] = json!([{"snippet": snippet, "snippet_status": "SUCCESS"}]);
        }
        if content["extractiveContentSpec"]["maxExtractiveSegmentCount"].as_u64() > Some(0) {
            let text = format!("A backup is made each night. Page {at}.");
            derived["extractive_segments"] =
                json!([{"content": text, "pageNumber": at.to_string()}]);
        }
        let id = format!("m{at}");
        json!({"id": id, "document": {
            "name": document_name("manuals", &id), "id": id, "derivedStructData": derived,
        }})
    };
    (1..=7).map(one).collect()
}

fn chunks() -> Vec<Value> {
    let name = format!("{}/chunks/c1", document_name("chunks", "x"));
    vec![json!({"chunk": {
        "name": name, "id": "c1", "content": "Restore from the copy.", "relevanceScore": 0.8,
        "documentMetadata": {"title": "Backups", "uri": "gs://b/backups.pdf"},
        "pageSpan": {"pageStart": 4, "pageEnd": 5},
    }})]
}

fn rows() -> Vec<Value> {
    let row = json!({"question": "When is the shop open?", "answer": "From nine to six."});
    vec![json!({"id": "q1", "document": {
        "name": document_name("faq", "q1"), "id": "q1", "structData": row,
    }})]
}

fn usual_answer() -> Value {
    let metadata = json!({
        "document": document_name("manuals", "m1"), "uri": "https://docs.example/1", "title": "Manual 1",
        "pageIdentifier": "1",
    });
    let reference = json!({"chunkInfo": {"content": "A backup is made each night.", "documentMetadata": metadata}});
    json!({
        "name": "a", "state": "SUCCEEDED", "answerText": "Für each night there is a backup.",
        "groundingScore": 0.75, "references": [reference],
        "citations": [
            {"startIndex": "0", "endIndex": "34", "sources": [{"referenceId": "0"}]},
            {"startIndex": "2", "endIndex": "10", "sources": [{"referenceId": "0"}]},
        ],
    })
}
