//! Tests the seam for pages over real sockets: sign-in, the tokens of forms, and what keeps foreign pages out.

use super::{sidecar::get, *};

use crate::{PageRequest, PageResponse, Source, test_issuer::claims};

const TOKEN: &str = "a-token-of-operators-0123456789";

/// A page that shows its caller, its form token, and the status of one of the sidecar's own paths; of a refused form the reason.
pub(super) async fn show(page: PageRequest) -> PageResponse {
    if let Some(reason) = page.refusal() {
        return PageResponse::text(200, reason.to_owned());
    }
    if let Ok(mut session) = callgate_tool::Value::parse(page.query_parameter("session")) {
        page.mask_session(&mut session);
        return PageResponse::text(200, session.to_string());
    }
    let asked = page.get_own_path(page.query_parameter("ask"), &[]).await.status;
    let caller =
        page.principal().unwrap_or_else(|| if page.needs_sign_in() { "out" } else { "all" });
    let text = format!("{caller} {asked} {} {}", page.form_token(), page.field("said"));
    PageResponse::html(200, text)
}

fn secured() -> String {
    let principals = format!("ops: {{bearer: 'literal:{TOKEN}', admin: true}}");
    format!("access: {{principals: {{{principals}}}}}\n{}", nothing())
}

struct Browser<'s> {
    sidecar: &'s Sidecar,
    client: Client,
}

impl<'s> Browser<'s> {
    fn new(sidecar: &'s Sidecar) -> Self {
        let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        Self { sidecar, client: client.build().unwrap() }
    }

    async fn get(&self, path: &str, cookie: &str) -> Vec<String> {
        let request = self.client.get(format!("{}{path}", self.sidecar.calls[0]));
        let answer = request.header("cookie", cookie).send().await.unwrap();
        answer.text().await.unwrap().split(' ').map(str::to_owned).collect()
    }

    async fn post(&self, path: &str, headers: &[(&str, &str)], form: &str) -> Response {
        let request = self.client.post(format!("{}{path}", self.sidecar.calls[0]));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(form.to_owned()).send().await.unwrap()
    }
}

#[tokio::test]
async fn a_token_is_exchanged_for_a_cookie_that_ends_with_it() {
    let sidecar = Sidecar::start(&secured()).await;
    let browser = Browser::new(&sidecar);
    let signed_out = browser.get("/console?ask=/v1/tools", "").await;
    assert_eq!(signed_out[..2], ["out", "401"], "a page asks nothing for nobody");
    let csrf = &signed_out[2];
    let wrong = browser.post("/console/sign-in", &[], &format!("csrf={csrf}&token=no")).await;
    assert_eq!(wrong.headers()["location"], "/console?refused=token");
    assert!(!wrong.headers().contains_key("set-cookie"));
    let form = format!("csrf={csrf}&token={TOKEN}");
    let signed_in = browser.post("/console/sign-in", &[], &form).await;
    assert_eq!(signed_in.status().as_u16(), 303);
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().to_owned();
    let attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict";
    assert!(cookie.starts_with("__Host-callgate=") && cookie.ends_with(attributes), "{cookie}");
    assert!(!cookie.contains(TOKEN));
    let cookie = cookie.split(';').next().unwrap();
    let page = browser.get("/console?ask=/v1/admin/calls", cookie).await;
    assert_eq!(page[..2], ["principal:ops", "200"]);
    assert_eq!(browser.get("/v1/tools", cookie).await.len().min(1), 1);
    let beside = browser.client.get(format!("{}/v1/tools", sidecar.calls[0]));
    let beside = beside.header("cookie", cookie).send().await.unwrap();
    assert_eq!(beside.status().as_u16(), 401, "a cookie is for pages alone");
    let stale = browser.get("/console", "__Host-callgate=0123").await;
    assert_eq!(stale[0], "out");
    let form = format!("csrf={}", page[2]);
    browser.post("/console/sign-out", &[("cookie", cookie)], &form).await;
    assert_eq!(browser.get("/console", cookie).await[0], "out");
}

#[tokio::test]
async fn a_refused_sign_in_says_whether_the_token_or_its_issuer_is_to_blame() {
    let issuer = "http://127.0.0.1:9";
    let access = format!("access: {{jwt: [{{issuer: '{issuer}', audience: callgate}}]}}\n");
    let sidecar = Sidecar::start(&format!("{access}{}", nothing())).await;
    let browser = Browser::new(&sidecar);
    let csrf = browser.get("/console", "").await[2].clone();
    let signed = Signer::new("one").bearer_token(&claims(issuer, &json!({})));
    for (token, word) in [("no", "token"), (signed.trim_start_matches("Bearer "), "issuer")] {
        let form = format!("csrf={csrf}&token={token}");
        let refused = browser.post("/console/sign-in", &[], &form).await;
        let location = refused.headers()["location"].to_str().unwrap();
        assert_eq!(location, format!("/console?refused={word}"));
    }
}

#[tokio::test]
async fn a_form_without_its_token_or_from_another_page_is_refused() {
    let sidecar = Sidecar::start(&nothing()).await;
    let browser = Browser::new(&sidecar);
    let csrf = browser.get("/console", "").await[2].clone();
    let form = format!("csrf={csrf}&said=hello");
    let said = browser.post("/console/a/b", &[], &form).await;
    assert!(said.text().await.unwrap().ends_with(" hello"));
    let status = async |headers: &[(&str, &str)], form: &str| {
        browser.post("/console/a", headers, form).await.status().as_u16()
    };
    let asked = browser.post("/console/a?said=no", &[], &form).await;
    assert_eq!(asked.status().as_u16(), 400, "a form has its fields in its body");
    let reason = asked.text().await.unwrap();
    assert!(reason.contains("no parameter") && !reason.contains('{'), "a person reads: {reason}");
    assert_eq!(status(&[], "said=hello").await, 403);
    assert_eq!(status(&[], "csrf=&said=hello").await, 403);
    assert_eq!(status(&[("origin", "https://evil.example")], &form).await, 403);
    assert_eq!(status(&[("origin", "null")], &form).await, 403);
    assert_eq!(status(&[("host", "evil.example")], &form).await, 421, "a name that leads here");
    let other = Sidecar::start(&nothing()).await;
    let elsewhere = Browser::new(&other).post("/console/a", &[], &form).await;
    assert_eq!(elsewhere.status().as_u16(), 403, "each process has its own");
    let json = browser.client.post(format!("{}/console", sidecar.calls[0]));
    let json = json.header("content-type", "application/json").body("{}").send().await.unwrap();
    assert_eq!(json.status().as_u16(), 415);
    let put = browser.client.put(format!("{}/console", sidecar.calls[0])).send().await.unwrap();
    assert_eq!(put.status().as_u16(), 405);
}

#[tokio::test]
async fn a_page_writes_a_session_down_without_what_credentials_read() {
    let text = "toolsets: {pets: {openapi: pets.yaml, server: 'http://127.0.0.1:9', auth: {bearer: {token: $context.variables.tok}}}}";
    let sidecar = Sidecar::start(text).await;
    let session =
        r#"{"parameters":{"Tok":"s3cr3t"},"context":{"variables":{"tok":"s3cr3t","a":1}}}"#;
    let query: String = url::form_urlencoded::byte_serialize(session.as_bytes()).collect();
    let shown = sidecar.get(&format!("/console?session={query}"), &[]).await.text().await.unwrap();
    assert_eq!(shown, session.replace("s3cr3t", "****"));
}

#[tokio::test]
async fn every_response_keeps_foreign_code_and_frames_out() {
    let sidecar = Sidecar::start(&nothing()).await;
    for path in ["/console", "/console/a"] {
        let headers = sidecar.get(path, &[]).await.headers().clone();
        let policy = headers["content-security-policy"].to_str().unwrap();
        for part in
            ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]
        {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-frame-options"], "DENY");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["cache-control"], "no-store");
    }
    let refused = Browser::new(&sidecar).post("/console", &[], "").await;
    assert!(refused.headers().contains_key("content-security-policy"));
}

#[tokio::test]
async fn pages_are_served_on_addresses_of_this_machine_or_where_the_operator_says_so() {
    let closed = Sidecar::start(&format!("console: false\n{}", nothing())).await;
    assert_eq!(closed.status("/console", &[]).await, 404);
    for (console, expected) in [("", 404), ("console: true\n", 200)] {
        let text = format!("{console}listen: 0.0.0.0:0\nhosts: [localhost]\n{}", secured());
        let sidecar = Sidecar::start(&text).await;
        let address = format!("http://localhost:{}", sidecar.address().port());
        assert_eq!(get(&address, "/console", &[]).await.status().as_u16(), expected, "{text}");
    }
}

#[test]
fn a_program_without_pages_refuses_the_key_that_asks_for_them() {
    let error = super::super::missing_console_feature(&Source::demo());
    assert!(error.to_string().contains("needs a build of callgate with the feature `console`"));
}
