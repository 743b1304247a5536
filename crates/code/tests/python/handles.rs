//! Files by handles: what a program of the tool finds in its folder, and what is refused before it runs.

use std::sync::Arc;

use callgate_code::{CodeSettings, Engine, load};
use callgate_executor::Executor;
use callgate_tool::{
    Arguments, Outcome, Principal, Session, StoredResult, ToolCall, ToolResult, Value, json,
};

pub(crate) async fn test() {
    files_are_in_the_folder_under_their_names().await;
    an_unreadable_handle_is_refused_at_its_place().await;
}

struct Desk {
    executor: Executor,
    session: Session,
}

impl Desk {
    fn new() -> Self {
        let tool = load(CodeSettings::new("data", Engine::Python)).unwrap();
        let executor = Executor::builder().shared_backend(Arc::clone(&tool)).build().unwrap();
        Self { executor, session: Session::new("s-1") }
    }

    async fn handle(&self, bytes: Vec<u8>, name: Option<&str>) -> String {
        let file = StoredResult::new("text/csv", bytes.into());
        let file = file.with_filename(name.map(str::to_owned));
        let kept = self.executor.keep_file(file, &self.session, None).await.unwrap();
        kept.handle.as_str().to_owned()
    }

    async fn run(&self, code: &str, files: Value) -> ToolResult {
        let arguments = Arguments::from([("input", code.into()), ("files", files)]);
        let asked = ToolCall::new("1", "data-generate_and_execute", arguments);
        self.executor.call(&asked, &self.session).await
    }

    async fn refusal(&self, files: Value) -> String {
        let result = self.run("1", files).await;
        let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
        fault.message
    }
}

async fn files_are_in_the_folder_under_their_names() {
    let desk = Desk::new();
    let sales = desk.handle(b"n\n1\n2\n".to_vec(), Some("sales.csv")).await;
    let plain = desk.handle(b"words".to_vec(), None).await;
    let code = "import os\nrows = open('sales.csv').read().split()\nsorted(os.listdir()), rows, open('notes.txt').read()";
    let files = json!([
        {"handle": sales.as_str()}, {"handle": plain.as_str(), "name": "notes.txt"}, {"handle": plain.as_str()},
    ]);
    let result = desk.run(code, files).await;
    let value = Value::parse(result.text().unwrap()).unwrap();
    let expected = "(['file-3', 'notes.txt', 'sales.csv'], ['n', '1', '2'], 'words')";
    assert_eq!(value["execution_result"], expected, "{value}");
    assert_eq!(value["output_files"], json!([]), "what came in does not come out");
    // A file that the program wrote goes into the next one.
    let result = desk.run("open('a.txt', 'w').write('b')", json!([])).await;
    let value = Value::parse(result.text().unwrap()).unwrap();
    let written = value["output_files"][0]["handle"].clone();
    let result = desk.run("open('a.txt').read()", json!([{"handle": written}])).await;
    let value = Value::parse(result.text().unwrap()).unwrap();
    assert_eq!(value["execution_result"], "b", "{value}");
}

async fn an_unreadable_handle_is_refused_at_its_place() {
    let desk = Desk::new();
    let text = desk.handle(b"a".to_vec(), None).await;
    let text = text.as_str();
    let large = desk.handle(vec![b'a'; 9 << 20], None).await;
    let large = large.as_str();
    for (files, part) in [
        (json!([{"handle": "result:00ff"}]), "`files[0].handle`"),
        (json!([{"handle": text}, {"handle": "/etc/passwd"}]), "`files[1].handle`"),
        (json!([{"handle": text, "name": "../a"}]), "`files[0].name`"),
        (json!([{"handle": text, "name": "a"}, {"handle": text, "name": "a"}]), "`files[1].name`"),
        (json!([{"handle": large}, {"handle": large}]), "at most 16777216 bytes"),
        (json!([{"name": "a"}]), "handle"),
        (json!([text]), "files"),
    ] {
        let refusal = desk.refusal(files.clone()).await;
        assert!(refusal.contains(part), "{files}: {refusal}");
    }
    // Handles of another session lead nowhere, whoever has them.
    let strangers = Session::new("s-2");
    let arguments = Arguments::from([("input", "1".into()), ("files", json!([{"handle": text}]))]);
    let asked = ToolCall::new("1", "data-generate_and_execute", arguments);
    let call = callgate_executor::Call::new(&asked, &strangers);
    let call = call.with_principal(Principal::new("lee"));
    let result = desk.executor.call_with(call).await;
    assert!(matches!(result.outcome, Outcome::Failed(_)), "{result:?}");
}
