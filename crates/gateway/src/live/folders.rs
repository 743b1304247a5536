//! The folders to watch for a file: the one it is in, and each folder with a link on the way to it. Editors and
//! Kubernetes mounts replace the file, or a link to it.

use std::{
    collections::{BTreeSet, VecDeque},
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// The folders in which a change may replace the file at a path.
pub(super) fn folders_leading_to(file: &Path) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::new();
    let Ok(file) = std::path::absolute(file) else { return folders };
    let mut at = PathBuf::new();
    let mut rest: VecDeque<OsString> = VecDeque::new();
    put_parts_ahead(&file, &mut at, &mut rest);
    let mut n_links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        match fs::read_link(&next) {
            Ok(target) if n_links < MOST_LINKS => {
                n_links += 1;
                folders.insert(at.clone());
                put_parts_ahead(&target, &mut at, &mut rest);
            }
            _ if rest.is_empty() => {
                folders.insert(at.clone());
            }
            _ => at = next,
        }
    }
    folders
}

/// Puts the parts of a path before the remaining ones; an absolute path starts anew.
fn put_parts_ahead(path: &Path, at: &mut PathBuf, rest: &mut VecDeque<OsString>) {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Prefix(_) | Component::RootDir => {
                if part == Component::RootDir && at.components().count() > 1 {
                    at.clear();
                }
                at.push(part);
            }
            Component::CurDir => {}
            Component::ParentDir | Component::Normal(_) => parts.push(part.as_os_str().to_owned()),
        }
    }
    parts.into_iter().rev().for_each(|part| rest.push_front(part));
}

/// The number of links that the system follows.
const MOST_LINKS: usize = 40;

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_folders_of_all_symbolic_links_on_a_path_are_watched() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in ["mount/..1", "releases/1", "elsewhere"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("mount/..1/a.yaml"), "").unwrap();
        fs::write(root.join("elsewhere/b.yaml"), "").unwrap();
        symlink("..1", root.join("mount/..data")).unwrap();
        symlink("..data/a.yaml", root.join("mount/a.yaml")).unwrap();
        symlink("releases/1", root.join("current")).unwrap();
        symlink(root.join("elsewhere/b.yaml"), root.join("releases/1/b.yaml")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let rows: [(&str, &[&str]); 5] = [
            ("mount/a.yaml", &["mount", "mount/..1"]),
            ("current/b.yaml", &["", "elsewhere", "releases/1"]),
            ("elsewhere/../elsewhere/b.yaml", &["elsewhere"]),
            ("elsewhere/gone.yaml", &["elsewhere"]),
            ("loop", &[""]),
        ];
        for (file, expected) in rows {
            let actual = folders_leading_to(&root.join(file));
            let expected = expected.iter().map(|name| root.join(name));
            let expected: BTreeSet<_> = expected.map(|path| path.components().collect()).collect();
            assert_eq!(actual, expected, "{file}");
        }
    }
}
