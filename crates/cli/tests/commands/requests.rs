//! The flags of requests: headers, credentials by reference, times and bounds; and what is said where one is at fault.

use crate::prelude::*;

/// A description in a folder of its own, and a server.
struct Api {
    folder: TempDir,
    server: Server,
}

const SECRET: &str = "canary-of-a-secret";

impl Api {
    fn new(security: &str, schemes: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "openapi: 3.0.3\ninfo: {{ title: t, version: '1' }}\nsecurity: {security}\n\
             paths: {{ /a: {{ get: {{ operationId: a, responses: {{ 200: {{ description: ok }} }} }} }} }}\n\
             components: {{ securitySchemes: {{ {schemes} }} }}\n"
        );
        write(&folder, "spec.yaml", text);
        Self { folder, server: Server::start() }
    }

    fn call(&self, flags: &[&str]) -> Ended {
        let server = self.server.url("");
        let line = ["call", "spec.yaml", "a", "--server", &server];
        let mut command = command_in(self.folder.path(), &line);
        let ended = Ended::of(command.env("THE_SECRET", SECRET).args(flags));
        assert!(!format!("{ended:?}").contains(SECRET), "{ended:#?}");
        ended
    }

    /// The head of the last request.
    fn seen(&self) -> String {
        self.server.requests().last().unwrap().clone()
    }
}

const KEY: &str = "key: { type: apiKey, in: header, name: X-Api-Key }";
const LOGIN: &str = "login: { type: http, scheme: basic }";
const TOKEN: &str = "token: { type: http, scheme: bearer }";

#[test]
fn a_header_is_a_text_or_a_reference() {
    let api = Api::new("[]", "");
    api.call(&["-H", "X-Version: 2", "--header", "X-Key:env:THE_SECRET"]).exits(0);
    assert!(api.seen().contains("x-version: 2\n"), "{}", api.seen());
    assert!(api.seen().contains(&format!("x-key: {SECRET}\n")), "{}", api.seen());
    api.call(&["-H", "X-Key: env:THE_SECRET", "--dry-run"]).exits(0).prints("****");
    for (header, expected) in [
        ("X-Version", "expected `NAME: VALUE`"),
        ("Authorization: Bearer env:THE_SECRET", "`--bearer env:THE_SECRET`"),
        ("Cookie: a=1", "it follows from the call"),
        ("X-Key: env:", "must be a variable's name"),
    ] {
        api.call(&["-H", header]).exits(2).says(expected).says("in --header");
    }
}

#[test]
fn headers_and_timeouts_of_flags_apply_to_a_configuration() {
    let demo: PathBuf = root().join("config/demo.yaml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    let line = ["pets-getPet", "petId=7", "--dry-run", "-H", "X-Trace: on", "--timeout", "9s"];
    let ended = Ended::of(command.arg("call").arg(demo).args(line)).exits(0);
    ended.prints("x-trace: on");
}

#[cfg(feature = "sqlite")]
#[test]
fn flags_that_no_toolset_has_a_use_for_are_refused_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch("create table orders (no integer primary key)").unwrap();
    let database =
        "{ database: { url: 'sqlite:shop.db' }, entities: { orders: { table: orders } } }";
    let functions = "{ functions: [{ name: open, input: { type: object } }] }";
    let run = |toolset: &str, tool: &str, flags: &[&str]| {
        let text = format!("toolsets: {{ shop: {toolset} }}\n");
        write(&folder, "callgate.yaml", text);
        let line = [&["call", "callgate.yaml", tool][..], flags].concat();
        Ended::of(&mut command_in(folder.path(), &line))
    };
    for (toolset, tool, source) in
        [(database, "shop-orders-list", "`database`"), (functions, "shop-open", "`functions`")]
    {
        for (flags, name) in [
            (["-H", "X-A: b"], "`headers`"),
            (["--limits", "response_bytes=1MiB"], "`response_bytes`"),
        ] {
            let expected = format!("expected no {name} beside {source}");
            run(toolset, tool, &flags).exits(2).says("unused-key").says(&expected);
        }
    }
    run(functions, "shop-open", &["--timeout", "9s"]).exits(2).says("`timeout`");
    // Another toolset has a use for it.
    let both = format!("{database}, app: {functions}");
    let ended = run(&both, "app-open", &["--timeout", "9s"]).exits(2);
    ended.says("expected no `timeout` beside `functions`");
    run(&both, "shop-orders-list", &["--timeout", "9s"]).exits(0);
    let [batch, message] =
        [&["--batch", "calls"][..], &["--dialect", "json", "--message", "calls"]];
    for (flags, text) in [
        (batch, "{\"tool\": \"shop-orders-list\"}\n{\"tool\": \"app-open\"}"),
        (message, r#"[{"id": "1", "tool": "app-open", "args": {}}]"#),
    ] {
        fs::write(folder.path().join("calls"), text).unwrap();
        let line = [&["call", "callgate.yaml", "--timeout", "9s"], flags].concat();
        Ended::of(&mut command_in(folder.path(), &line))
            .exits(2)
            .says("expected no `timeout` beside `functions`");
    }
    let list = ["--limits", "result_bytes=9KiB", "--limits", "rows=5", "--timeout", "9s"];
    run(database, "shop-orders-list", &list).exits(0);
}

#[test]
fn an_api_key_is_sent_at_the_location_of_its_scheme() {
    let api = Api::new("[{key: []}]", KEY);
    api.call(&["--api-key", "env:THE_SECRET"]).exits(0);
    assert!(api.seen().contains(&format!("x-api-key: {SECRET}\n")), "{}", api.seen());
    api.call(&["--api-key", SECRET]).exits(2).says("in --api-key");
    let api = Api::new("[{token: []}]", TOKEN);
    api.call(&["--api-key", "env:THE_SECRET"]).exits(2).says("-H 'X-Api-Key: env:NAME'");
    let api = Api::new(
        "[]",
        "a: { type: apiKey, in: header, name: A }, b: { type: apiKey, in: query, name: b }",
    );
    api.call(&["--api-key", "env:THE_SECRET"]).exits(2).says("got: `a`, `b`");
}

#[test]
fn the_password_of_basic_must_be_a_reference() {
    let api = Api::new("[{login: []}]", LOGIN);
    api.call(&["--basic", "me:env:THE_SECRET"]).exits(0);
    let seen = api.seen();
    assert!(seen.contains("authorization: Basic bWU6Y2FuYXJ5LW9mLWEtc2VjcmV0\n"), "{seen}");
    for wrong in [format!("me:{SECRET}"), SECRET.to_owned(), ":env:THE_SECRET".to_owned()] {
        api.call(&["--basic", &wrong]).exits(2).says("in --basic").says("`me:env:PASSWORD`");
    }
    api.call(&["--basic", "me:env:THE_SECRET", "--bearer", "env:THE_SECRET"]).exits(2);
}

#[test]
fn an_operation_that_asks_for_a_credential_says_so_before_it_is_called() {
    let key = "asks for `key`, and no credential is named; give it with `--api-key env:NAME`";
    for (security, schemes, expected) in [
        ("[{key: []}]", KEY, key),
        ("[{login: []}]", LOGIN, "`--basic USER:env:NAME`"),
        ("[{token: []}]", TOKEN, "`--bearer env:NAME`"),
    ] {
        let api = Api::new(security, schemes);
        api.call(&[]).exits(0).says(expected);
        let ended = api.call(&["--dry-run"]).exits(0);
        assert!(!ended.err.contains("asks for"), "{ended:#?}");
        let ended = api.call(&["-H", "authorization: env:THE_SECRET"]).exits(0);
        assert!(!ended.err.contains("asks for"), "{ended:#?}");
    }
    for security in ["[]", "[{key: []}, {}]"] {
        let ended = Api::new(security, KEY).call(&[]).exits(0);
        assert!(!ended.err.contains("asks for"), "{ended:#?}");
    }
}

#[test]
fn a_call_ends_at_its_timeout() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("http://{}", silent.local_addr().unwrap());
    let api = Api::new("[]", "");
    let line = ["call", "spec.yaml", "a", "--server", &server, "--timeout", "200ms"];
    let ended = Ended::of(&mut command_in(api.folder.path(), &line)).exits(1);
    ended.says("timed_out");
    api.call(&["--timeout", "30"]).exits(2).says("in --timeout").says("`30s`");
}

#[test]
fn the_limits_flag_takes_keys_of_the_configuration() {
    let api = Api::new("[]", "");
    api.call(&["--limits", "response_bytes=10"]).exits(1).says("too");
    api.call(&["--limits", "response_bytes=1MiB"]).exits(0);
    api.call(&["--limits", "respons_bytes=10"]).exits(2).says("did you mean `response_bytes`?");
    api.call(&["--limits", "response_bytes"]).exits(2).says("`response_bytes=8MiB`");
    api.call(&["--limits", "response_bytes=lots"]).exits(2).says("in --limits");
    api.call(&["--limits", "description_bytes=10"]).exits(2).says("10");
}

#[test]
fn a_fault_of_a_flag_names_the_flag() {
    let api = Api::new("[]", "");
    for (flag, value) in [
        ("--bearer", "canary"),
        ("--bearer", "vault:a#b"),
        ("--ca", "none.pem"),
        ("--overlay", "none.yaml"),
        ("--egress-allow", "10.0.0.0/99"),
    ] {
        let ended = api.call(&[flag, value]).exits(2).says(&format!("in {flag}"));
        assert!(!ended.err.contains("in spec.yaml"), "{ended:#?}");
    }
}
