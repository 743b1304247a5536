//! Finds the fixtures below the given paths, each a folder with a `toolset.yaml`, and their cases; names their files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use callgate_transport::{Recording, canonical_request};

use crate::{exit::Failure, output, partial_file::read_below_refusing_links};

pub(super) struct Fixture {
    pub(super) folder: PathBuf,
    pub(super) cases: Vec<PathBuf>,
    /// True if its declarations and its report are compared too; not for single cases.
    pub(super) is_whole: bool,
}

/// The fixtures below a path, with the cases whose names hold one of these texts; all cases if there are no texts.
pub(super) fn find_fixtures(path: &Path, names: &[String]) -> Result<Vec<Fixture>, Failure> {
    if !path.is_dir() {
        let message = format!("error: `{}` is not a folder", path.display());
        return Err(Failure(format!("{message}\nhelp: name a folder of fixtures")));
    }
    // A single case named by its folder: the fixture is two levels up.
    if path.join(CALL).is_file()
        && let Some(folder) =
            path.canonicalize().ok().as_deref().and_then(|path| fixture_of_case(path))
    {
        let folder = path.ancestors().nth(2).filter(|shown| is_fixture(shown)).unwrap_or(folder);
        let (folder, cases) = (folder.to_owned(), vec![path.to_owned()]);
        return Ok(vec![Fixture { folder, cases, is_whole: false }]);
    }
    let mut folders = Vec::new();
    collect_folders(path, DEPTH, &is_fixture, &mut folders)?;
    let is_meant = |case: &PathBuf| {
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        case.join(CALL).is_file()
            && (names.is_empty() || names.iter().any(|part| name.contains(part.as_str())))
    };
    let with_cases = |folder: PathBuf| {
        let cases = sorted_entries(&folder.join(CASES))?.into_iter().filter(is_meant).collect();
        Ok(Fixture { folder, cases, is_whole: names.is_empty() })
    };
    folders.into_iter().map(with_cases).collect()
}

/// The exchanges of all cases of the fixtures below a path, in the order of their names.
pub(crate) fn recorded_exchanges(path: &Path) -> Result<Vec<Recording>, Failure> {
    let mut recordings = Vec::new();
    for case in find_fixtures(path, &[])?.into_iter().flat_map(|fixture| fixture.cases) {
        let (request, response) = (read_optional(&case, REQUEST)?, read_optional(&case, RESPONSE)?);
        let (Some(request), Some(response)) = (request, response) else { continue };
        let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        recordings.push(Recording { name, request, response });
    }
    Ok(recordings)
}

/// The folders of recorded conversations below a path, with one of these texts in their name.
pub(super) fn turn_folders_below(path: &Path, names: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = Vec::new();
    collect_folders(path, DEPTH, &|folder| folder.join(TURN).is_file(), &mut folders)?;
    let is_meant = |folder: &PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        names.is_empty() || names.iter().any(|part| name.contains(part.as_str()))
    };
    folders.retain(is_meant);
    Ok(folders)
}

fn fixture_of_case(case: &Path) -> Option<&Path> {
    case.ancestors().nth(2).filter(|folder| is_fixture(folder))
}

fn is_fixture(folder: &Path) -> bool {
    folder.join(TOOLSET).is_file()
}

fn collect_folders(
    folder: &Path,
    depth: usize,
    is_found: &dyn Fn(&Path) -> bool,
    folders: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    if is_found(folder) {
        folders.push(folder.to_owned());
        return Ok(());
    }
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    for below in sorted_entries(folder)? {
        if below.is_dir() {
            collect_folders(&below, depth, is_found, folders)?;
        }
    }
    Ok(())
}

/// The entries of a folder in order; empty if there is no folder.
pub(crate) fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries
        .map_err(|error| Failure(format!("error: cannot read `{}`: {error}", folder.display())))?;
    let (links, mut paths): (Vec<_>, Vec<_>) =
        entries.iter().map(fs::DirEntry::path).partition(|path| path.is_symlink());
    for link in links.iter().filter(|link| link.is_dir()) {
        output::print_message_line(&format!(
            "note: `{}` is a link, which is not followed",
            link.display()
        ));
    }
    paths.sort();
    Ok(paths)
}

pub(super) fn expected_request(folder: &Path) -> Result<Option<Vec<u8>>, Failure> {
    Ok(read_optional(folder, REQUEST)?.map(|text| canonical_request(&text)))
}

/// A file of a fixture, if it is there.
pub(super) fn read_optional(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, Failure> {
    let file = folder.join(name);
    if !file.is_file() && !file.is_symlink() {
        return Ok(None);
    }
    read_required(folder, name).map(Some)
}

/// A file of a fixture. Links are not followed: whoever wrote the fixture reads no file of this machine.
pub(super) fn read_required(folder: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    read_below_refusing_links(folder, name).map_err(|error| {
        let file = folder.join(name);
        let help = "a fixture has files of its own, and no links";
        Failure::with_help(&format!("cannot read `{}`: {error}", file.display()), help)
    })
}

/// The file that makes a folder a fixture.
pub(super) const TOOLSET: &str = "toolset.yaml";
/// The file that makes a folder a recorded conversation.
const TURN: &str = "turn.json";
/// The folder of a fixture that holds its cases.
pub(super) const CASES: &str = "cases";
/// The file that makes a folder a case.
pub(super) const CALL: &str = "call.json";
pub(super) const SESSION: &str = "session.json";
pub(super) const REQUEST: &str = "request.http";
pub(super) const RESPONSE: &str = "response.http";
pub(super) const RESULT: &str = "result.json";
pub(super) const ANSWER: &str = "answer.json";

/// The depth below a path to which fixtures are searched.
const DEPTH: usize = 4;
