//! The files of an export in a folder. Links are not followed: a file that is a link is refused.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use callgate_config::{MAX_FILE_BYTES, read_file};

use super::{MOST_BYTES, MOST_FILES, folder_of_root_file, is_import_file, missing_root_file_text};

/// Reads the wanted files, by their names below the export's root.
pub(super) fn read_export_files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut named_paths = Vec::new();
    collect_files(folder, "", 0, &mut named_paths)?;
    let names: Vec<_> = named_paths.iter().map(|(name, _)| name.as_str()).collect();
    let root = folder_of_root_file(&names).ok_or_else(|| missing_root_file_text(folder))?;
    let mut files = BTreeMap::new();
    let mut left = MOST_BYTES;
    for (name, file) in &named_paths {
        let Some(name) = name.strip_prefix(&root).filter(|name| is_import_file(name)) else {
            continue;
        };
        if file.is_symlink() {
            return Err(format!("expected a file, got a link: `{}`", file.display()));
        }
        let bytes = read_file(file, left.min(MAX_FILE_BYTES))
            .map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
        left = left.saturating_sub(bytes.len());
        files.insert(name.to_owned(), bytes);
    }
    Ok(files)
}

/// All files below a folder with their names, in order; names that begin with a dot do not belong to an export.
fn collect_files(
    folder: &Path,
    above: &str,
    depth: usize,
    named_paths: &mut Vec<(String, PathBuf)>,
) -> Result<(), String> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries =
        entries.map_err(|error| format!("cannot read `{}`: {error}", folder.display()))?;
    let mut entries: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.is_empty() || name.starts_with('.') {
            continue;
        }
        let name = format!("{above}{name}");
        if named_paths.len() >= MOST_FILES {
            return Err(format!("expected at most {MOST_FILES} files in an export, got more"));
        }
        if path.is_dir() && !path.is_symlink() {
            if depth < MOST_DEPTH {
                collect_files(&path, &format!("{name}/"), depth + 1, named_paths)?;
            }
        } else {
            named_paths.push((name, path));
        }
    }
    Ok(())
}

/// Files deeper than this do not belong to an export.
const MOST_DEPTH: usize = 8;
