//! Every snippet of the manual runs: the commands of a chapter in their order, in an empty folder with the checkout's `fixtures`
//! and `config`; configurations load; programs in Python are at least read.

use crate::prelude::*;
use std::os::unix::fs::symlink;

#[test]
fn every_snippet_of_the_manual_runs() {
    let mut ran = 0;
    for entry in fs::read_dir(root().join("crates/callgate/manual")).unwrap() {
        let file = entry.unwrap().path();
        let chapter = Chapter::new();
        ran += chapter.runs(&file);
    }
    assert!(ran > 50, "only {ran} snippets");
}

/// The folder of a reader, and what runs in other terminals.
struct Chapter {
    folder: TempDir,
    sidecar: Option<Sidecar>,
    service: Option<Service>,
}

impl Chapter {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for shared in ["config", "fixtures"] {
            symlink(root().join(shared), folder.path().join(shared)).unwrap();
        }
        fs::create_dir(folder.path().join("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_callgate"), folder.path().join("bin/callgate")).unwrap();
        Self { folder, sidecar: None, service: None }
    }

    fn runs(mut self, file: &Path) -> usize {
        let text = fs::read_to_string(file).unwrap();
        let blocks =
            text.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
        let mut ran = 0;
        for (kind, code) in blocks {
            let at = format!("{}: {code}", file.display());
            match kind {
                "sh" => self.command(code, 0, &at),
                "sh,exit-1" => self.command(code, 1, &at),
                "yaml" => self.configuration(code, &at),
                "python" => python(code, &at),
                // Programs in Rust are tests of the documentation; `tests/interop/recipes` runs those in TypeScript.
                "http" | "json" | "rust,no_run" | "text" | "ts" => continue,
                _ => panic!("a snippet of a kind that no test runs: {at}"),
            }
            ran += 1;
        }
        ran
    }

    fn command(&mut self, code: &str, expected: i32, at: &str) {
        if let Some(arguments) = code.strip_prefix("callgate serve ") {
            let arguments: Vec<_> = arguments.trim().split(' ').collect();
            self.sidecar = Some(Sidecar::start(self.folder.path(), &arguments));
            return;
        }
        if code.starts_with("python3 -m http.server") {
            self.service = Some(Service::start(self.folder.path()));
            return;
        }
        let mut code = code.to_owned();
        if let Some(service) = &self.service {
            code = code.replace("127.0.0.1:8000", &service.address);
        }
        if let Some(sidecar) = &self.sidecar {
            code = code.replace("127.0.0.1:8410", &sidecar.address);
        }
        let asks = code.contains("curl ");
        if asks && Command::new("curl").arg("--version").output().is_err() {
            // A machine without curl has nobody who would type the line.
            return;
        }
        let script =
            format!("PATH=\"$PWD/bin:$PATH\"\ncurl() {{ command curl --fail \"$@\"; }}\n{code}");
        let mut shell = Command::new("sh");
        shell
            .current_dir(self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path().join("home"));
        let ended = Ended::of(shell.args(["-e", "-c", &script]));
        assert_eq!(ended.code, Some(expected), "{at}{ended:#?}");
        assert!(!asks || !ended.out.contains("\"error\""), "{at}{ended:#?}");
    }

    fn configuration(&self, text: &str, at: &str) {
        let file = write(&self.folder, "snippet.yaml", text);
        let ended = Ended::of(command_in(&root(), &["tools"]).arg(file));
        assert_eq!(ended.code, Some(0), "{at}{ended:#?}");
        assert!(!ended.err.contains("warning"), "{at}{ended:#?}");
    }
}

/// Programs need the libraries of providers, whose loops run in `tests/interop/dialects`; here they are read.
fn python(code: &str, at: &str) {
    let read = "import ast, sys; ast.parse(sys.argv[1])";
    let mut python = Command::new("python3");
    let ended = Ended::of(python.args(["-c", read, code]));
    assert_eq!(ended.code, Some(0), "{at}{ended:#?}");
}

/// The service of the first chapter, on an address that nobody else has.
struct Service {
    process: Child,
    address: String,
}

impl Service {
    fn start(folder: &Path) -> Self {
        let mut process = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
            .args(["--directory", "service"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split(' ').skip_while(|word| *word != "port").nth(1).unwrap();
        Self { process, address: format!("127.0.0.1:{port}") }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
