//! Mistakes that people make, and what the command says of each: the files below `rows/` hold both. Every message is judged by
//! what it says; the numbers of those that lack something may only fall.
//!
//! `CALLGATE_MISTAKES=write cargo test -p callgate-cli --test mistakes` writes what the command says now into the rows.
//! `CALLGATE_MISTAKES=NAME` runs the rows whose title has this text.

#![cfg(test)]

mod judge;
mod remedy;
mod row;
mod run;
mod services;

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use self::{
    judge::{Aspect, faults},
    remedy::{Followed, follow},
    row::{Rows, Transcript},
    run::run,
    services::Services,
};

/// The number of messages that lack something. May only fall.
const LACKING: [(Aspect, usize); 6] = [
    (Aspect::What, 0),
    (Aspect::Where, 0),
    (Aspect::Expected, 0),
    (Aspect::Got, 0),
    (Aspect::Remedy, 0),
    (Aspect::Once, 0),
];

/// The least number of remedies that are followed.
const REMEDIES: usize = 198;

/// The least number of mistakes.
const MISTAKES: usize = 282;

/// Every file of rows, in alphabetical order.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes/rows");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Runs all rows, four at a time; what each says, by file and row, and what came of its remedies.
fn transcripts(files: &[Rows], wanted: &str) -> BTreeMap<(usize, usize), (Transcript, Followed)> {
    let services = Services::start();
    let all = files.iter().enumerate().flat_map(|(at, file)| {
        file.all.iter().enumerate().map(move |(n, row)| ((at, n), (file, row)))
    });
    let all: Vec<_> = all.filter(|(_, (_, row))| row.title.contains(wanted)).collect();
    let (next, told) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some((key, (file, row))) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let transcript = run(file, row, &services);
            let followed = follow(file, row, &transcript, &services);
            told.lock().unwrap().insert(*key, (transcript, followed));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    told.into_inner().unwrap()
}

#[test]
#[expect(clippy::print_stdout, reason = "the count is read by people")]
#[expect(clippy::disallowed_methods, reason = "the switch is for whoever runs the test")]
fn each_mistake_of_the_table_is_reported_with_its_expected_text() {
    let switch = env::var("CALLGATE_MISTAKES").unwrap_or_default();
    let paths = files();
    let read = |path: &PathBuf| Rows::parse(&fs::read_to_string(path).unwrap());
    let mut all: Vec<Rows> = paths.iter().map(read).collect();
    let told = transcripts(&all, if switch == "write" { "" } else { &switch });
    let (mut wrong, mut n_remedies) = (Vec::new(), 0);
    for ((at, n), (transcript, followed)) in told {
        let row = &mut all[at].all[n];
        n_remedies += followed.n_remedies;
        wrong.extend(followed.faults.into_iter().map(|fault| format!("{}: {fault}", row.title)));
        wrong.extend(
            faults(row, &transcript).into_iter().map(|fault| format!("{}: {fault}", row.title)),
        );
        if switch != "write" && row.transcript != transcript {
            wrong.push(format!("{}: expected\n{}got\n{transcript}", row.title, row.transcript));
        }
        row.transcript = transcript;
    }
    if switch == "write" {
        for (path, rows) in paths.iter().zip(&all) {
            fs::write(path, rows.to_string()).unwrap();
        }
    }
    println!("{n_remedies} remedies were followed");
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(!switch.is_empty() || n_remedies >= REMEDIES, "{n_remedies} remedies were followed");
}

#[test]
fn the_number_of_messages_without_position_or_help_does_not_grow() {
    let mut rows = Vec::new();
    for path in files() {
        rows.extend(Rows::parse(&fs::read_to_string(path).unwrap()).all);
    }
    assert!(rows.len() >= MISTAKES, "{} mistakes", rows.len());
    for (aspect, most) in LACKING {
        let lacking: Vec<_> = rows.iter().filter(|row| row.lacks.contains(&aspect)).collect();
        let titles: Vec<_> = lacking.iter().map(|row| &row.title).collect();
        assert_eq!(lacking.len(), most, "messages that lack {aspect:?}: {titles:#?}");
    }
    let mut titles: Vec<_> = rows.iter().map(|row| &row.title).collect();
    titles.sort();
    assert!(titles.windows(2).all(|pair| pair[0] != pair[1]), "titles are distinct: {titles:#?}");
}
