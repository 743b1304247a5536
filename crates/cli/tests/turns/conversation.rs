//! `callgate chat` with a model that streams: words on the terminal as they come.

use crate::prelude::*;

#[test]
fn a_conversation_prints_words_as_they_come_and_says_which_do_not_count() {
    let world = World::new();
    world.model.middle().close();
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.args(["chat", "callgate.yaml", "keeper"]).current_dir(world.folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut chat = command.spawn().unwrap();
    chat.stdin.take().unwrap().write_all(b"Break off once.\nRead.\n").unwrap();
    let mut out = chat.stdout.take().unwrap();
    let expected = "Hel\nHello ";
    let mut words = vec![0; expected.len()];
    out.read_exact(&mut words).unwrap();
    assert_eq!(String::from_utf8_lossy(&words), expected);
    world.model.middle().open();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let ended = chat.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!((&*rest, ended.status.code()), ("there.\nIt is done.\n", Some(0)), "{said}");
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].starts_with("warning: the model is asked again"), "{said}");
    assert!(lines[0].contains("the reply of the model ended before it was whole"), "{said}");
    assert_eq!(lines[1..], [r#"  shop-read {"n":1}"#]);
}
