//! Tests that a principal that fills its share changes nothing for another, in every store of a sidecar: by number and by
//! bytes, over HTTP.

use super::*;

const KIM: &str = "a-token-of-kim-0123456789";
const LEE: &str = "a-token-of-lee-0123456789";

/// The service answers a file of as many bytes as it is asked for.
const DESCRIPTION: &str = "
paths:
  /pets:
    get:
      operationId: list
      parameters: [{name: size, in: query, schema: {type: integer}}]
      responses: {'200': {description: Pets}}
    post:
      operationId: send
      requestBody: {content: {text/plain: {schema: {type: string}}}}
      responses: {'200': {description: sent}}
";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Approval,
    Key,
    Result,
    Session,
    State,
}

struct World {
    sidecar: Sidecar,
    client: Client,
}

impl World {
    async fn start(more: &str) -> Self {
        let file = async |Query(query): Query<Vec<(String, String)>>| {
            let size = query.first().map_or(1, |(_, size)| size.parse().unwrap());
            ([("content-type", "application/octet-stream")], vec![0_u8; size])
        };
        let router = Router::new().route("/pets", routing::get(file).post(async || "sent"));
        let pets = format!("openapi: p.yaml, server: 'http://{}'", service(router).await);
        let toolsets =
            format!("toolsets: {{pets: {{{pets}}}, asked: {{{pets}, confirm: always}}}}\n");
        let sidecar = Sidecar::describing(&format!("{toolsets}{more}"), DESCRIPTION).await;
        Self { sidecar, client: Client::builder().no_proxy().build().unwrap() }
    }

    async fn send(&self, method: &str, path: &str, body: &Value, token: &str) -> (u16, Value) {
        let url = format!("{}{path}", self.sidecar.calls[0]);
        let request = self.client.request(method.parse().unwrap(), url).json(body);
        let response = request.bearer_auth(token).send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
    }

    /// Writes records of a size, in requests that are not too large; returns the names of those that were taken.
    async fn write(&self, kind: Kind, token: &str, numbers: &[usize], size: usize) -> Vec<String> {
        let mut taken = Vec::new();
        for numbers in numbers.chunks((1_000_000 / size).clamp(1, 250)) {
            taken.extend(self.write_some(kind, token, numbers, size).await);
        }
        taken
    }

    async fn write_some(
        &self,
        kind: Kind,
        token: &str,
        numbers: &[usize],
        size: usize,
    ) -> Vec<String> {
        let results = async |call: &dyn Fn(usize) -> Value| {
            let calls: Value = numbers.iter().map(|number| call(*number)).collect();
            let body = json!({"calls": calls});
            let (status, mut answer) = self.send("POST", "/v1/calls", &body, token).await;
            assert_eq!(status, 200, "{answer}");
            let results = answer["results"].as_array_mut().map(std::mem::take);
            results.unwrap_or_default()
        };
        let named = |value: &Value| value.as_str().map(str::to_owned);
        match kind {
            Kind::Approval => {
                let body = "x".repeat(size);
                let call = |_| json!({"tool": "asked-send", "args": {"body": body}});
                results(&call).await.iter().filter_map(|it| named(&it["pending"]["id"])).collect()
            }
            Kind::Key => {
                let ended = results(&|number| key(number, size)).await;
                let numbers = numbers.iter().zip(ended);
                let taken = numbers.filter(|(_, it)| it["error"]["code"] != "overloaded");
                taken.map(|(number, _)| number.to_string()).collect()
            }
            Kind::Result => {
                let call = |_| json!({"tool": "pets-list", "args": {"size": size}});
                results(&call).await.iter().filter_map(|it| named(&it["handle"])).collect()
            }
            Kind::Session | Kind::State => self.write_sessions(kind, token, numbers, size).await,
        }
    }

    async fn write_sessions(
        &self,
        kind: Kind,
        token: &str,
        numbers: &[usize],
        size: usize,
    ) -> Vec<String> {
        let mut taken = Vec::new();
        for number in numbers {
            let args = json!({"pad": "x".repeat(size)});
            let (method, path, body) = match kind {
                Kind::State => ("POST", format!("/v1/sessions/{number}:keep"), args),
                _ => ("PUT", format!("/v1/sessions/{number}"), json!({"parameters": args})),
            };
            let (status, _) = self.send(method, &path, &body, token).await;
            taken.extend((status < 300).then(|| number.to_string()));
        }
        taken
    }

    /// True if a record is there. Looking may use it up.
    async fn is_kept(&self, kind: Kind, token: &str, name: &str, size: usize) -> bool {
        let get = async |path: String| self.send("GET", &path, &json!({}), token).await.0 == 200;
        match kind {
            Kind::Approval => {
                let body = json!({"decision": "reject"});
                let path = format!("/v1/approvals/{name}");
                self.send("POST", &path, &body, token).await.1["error"]["code"] == "rejected"
            }
            Kind::Key => {
                let mut call = key(name.parse().unwrap(), size);
                call["args"] = json!({"size": size + 1});
                let body = json!({"calls": [call]});
                let (_, answer) = self.send("POST", "/v1/calls", &body, token).await;
                answer["results"][0]["error"]["code"] == "key_reused"
            }
            Kind::State => {
                let path = format!("/v1/sessions/{name}:keep");
                self.send("POST", &path, &json!({}), token).await.0 == 409
            }
            Kind::Result => get(format!("/v1/results/{name}")).await,
            Kind::Session => get(format!("/v1/sessions/{name}")).await,
        }
    }

    async fn n_kept(&self, kind: Kind, token: &str, names: &[String], size: usize) -> usize {
        let mut n_kept = 0;
        for name in names {
            n_kept += usize::from(self.is_kept(kind, token, name, size).await);
        }
        n_kept
    }
}

fn key(number: usize, size: usize) -> Value {
    let key = format!("order-{number}");
    json!({"tool": "pets-list", "args": {"size": size}, "idempotencyKey": key})
}

/// A kind, the limits of its store, and records of so many bytes that fill it.
struct Row {
    kind: Kind,
    limits: &'static str,
    records: usize,
    size: usize,
}

const fn row(kind: Kind, limits: &'static str, records: usize, size: usize) -> Row {
    Row { kind, limits, records, size }
}

/// The limits of results and of approvals are fixed: 1,024 and 10,000 records, and 64 MiB each.
const ROWS: [Row; 9] = [
    row(Kind::Session, "sessions: {most: 40, bytes: 64MiB}", 60, 1),
    row(Kind::Session, "sessions: {most: 10000, bytes: 256KiB}", 60, 8_000),
    row(Kind::State, "sessions: {most: 40, bytes: 64MiB}", 60, 1),
    row(Kind::State, "sessions: {most: 10000, bytes: 256KiB}", 60, 8_000),
    row(Kind::Key, "idempotency: {most: 40, bytes: 64MiB}", 100, 1),
    row(Kind::Key, "idempotency: {most: 10000, bytes: 16KiB}", 100, 1),
    row(Kind::Result, "", 1_300, 1),
    row(Kind::Result, "", 90, 900_000),
    row(Kind::Approval, "", 10_300, 1),
];

/// Fills a store as one principal, and looks what that changes for another.
#[expect(clippy::print_stdout, reason = "the counts are the measurement")]
async fn check(Row { kind, limits, records, size }: Row) {
    let token = |token: &str| format!("{{bearer: 'literal:{token}'}}");
    let principals =
        format!("access: {{principals: {{kim: {}, lee: {}}}}}\n", token(KIM), token(LEE));
    let world = World::start(&format!("{principals}{limits}\n")).await;
    let ones: Vec<usize> = (0..5).collect();
    let lees = world.write(kind, LEE, &ones, size).await;
    assert_eq!(lees.len(), 5, "{kind:?} {limits}");
    let all: Vec<usize> = (0..records).collect();
    let kims = world.write(kind, KIM, &all, size).await;
    let more = world.write(kind, LEE, &[5], size).await;
    assert_eq!(more.len(), 1, "{kind:?} {limits}: lee can still write");
    let n_lees = world.n_kept(kind, LEE, &[lees, more].concat(), size).await;
    let first = kims.get(..20).unwrap_or(&kims);
    let n_first = world.n_kept(kind, KIM, first, size).await;
    let n_last = world.n_kept(kind, KIM, &kims[kims.len() - 5..], size).await;
    println!(
        "{kind:?} {limits}: kim wrote {} of {records}, of the first {} {n_first} are kept, of the last 5 {n_last}; lee has {n_lees} of 6",
        kims.len(),
        first.len()
    );
    assert_eq!(n_lees, 6, "{kind:?} {limits}: lee loses nothing");
    assert_eq!(n_last, 5, "{kind:?} {limits}: kim has its newest");
    if kind == Kind::Key {
        // No key may go before its time: whoever holds most is refused.
        assert!(kims.len() < records && n_first == first.len(), "{}", kims.len());
    } else {
        assert!(kims.len() == records && n_first < first.len(), "{} {n_first}", kims.len());
    }
}

#[tokio::test]
async fn a_principal_that_fills_its_share_does_not_affect_another() {
    for row in ROWS {
        check(row).await;
    }
}

#[tokio::test]
async fn a_principal_that_fills_the_bytes_of_approvals_does_not_affect_another() {
    check(row(Kind::Approval, "", 75, 950_000)).await;
}

#[tokio::test]
async fn callers_without_a_principal_have_one_share_together() {
    let limits = "sessions: {most: 10, bytes: 1MiB}\nidempotency: {most: 10, bytes: 1MiB}\n";
    for (kind, n_taken, n_kept) in [(Kind::Session, 15, 10), (Kind::Key, 10, 10)] {
        let world = World::start(limits).await;
        let mut names = Vec::new();
        for number in 0..15 {
            // Tokens that nobody issued make no other caller.
            let token = format!("a-token-of-caller-{number}");
            names.extend(world.write(kind, &token, &[number], 1).await);
        }
        assert_eq!(names.len(), n_taken, "{kind:?}");
        assert_eq!(world.n_kept(kind, "another", &names, 1).await, n_kept, "{kind:?}");
    }
}
