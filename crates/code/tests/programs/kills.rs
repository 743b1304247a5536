//! Programs that wait at random calls, in processes that are killed at random: another process goes on over the same file. No write is made
//! twice, each doubtful one is told, and every program that has waited ends. `CALLGATE_PROGRAMS=1000` runs so many.

use std::{
    collections::BTreeMap,
    env,
    fs::{self, OpenOptions},
    future::pending,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use callgate_code::{CodeSettings, Engine, load_with_store};
use callgate_executor::{Call, Decision, Executor, Function};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_session::Store;
use callgate_state::{FileSettings, FileStore};
use callgate_tool::{Effect, Json, Principal, Session, Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use crate::shop::{self, Test};

pub(crate) fn tests() -> Vec<Test> {
    vec![("killed_processes_make_no_write_twice_and_lose_no_program", Box::pin(kills()))]
}

/// The argument of a process that answers calls of programs, before its folder.
pub(crate) const DESK: &str = "desk";

/// A process with two shops: one asks a person about its writes.
pub(crate) async fn serve(folder: PathBuf) {
    let store: Arc<dyn Store> =
        Arc::new(FileStore::open(&FileSettings::new(folder.join("state.db"))).unwrap());
    let mut rules = ApprovalRules::default();
    rules.toolsets.insert("asked".to_owned(), Confirm::Writes);
    let mut settings = CodeSettings::new("code", Engine::Monty);
    settings.calls.effects = vec![Effect::Read, Effect::Write];
    let executor = Executor::builder()
        .backend(write("asked", &folder))
        .backend(write("free", &folder))
        .backend(read())
        .shared_backend(load_with_store(settings, &store).unwrap())
        .middleware(Approvals::over(rules, store))
        .build()
        .unwrap();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let answer = answer(&executor, &Value::parse(&line).unwrap()).await;
        println!("{answer}");
    }
}

async fn answer(executor: &Executor, question: &Value) -> String {
    let asked = shop::asked(question["code"].as_str().unwrap());
    let session = Session::default();
    let call = Call::new(&asked, &session).with_principal(Principal::new("kim"));
    let call = match question["approve"].as_str() {
        Some(id) => call.with_decision(id, Decision::Approve),
        None => call,
    };
    Json::from_serializable(&executor.call_with(call).await).into_value().to_string()
}

/// A tool that adds a line to the file of all writes, at once or after a while.
fn write(toolset: &str, folder: &Path) -> Function {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "ms": {"type": "integer"}}});
    let file = folder.join("writes");
    let function = Function::new(toolset, "add", schema, move |call| {
        let (file, name) = (file.clone(), call.arguments()["name"].as_str().unwrap().to_owned());
        let ms = call.arguments()["ms"].as_u64().unwrap_or_default();
        async move {
            take(ms / 2).await;
            let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
            file.write_all(format!("{name}\n").as_bytes()).unwrap();
            take(ms / 2).await;
            json!(name)
        }
    });
    function.unwrap().with_effect(Effect::Write)
}

/// The time that a service takes for a call.
async fn take(ms: u64) {
    timeout(Duration::from_millis(ms), pending::<()>()).await.ok();
}

fn read() -> Function {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    // What is read differs each time: a program goes on with what it has read.
    let function = Function::new("shop", "look", schema, |_| async {
        let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        json!(nanos.subsec_nanos() % 1000)
    });
    function.unwrap().with_effect(Effect::Read)
}

/// Numbers that look random, the same ones each time.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// A program with the names of its writes.
fn program(number: usize, draw: &mut Draw) -> (String, Vec<String>) {
    let (mut code, mut names) = (PRELUDE.to_owned(), Vec::new());
    for block in 0..=draw.below(3) {
        let n = 1 + draw.below(3);
        let shops = (0..n).map(|_| ["asked.add", "free.add"][usize::from(draw.below(3) == 0)]);
        let shops: Vec<_> = shops.collect();
        let ms = draw.below(20);
        let at = format!("p{number}-{block}");
        let calls: Vec<_> = shops
            .iter()
            .enumerate()
            .map(|(at_shop, shop)| format!("add({shop}, '{at}-{at_shop}', {ms})"))
            .collect();
        names.extend((0..n).map(|at_shop| format!("{at}-{at_shop}")));
        let (together, shops) = (calls.join(", "), shops.join(", "));
        code.push_str(&match draw.below(4) {
            0 => format!("for i, f in enumerate([{shops}]):\n    await add(f, '{at}-' + str(i), {ms})\n"),
            1 => gather(&format!("{together}, shop.look(n=1)")),
            2 => format!("x = await shop.look(n=2)\nfor i, f in enumerate([{shops}]):\n    await look_and_add(f, '{at}-' + str(i), x % 9)\n"),
            _ => gather(&together.replace("add(", "look_and_add(")),
        });
    }
    code.push_str("done\n");
    (code, names)
}

/// The interpreter gives an exception of a call to the `gather` around it, past the `try` of the function in it.
fn gather(calls: &str) -> String {
    format!(
        "try:\n    await asyncio.gather({calls})\nexcept RuntimeError as e:\n    done['gather'] = fault(e)['code']\n"
    )
}

const PRELUDE: &str = "import asyncio\ndone = {}\nasync def add(f, name, ms):\n    try:\n        await f(name=name, ms=ms)\n        done[name] = 'made'\n    except RuntimeError as e:\n        done[name] = fault(e)['code']\nasync def look_and_add(f, name, ms):\n    ms = (await shop.look(n=3)) % 9 + ms * 0\n    await add(f, name, ms)\n";

/// A process that may be killed.
struct Desk {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Desk {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.arg(DESK).arg(folder).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, lines: BufReader::new(output).lines() }
    }

    /// The answer to a question; `None` if the process was killed first.
    async fn ask(&mut self, question: &Value, life: Option<Duration>) -> Option<Value> {
        let asked = async {
            self.input.write_all(format!("{question}\n").as_bytes()).await?;
            self.lines.next_line().await
        };
        let answer: io::Result<Option<String>> = match life {
            None => asked.await,
            Some(life) => {
                let Ok(answer) = timeout(life, asked).await else {
                    self.child.kill().await.unwrap();
                    return None;
                };
                answer
            }
        };
        Some(Value::parse(&answer.unwrap().unwrap()).unwrap())
    }
}

/// The events of one program.
#[derive(Default)]
struct Seen {
    n_waits: usize,
    n_kills: usize,
}

/// Approves what a program waits for until it ends; `None` for one that was killed before it waited, and is gone like a call.
async fn follow(
    mut desk: Desk,
    folder: &Path,
    code: &str,
    draw: &mut Draw,
) -> (Option<Value>, Desk, Seen) {
    let (mut approve, mut seen) = (None, Seen::default());
    loop {
        let question = json!({"code": code, "approve": approve.clone()});
        let life = (draw.below(3) == 0).then(|| Duration::from_millis(draw.below(100)));
        let Some(answer) = desk.ask(&question, life).await else {
            seen.n_kills += 1;
            desk = Desk::start(folder);
            if approve.is_none() {
                return (None, desk, seen);
            }
            continue;
        };
        if !answer["pending"].is_object() {
            return (Some(answer), desk, seen);
        }
        seen.n_waits += 1;
        approve = Some(answer["pending"]["id"].clone());
    }
}

async fn kills() {
    let n_programs = env::var_os("CALLGATE_PROGRAMS");
    let n_programs = n_programs.and_then(|text| text.to_str()?.parse().ok());
    let n_programs: usize = n_programs.unwrap_or(12);
    let folder = tempfile::tempdir().unwrap();
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    let mut desk = Desk::start(folder.path());
    let (mut told, mut n_begun) = (BTreeMap::new(), 0);
    let (mut n_kills, mut n_waits) = (0, 0);
    while told.len() < n_programs {
        n_begun += 1;
        let (code, names) = program(n_begun, &mut draw);
        let (done, desk_after, seen) = follow(desk, folder.path(), &code, &mut draw).await;
        desk = desk_after;
        n_waits += seen.n_waits;
        n_kills += seen.n_kills;
        let Some(answer) = done else { continue };
        let result = &answer["response"]["execution_result"];
        let done = result.as_str().and_then(|text| Value::parse(text).ok());
        let done = done.unwrap_or_else(|| panic!("{answer}\n{code}"));
        let is_doubtful = answer.to_string().contains(r#""reached":"maybe""#);
        assert_eq!(is_doubtful, result.to_string().contains("outcome_unknown"), "{answer}");
        for name in &names {
            let is_told = done[name.as_str()].is_string() || done["gather"] == "outcome_unknown";
            assert!(is_told, "{name}: {answer}\n{code}");
        }
        told.insert(n_begun, (names, done));
    }
    let n_doubtful = check_writes(&folder.path().join("writes"), &told);
    println!(
        "  {n_programs} programs, {n_waits} waits, {n_kills} kills, {n_doubtful} doubtful writes"
    );
    assert!(n_kills > 0 && n_waits > n_programs);
}

/// Compares what was written with what the programs were told. Returns the number of doubtful writes.
fn check_writes(file: &Path, told: &BTreeMap<usize, (Vec<String>, Value)>) -> usize {
    let text = fs::read_to_string(file).unwrap();
    let (mut written, mut n_doubtful) = (BTreeMap::<&str, usize>::new(), 0);
    for name in text.lines() {
        *written.entry(name).or_default() += 1;
    }
    let twice: Vec<_> = written.iter().filter(|(_, n)| **n > 1).collect();
    assert!(twice.is_empty(), "made twice: {twice:?}");
    for (names, done) in told.values() {
        for name in names {
            let is_made = written.contains_key(name.as_str());
            match done[name.as_str()].as_str() {
                Some("made") => assert!(is_made, "{name} is told and was not made"),
                Some("outcome_unknown") => n_doubtful += 1,
                None if done["gather"] == "outcome_unknown" => n_doubtful += 1,
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    n_doubtful
}
