//! `callgate test`: the repository's fixtures pass, and a changed byte makes one fail.

use crate::prelude::*;

#[test]
fn every_fixture_passes() {
    callgate(&["test", "fixtures"]).exits(0).prints(" 0 failed");
}

#[test]
fn a_changed_byte_of_a_request_fails_and_shows_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("fixtures/pets"), folder.path());
    let cases = fs::read_dir(folder.path().join("cases")).unwrap();
    let request = cases
        .map(|case| case.unwrap().path().join("request.http"))
        .find(|request| {
            request.is_file() && fs::read_to_string(request).unwrap().contains("/pets/7 ")
        })
        .unwrap();
    let text = fs::read_to_string(&request).unwrap().replacen("/pets/7 ", "/pets/8 ", 1);
    fs::write(&request, text).unwrap();
    let ended = callgate(&["test", folder.path().to_str().unwrap()]).exits(1).prints("FAILED");
    ended.prints("request.http").prints("/pets/8").prints("/pets/7").prints("+ ");
}

#[test]
fn update_writes_missing_results_and_the_next_run_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    copy(&root().join("fixtures/pets"), folder.path());
    let cases = fs::read_dir(folder.path().join("cases")).unwrap();
    for case in cases {
        drop(fs::remove_file(case.unwrap().path().join("result.json")));
    }
    callgate(&["test", path]).exits(1).prints("`result.json` is missing");
    callgate(&["test", path, "--update"]).exits(0).says("result.json");
    callgate(&["test", path]).exits(0);
}

#[test]
fn update_writes_the_requests_as_they_were_written_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    copy(&root().join("fixtures/files"), folder.path());
    let cases = fs::read_dir(folder.path().join("cases")).unwrap();
    let requests: Vec<_> = cases
        .map(|case| case.unwrap().path().join("request.http"))
        .filter_map(|file| fs::read(&file).ok().map(|written| (file, written)))
        .collect();
    for (file, _) in &requests {
        fs::write(file, "GET https://nothing.example/ HTTP/1.1\n").unwrap();
    }
    callgate(&["test", path, "--update"]).exits(0).says("request.http");
    for (file, written) in requests {
        assert_eq!(fs::read(&file).unwrap(), written, "{}", file.display());
    }
    callgate(&["test", path]).exits(0);
}

#[test]
fn a_folder_without_fixtures_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    callgate(&["test", folder.path().to_str().unwrap()]).exits(2).says("no fixtures found");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
