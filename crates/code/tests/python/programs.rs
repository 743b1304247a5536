//! Programs that are run as they should be.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::Command,
    time::{Duration, Instant},
};

use callgate_code::python::{Ending, InputFile, PythonOutcome, PythonProgram, PythonSettings, run};
use tempfile::TempDir;
use tokio::task::JoinSet;

pub(crate) async fn test() {
    values_are_shown_as_a_notebook_shows_them().await;
    errors_are_tracebacks_of_the_program_alone().await;
    files_go_in_and_come_out().await;
    files_that_are_not_taken_are_named_with_their_reason().await;
    texts_are_cut_at_their_limit().await;
    numbers_tables_and_plots_are_there().await;
    a_virtual_environment_is_shown().await;
    programs_run_beside_each_other().await;
    figures().await;
}

async fn run_code(code: &str) -> PythonOutcome {
    run_with(&PythonSettings::default(), code, &[]).await
}

async fn run_with(settings: &PythonSettings, code: &str, files: &[(&str, &str)]) -> PythonOutcome {
    let file = |(name, text): &(&str, &str)| InputFile {
        name: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let files = files.iter().map(file).collect();
    let outcome = run(settings, PythonProgram { code: code.to_owned(), files }).await;
    outcome.unwrap_or_else(|error| panic!("{error}; {}", error.remedy()))
}

async fn values_are_shown_as_a_notebook_shows_them() {
    let rows = [
        ("4 + 4", "8"),
        ("'a text'", "a text"),
        ("['a', 1.5, None]", "['a', 1.5, None]"),
        ("None", ""),
        ("x = 1", ""),
        ("", ""),
        ("# nothing", ""),
        ("if True:\n    4", ""),
        ("print(3)", ""),
        ("def f(n):\n    return n * 2\n\nf(21)", "42"),
        ("import sys; sys.exit(0)", ""),
        ("'größe \\U0001f600'", "größe \u{1f600}"),
        ("'\\ud800'", "?"),
        ("__name__, __import__('sys').argv", "('__main__', ['program.py'])"),
        ("import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__name__", "A"),
        (
            "import zoneinfo, datetime; datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).utcoffset().seconds",
            "7200",
        ),
        ("import asyncio\nasync def f(): return 5\nasyncio.run(f())", "5"),
        (
            "import concurrent.futures as c\nlist(c.ThreadPoolExecutor(4).map(abs, [-1, 2]))",
            "[1, 2]",
        ),
        ("import sqlite3; sqlite3.connect('a.db').execute('select 6 * 7').fetchone()[0]", "42"),
        ("import tempfile; f = tempfile.TemporaryFile(); f.write(b'xy')", "2"),
        ("import decimal, statistics, random, csv, uuid, hashlib; statistics.mean([1, 2, 6])", "3"),
    ];
    for (code, expected) in rows {
        let outcome = run_code(code).await;
        assert_eq!((outcome.result.as_str(), outcome.error.as_str()), (expected, ""), "{code}");
        assert_eq!((outcome.ending, outcome.truncated), (Ending::Finished, false));
    }
    let outcome = run_code("import sys\nprint('out')\nprint('err', file=sys.stderr)\n1").await;
    assert_eq!((&*outcome.stdout, &*outcome.stderr, &*outcome.result), ("out\n", "err\n", "1"));
}

async fn errors_are_tracebacks_of_the_program_alone() {
    let outcome = run_code("def f():\n    return 1 / 0\n\nf()").await;
    let expected = "Traceback (most recent call last):\n  File \"program.py\", line 4, in <module>\n    f()\n  \
        File \"program.py\", line 2, in f\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero";
    assert_eq!((outcome.ending, outcome.error.as_str()), (Ending::Raised, expected));
    let outcome = run_code("x = (").await;
    assert!(outcome.error.ends_with("SyntaxError: '(' was never closed"), "{}", outcome.error);
    assert!(outcome.error.contains("File \"program.py\", line 1"), "{}", outcome.error);
    let outcome = run_code("import json; json.loads('{')").await;
    assert!(outcome.error.contains("File \"json/decoder.py\""), "{}", outcome.error);
    assert!(!outcome.error.contains("/usr"), "{}", outcome.error);
    let outcome = run_code("input()").await;
    assert!(outcome.error.ends_with("EOFError: EOF when reading a line"), "{}", outcome.error);
    let outcome = run_code("print('before')\nimport numpy").await;
    let expected =
        "ModuleNotFoundError: no module named 'numpy' here; there is: the standard library alone";
    assert!(outcome.error.ends_with(expected), "{}", outcome.error);
    assert_eq!(outcome.stdout, "before\n");
}

async fn files_go_in_and_come_out() {
    let code = "
import csv, shop
rows = list(csv.DictReader(open('sales.csv')))
total = sum(int(row['n']) for row in rows)
open('total.json', 'w').write('{\"total\": %d}' % total)
open('notes.txt', 'a').write(' and more')
shop.NAME";
    let files = [("sales.csv", "n\n1\n2\n"), ("notes.txt", "words"), ("shop.py", "NAME = 'Zoo'\n")];
    let outcome = run_with(&PythonSettings::default(), code, &files).await;
    assert_eq!((outcome.result.as_str(), outcome.error.as_str()), ("Zoo", ""));
    let files: Vec<_> = outcome
        .files
        .iter()
        .map(|file| {
            (file.name.as_str(), std::str::from_utf8(&file.bytes).unwrap(), file.media_type)
        })
        .collect();
    let expected = [
        ("notes.txt", "words and more", "text/plain"),
        ("total.json", "{\"total\": 3}", "application/json"),
    ];
    assert_eq!(files, expected);
    assert_eq!(outcome.left_out, []);
    // A failure keeps what was written before it.
    let outcome = run_code("open('a.txt', 'w').write('x')\n1 / 0").await;
    assert_eq!(outcome.files[0].name, "a.txt");
}

async fn files_that_are_not_taken_are_named_with_their_reason() {
    let mut settings = PythonSettings::default();
    settings.limits.files_out = 1000;
    let code = "
import os
os.mkdir('folder'); os.symlink('/usr', 'link')
open('big', 'wb').write(bytes(700)); open('bigger', 'wb').write(bytes(700)); open('new\\nline', 'w')
open('.hidden', 'w'); open('small', 'w')";
    let outcome = run_with(&settings, code, &[]).await;
    assert_eq!(outcome.error, "");
    let files: Vec<_> = outcome.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(files, ["big", "small"]);
    let left_out: Vec<_> =
        outcome.left_out.iter().map(|file| (file.name.as_str(), file.reason.as_str())).collect();
    let no_file =
        "a folder, a link or a special file: only files in the work folder itself are taken";
    let expected = [
        ("bigger", "700 bytes, and 300 are left for files"),
        ("folder", no_file),
        ("link", no_file),
        ("new\u{fffd}line", "a name with characters that are not plain"),
    ];
    assert_eq!(left_out, expected);
}

async fn texts_are_cut_at_their_limit() {
    let mut settings = PythonSettings::default();
    settings.limits.output = 10;
    let outcome = run_with(&settings, "print('0123456789ab')\n'äöüäöüäöü'", &[]).await;
    assert_eq!((outcome.stdout.as_str(), outcome.result.as_str()), ("0123456789", "äöüäö"));
    assert!(outcome.truncated);
    // Of an error the end matters.
    let outcome = run_with(&settings, "raise ValueError('the words')", &[]).await;
    assert_eq!(outcome.error, " the words");
}

async fn numbers_tables_and_plots_are_there() {
    let packages = ["numpy", "pandas", "matplotlib"].map(str::to_owned).to_vec();
    let mut settings = PythonSettings { packages, ..PythonSettings::default() };
    settings.limits.time = Duration::from_mins(1);
    let code = "
import pandas as pd, numpy as np, matplotlib.pyplot as plt
table = pd.read_csv('sales.csv')
table.groupby('pet').n.sum().plot.bar()
plt.show()
int(np.linalg.det(np.eye(3)) * table.n.sum())";
    let files = [("sales.csv", "pet,n\ncat,1\ndog,2\ncat,4\n")];
    let outcome = run_with(&settings, code, &files).await;
    assert_eq!((outcome.result.as_str(), outcome.error.as_str()), ("7", ""));
    let files: Vec<_> =
        outcome.files.iter().map(|file| (file.name.as_str(), file.media_type)).collect();
    assert_eq!(files, [("figure-1.png", "image/png")]);
    // An image that the program saves is not doubled.
    let code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('a.png')";
    let outcome = run_with(&settings, code, &[]).await;
    assert_eq!(outcome.files.iter().map(|file| &*file.name).collect::<Vec<_>>(), ["a.png"]);
    let outcome = run_with(&settings, "import scipy", &[]).await;
    assert!(outcome.error.ends_with("there is: numpy, pandas, matplotlib"), "{}", outcome.error);
}

async fn a_virtual_environment_is_shown() {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let environment = folder.path().join("environment");
    let made = Command::new("/usr/bin/python3")
        .args(["-m", "venv", "--without-pip", "--symlinks"])
        .arg(&environment)
        .status();
    assert!(made.unwrap().success());
    let packages = fs::read_dir(environment.join("lib")).unwrap().next().unwrap().unwrap().path();
    fs::write(packages.join("site-packages/zoo.py"), "PETS = 3\n").unwrap();
    let settings = PythonSettings {
        interpreter: environment.join("bin/python3"),
        folders: vec![environment.clone()],
        packages: vec!["zoo".to_owned()],
        ..PythonSettings::default()
    };
    let outcome = run_with(&settings, "import zoo\nzoo.PETS", &[]).await;
    assert_eq!((outcome.result.as_str(), outcome.error.as_str()), ("3", ""));
}

async fn programs_run_beside_each_other() {
    let mut programs = JoinSet::new();
    for n in 0..8 {
        programs.spawn(async move { run_code(&format!("{n} * {n}")).await.result });
    }
    let mut results = programs.join_all().await;
    results.sort_unstable();
    assert_eq!(results, ["0", "1", "16", "25", "36", "4", "49", "9"]);
}

/// Prints the time that a program takes; it is no bar here, since machines differ.
async fn figures() {
    let mut times = Vec::new();
    for _ in 0..21 {
        let begin = Instant::now();
        run_code("4 + 4").await;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    println!("4 + 4: p50 {} ms, p95 {} ms", times[10].as_millis(), times[19].as_millis());
}
