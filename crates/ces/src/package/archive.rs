//! The files of an export in a zip. The stated size of an entry is not trusted; a single name that leads elsewhere, or
//! a single link, refuses the whole zip.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read as _},
    path::Path,
};

use callgate_config::{MAX_FILE_BYTES, read_file};
use zip::ZipArchive;

use super::{MOST_BYTES, MOST_FILES, folder_of_root_file, is_import_file, missing_root_file_text};

type Archive = ZipArchive<Cursor<Vec<u8>>>;

/// Reads the wanted files, by their names below the export's root.
pub(super) fn read_archive(file: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let told = |error: &dyn std::fmt::Display| format!("cannot read `{}`: {error}", file.display());
    let bytes = read_file(file, MAX_FILE_BYTES).map_err(|error| told(&error))?;
    if !bytes.starts_with(FIRST) {
        let message = "expected the folder of an export, or a zip of it, got another file";
        return Err(format!("{message}: `{}`", file.display()));
    }
    // Counted before the library keeps a record of each.
    if bytes.windows(ENTRY.len()).filter(|window| *window == ENTRY).count() > MOST_FILES {
        return Err(format!("expected at most {MOST_FILES} files in an export, got more"));
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
        let why = "expected a whole zip, got one that is cut or damaged";
        told(&format!("{why}: {error}"))
    })?;
    let names = file_names(&mut archive)?;
    let shown: Vec<_> = names.iter().map(|(name, _)| name.as_str()).collect();
    let root = folder_of_root_file(&shown).ok_or_else(|| missing_root_file_text(file))?;
    let mut files = BTreeMap::new();
    let mut left = MOST_BYTES;
    for (name, at) in &names {
        let Some(below) = name.strip_prefix(&root).filter(|name| is_import_file(name)) else {
            continue;
        };
        let bytes = inflate_file(&mut archive, *at, left.min(MAX_FILE_BYTES))
            .map_err(|why| format!("cannot read `{name}` of `{}`: {why}", file.display()))?;
        left = left.saturating_sub(bytes.len());
        if files.insert(below.to_owned(), bytes).is_some() {
            return Err(format!("expected each file once, got `{name}` twice"));
        }
    }
    Ok(files)
}

/// The names of all files, each with its index in the archive.
fn file_names(archive: &mut Archive) -> Result<Vec<(String, usize)>, String> {
    let mut names = Vec::new();
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at).map_err(|error| error.to_string())?;
        let name = entry.name().map_err(|error| error.to_string())?;
        if !is_plain_inner_path(&name) {
            return Err(format!(
                "expected names of files in the export, got: `{}`",
                printable_name(&name)
            ));
        }
        if entry.is_symlink() {
            return Err(format!("expected a file, got a link: `{}`", printable_name(&name)));
        }
        if entry.is_file() {
            names.push((name.into_owned(), at));
        }
    }
    Ok(names)
}

/// True if a name is a plain path that stays inside its folder.
fn is_plain_inner_path(name: &str) -> bool {
    let mut parts = name.strip_suffix('/').unwrap_or(name).split('/');
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    parts.all(is_plain) && !name.contains(['\\', '\0', ':'])
}

fn printable_name(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(120).collect()
}

fn inflate_file(archive: &mut Archive, at: usize, most: usize) -> Result<Vec<u8>, String> {
    let entry = archive.by_index(at).map_err(|error| error.to_string())?;
    let bound = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    entry.take(bound).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() > most {
        return Err(format!("it has more than {most} bytes, which is the bound"));
    }
    Ok(bytes)
}

const FIRST: &[u8] = b"PK";
/// The first bytes of the record of each entry.
const ENTRY: &[u8] = b"PK\x01\x02";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_paths_are_inside_an_export() {
        for name in ["app.json", "tools/a/a.json", "tools/", "Default Start Flow/a b.json"] {
            assert!(is_plain_inner_path(name), "{name}");
        }
        for name in ["", "/etc/passwd", "../a", "a/../b", "a//b", "./a", "C:/a", "a\\..\\b", "a\0b"]
        {
            assert!(!is_plain_inner_path(name), "{name}");
        }
    }
}
