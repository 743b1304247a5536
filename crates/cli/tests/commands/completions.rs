//! Completion: what `callgate complete` answers, and what a real bash makes of it.

use crate::prelude::*;
use std::io::ErrorKind;

/// A description whose words are not harmless in a shell.
const HOSTILE: &str = concat!("\n", include_str!("completions.yaml"));

/// A home with a profile of the pets, and caches of its own.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spec = root().join("fixtures/pets/spec.yaml");
        let text = format!("toolsets: {{ '': {{ openapi: {}, auth: none }} }}", spec.display());
        let text = text.replace("'': ", "pets: ");
        write(&folder, "config/callgate/mine.yaml", text);
        write(&folder, "cat.png", "x");
        write(&folder, "hostile.yaml", HOSTILE);
        fs::copy(spec, folder.path().join("pets.yaml")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// The words that may stand in place of the last of these.
    fn complete(&self, words: &[&str]) -> Ended {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_callgate")));
        command.args(["complete", "zsh", "--", "callgate"]).args(words);
        Ended::of(&mut command)
    }

    /// The candidates of bash at the end of a line, as they would be typed.
    fn bash(&self, line: &str) -> Vec<String> {
        let script = self.path("callgate.bash");
        fs::write(&script, callgate(&["completions", "bash"]).exits(0).out).unwrap();
        // What readline does before it calls the function: cuts at its breaks.
        let driver = r#"
            source "$1"
            COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
            compopt() { :; }
            _callgate "$3" "" ""
            printf '%s\n' "${COMPREPLY[@]}"
        "#;
        let mut command = self.command(Path::new("bash"));
        command.args(["--norc", "-c", driver, "bash"]).arg(script).arg(line);
        let ended = Ended::of(command.arg(env!("CARGO_BIN_EXE_callgate"))).exits(0);
        assert_eq!(ended.err, "", "{line}");
        let lines = ended.out.lines().filter(|line| !line.is_empty());
        lines.map(ToOwned::to_owned).collect()
    }
}

/// The candidates after the first line, without what they are.
fn texts(ended: &Ended) -> Vec<&str> {
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:#?}");
    let skipped = if ended.out.starts_with("files\n") { 3 } else { 1 };
    ended.out.lines().skip(skipped).map(|line| line.split('\t').next().unwrap()).collect()
}

#[test]
fn commands_flags_and_their_values_are_completed() {
    let home = Home::new();
    for (words, expected) in [
        (&["ex"][..], &["explain"][..]),
        (&["comp"], &["completions"]),
        (&["audit", ""], &["verify", "help"]),
        (&["call", "mine", "--jsonp"], &["--jsonpath"]),
        (&["call", "--dry-run", "--dry"], &[]),
        (&["tools", "mine", "--dialect", "an"], &["anthropic"]),
        (&["tools", "mine", "--dialect=an"], &["--dialect=anthropic"]),
        (&["check", "a.yaml", "--format", ""], &["json", "sarif", "text"]),
        (&["explain", "no-d"], &["no-description"]),
        (&["explain", "timed"], &["timed_out"]),
        (&["check", "a.yaml", "--deny", "timed"], &[]),
        (&["check", "a.yaml", "--deny", "literal"], &["literal-secret"]),
        (&["login", "m"], &["mine"]),
        (&["call", "-", ""], &[]),
        (&["call", "none.yaml", ""], &[]),
        (&["schema", ""], &[]),
    ] {
        assert_eq!(texts(&home.complete(words)), expected, "{words:?}");
    }
    let _shown = home.complete(&["call", "mi"]).prints("files\n\nmi\nmine\tprofile\n");
    let _shown = home.complete(&["call", "--overlay", "o"]).prints("files\n\no\n");
    let _shown = home.complete(&["call", "--overlay=o"]).prints("files\n--overlay=\no\n");
}

#[test]
fn tools_arguments_and_values_are_completed() {
    let home = Home::new();
    for (words, expected) in [
        (&["call", "pets.yaml", "getP"][..], &["getPet"][..]),
        (&["call", "mine", "pets-getP"], &["pets-getPet"]),
        (&["call", "mine", "getP"], &["getPet"]),
        (&["tools", "pets.yaml", "getP"], &["getPet"]),
        (&["call", "pets.yaml", "getPet", ""], &["petId="]),
        (&["call", "mine", "getPet", ""], &["petId="]),
        (&["call", "pets.yaml", "getPet", "petId=7", ""], &[]),
        (&["call", "pets.yaml", "createPet", "name=Rex", "na"], &[]),
        (&["call", "pets.yaml", "createPet", "species="], &["species=cat", "species=dog"]),
        (&["call", "pets.yaml", "createPet", "--args", "{}", ""], &[]),
        (&["call", "pets.yaml", "nothing", ""], &[]),
    ] {
        let ended = home.complete(words);
        let got: Vec<&str> = texts(&ended).into_iter().take(expected.len().max(2)).collect();
        assert_eq!(got, expected, "{words:?}");
    }
    let _shown = home
        .complete(&["call", "pets.yaml", "createPet", "name=@cat"])
        .prints("files\nname=@\ncat\n");
    let _shown = home
        .complete(&["call", "pets.yaml", "createPet", "--args", "@ca"])
        .prints("files\n@\nca\n");
}

#[test]
fn a_tool_is_completed_from_the_cache_until_a_file_changes() {
    let home = Home::new();
    let file = home.path("pets.yaml");
    let line = ["call", "pets.yaml", "getP"];
    assert_eq!(texts(&home.complete(&line)), ["getPet"]);
    let kept = fs::read_dir(home.path("cache/callgate/completions")).unwrap();
    let kept: Vec<PathBuf> = kept.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1);
    let text = fs::read_to_string(&kept[0]).unwrap();
    fs::write(&kept[0], text.replace("\ngetPet\t", "\ngetPetKept\t")).unwrap();
    assert_eq!(texts(&home.complete(&line)), ["getPetKept"]);
    let changed = fs::read_to_string(&file).unwrap().replace("getPet", "getPets2");
    fs::write(&file, changed).unwrap();
    assert_eq!(texts(&home.complete(&line)), ["getPets2"]);
}

#[test]
fn completions_work_without_a_cache_folder() {
    let home = Home::new();
    fs::write(home.path("cache"), "a file").unwrap();
    assert_eq!(texts(&home.complete(&["call", "pets.yaml", "getP"])), ["getPet"]);
}

#[test]
fn text_of_a_description_neither_runs_nor_changes_a_terminal() {
    let home = Home::new();
    let ended = home.complete(&["call", "hostile.yaml", "a"]).exits(0);
    assert!(!ended.out.contains('\u{1b}'), "{ended:#?}");
    let ended = home.complete(&["call", "hostile.yaml", "a/list; $(touch hacked)", "state="]);
    assert_eq!(texts(&ended), ["state=open", "state=$(touch hacked)", "state=`id`"]);
    let typed = home.bash("callgate call hostile.yaml a/");
    assert_eq!(typed, ["a/list\\;\\ \\$\\(touch\\ hacked\\)"]);
    let line = format!("callgate call hostile.yaml {} state=", typed[0]);
    assert_eq!(home.bash(&line), ["open", "\\$\\(touch\\ hacked\\)", "\\`id\\`"]);
    assert!(!home.path("hacked").exists());
}

/// Threat 63. The secret is a pipe that nobody writes to: whoever opens it does not come back.
#[test]
fn a_key_press_calls_no_service_and_reads_no_secret() {
    let home = Home::new();
    let made = Command::new("mkfifo").arg(home.path("secret")).status().unwrap();
    assert!(made.success(), "{made}");
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    service.set_nonblocking(true).unwrap();
    let address = service.local_addr().unwrap();
    let text = format!(
        "toolsets:\n  pets:\n    openapi: pets.yaml\n    server: http://{address}\n    auth: {{ oauth2_client_credentials: {{ \
         token_url: 'http://{address}/token', client_id: me, client_secret: 'file:secret' }} }}\n\
         \x20 far: {{ openapi: 'http://{address}/openapi.json', auth: {{ bearer: {{ token: 'file:secret' }} }} }}\n"
    );
    fs::write(home.path("callgate.yaml"), text).unwrap();
    let url = format!("http://{address}/openapi.json");
    for (words, expected) in [
        (vec!["call", "callgate.yaml", "pets-getP"], &["pets-getPet"][..]),
        (vec!["call", "callgate.yaml", "pets-getPet", ""], &["petId="]),
        (vec!["call", "callgate.yaml", "far-"], &[]),
        (vec!["call", &url, ""], &[]),
        (vec!["doctor", "callgate.y"], &[]),
    ] {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_callgate")));
        command.args(["complete", "zsh", "--", "callgate"]).args(&words);
        let (sender, ended) = channel();
        thread::spawn(move || sender.send(Ended::of(&mut command)));
        let ended = ended.recv_timeout(Duration::from_secs(30));
        let ended = ended.unwrap_or_else(|_| panic!("{words:?} waits for the secret"));
        let got: Vec<&str> = texts(&ended).into_iter().take(expected.len().max(1)).collect();
        assert!(got == expected || words[0] == "doctor", "{words:?}: {ended:#?}");
        assert_eq!(service.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{words:?}");
    }
}

#[test]
fn bash_completes_quoted_and_partial_words() {
    let home = Home::new();
    for (line, expected) in [
        ("callgate exp", &["explain"][..]),
        ("callgate call mi", &["mine"]),
        ("callgate call pet", &["pets.yaml"]),
        ("callgate call pets.yaml getP", &["getPet"]),
        ("callgate call 'pets.yaml' \"getP", &["getPet"]),
        ("callgate call pets.yaml createPet species=", &["cat", "dog"]),
        ("callgate call pets.yaml createPet species=c", &["cat"]),
        ("callgate call pets.yaml createPet name=@cat", &["@cat.png"]),
        ("callgate call pets.yaml --dialect=an", &["anthropic"]),
        ("callgate call ~/pets.yaml getP", &["getPet"]),
        ("callgate nothing ", &[]),
    ] {
        let typed = home.bash(line);
        let got: Vec<&str> = typed.iter().take(2).map(String::as_str).collect();
        assert_eq!(got, expected, "{line}");
    }
}

#[test]
fn every_completion_script_is_accepted_by_its_shell() {
    let home = Home::new();
    for (shell, checked) in [
        ("bash", &["bash", "-n"][..]),
        ("fish", &["fish", "--no-execute"]),
        ("zsh", &["zsh", "-n"]),
        ("elvish", &["elvish", "-compileonly"]),
        ("powershell", &[]),
    ] {
        let script = home.path(&format!("callgate.{shell}"));
        let text = callgate(&["completions", shell]).exits(0).prints("callgate").out;
        fs::write(&script, &text).unwrap();
        let Some((program, flags)) = checked.split_first() else { continue };
        let mut command = home.command(Path::new(program));
        match command.args(flags).arg(&script).output() {
            Ok(read) => assert!(read.status.success(), "{shell}: {read:?}"),
            // Where the shell is not installed, brackets and blocks are counted.
            Err(_) => assert!(is_balanced(&text, shell), "{shell}: {text}"),
        }
    }
}

/// Returns true if what a script opens is closed.
fn is_balanced(text: &str, shell: &str) -> bool {
    let count = |c: char| text.matches(c).count();
    let words = |word: &str| text.lines().filter(|line| line.trim().starts_with(word)).count();
    let blocks = match shell {
        "fish" => words("function ") + words("if ") + words("for ") == words("end"),
        "zsh" => words("if ") == words("fi") && words("for ") == words("done"),
        _ => true,
    };
    blocks && count('{') == count('}') && count('"') % 2 == 0
}
