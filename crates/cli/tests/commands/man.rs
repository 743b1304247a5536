//! `callgate man`: a page for each command, with the example of its help, that `man` reads without a complaint.

use crate::prelude::*;

#[test]
fn every_command_has_a_page_with_its_example() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("share/man/man1");
    callgate(&["man", "--out", out.to_str().unwrap()]).exits(0);
    let names: BTreeSet<String> = fs::read_dir(&out)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let help = callgate(&["--help"]).exits(0).out;
    let groups = help.split_once("Look at an API:").unwrap().1.split_once("Options:").unwrap().0;
    let commands = groups.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = commands.collect();
    assert!(commands.starts_with(&["tools", "check"]), "{commands:?}");
    for command in &commands {
        assert!(names.contains(&format!("callgate-{command}.1")), "{command}: {names:?}");
        let help = callgate(&[command, "--help"]).exits(0).out;
        let example = help.split("Example:\n  ").nth(1).unwrap().lines().next().unwrap();
        let page = fs::read_to_string(out.join(format!("callgate-{command}.1"))).unwrap();
        assert!(page.replace('\\', "").contains(example), "{command}: {example}\n{page}");
        let _same = callgate(&["man", command]).exits(0).prints(&page);
    }
    assert_eq!(
        names.len(),
        commands.len() + 2,
        "callgate.1 and callgate-audit-verify.1: {names:?}"
    );
    assert!(names.contains("callgate.1") && names.contains("callgate-audit-verify.1"), "{names:?}");
}

#[test]
fn man_reads_each_page() {
    let folder = tempfile::tempdir().unwrap();
    callgate(&["man", "--out", folder.path().to_str().unwrap()]).exits(0);
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap().path();
        let page = fs::read_to_string(&file).unwrap();
        for section in [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH \"EXIT STATUS\""] {
            assert!(page.contains(section), "{section}: {page}");
        }
        let mut man = Command::new("man");
        man.args(["--warnings", "-l"]).arg(&file).env("MANWIDTH", "80").env("LC_ALL", "C.UTF-8");
        if man.output().is_err() {
            // No `man` on this machine: the sections above are all that is looked at.
            continue;
        }
        let read = Ended::of(&mut man).exits(0);
        assert_eq!(read.err, "", "{}", file.display());
    }
}

#[test]
fn an_unknown_command_has_no_manual_page() {
    callgate(&["man", "cal"]).exits(2).says("did you mean `call`?");
    callgate(&["man", "audit", "verifi"]).exits(2).says("did you mean `verify`?");
    let ended = callgate(&["man", "--out", "README.md/x"]).exits(2);
    ended.says("name a folder that you may write into");
}
