//! Files that the command writes: each gets its name once it is complete, from a temporary one beside it. A path below a folder that
//! others made follows no link, neither to write nor to read.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Component, Path, PathBuf},
};

pub(crate) struct PartialFile {
    file: File,
    path: PathBuf,
    pub(crate) target: PathBuf,
    is_finished: bool,
}

impl PartialFile {
    pub(crate) fn create_beside(target: &Path) -> io::Result<Self> {
        let path = Self::temporary_path(target);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { file, path, target: target.to_owned(), is_finished: false })
    }

    /// A file that only the user of the process may read.
    fn create_private_beside(target: &Path) -> io::Result<Self> {
        let path = Self::temporary_path(target);
        let file = callgate_config::create_private_file(&path)?;
        Ok(Self { file, path, target: target.to_owned(), is_finished: false })
    }

    fn temporary_path(target: &Path) -> PathBuf {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        target.with_file_name(format!(".{name}.{}.part", std::process::id()))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Sees to it that what is written is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    pub(crate) fn rename_to_target(mut self) -> io::Result<()> {
        self.sync()?;
        fs::rename(&self.path, &self.target)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_finished {
            fs::remove_file(&self.path).unwrap_or_default();
        }
    }
}

/// The users that may read a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Readers {
    Anyone,
    /// The user of the process.
    #[cfg_attr(
        not(any(test, feature = "agents")),
        expect(dead_code, reason = "conversations are private")
    )]
    Owner,
}

/// Writes a file that somebody named, whole or not at all. Where a link has its name, the link is replaced and its target stays. A
/// device or a pipe is written to as it is.
pub(crate) fn write_file_atomically(
    target: &Path,
    bytes: &[u8],
    readers: Readers,
) -> io::Result<()> {
    if fs::metadata(target).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return OpenOptions::new().write(true).open(target)?.write_all(bytes);
    }
    let mut file = match readers {
        Readers::Anyone => PartialFile::create_beside(target)?,
        Readers::Owner => PartialFile::create_private_beside(target)?,
    };
    file.write(bytes)?;
    file.rename_to_target()
}

/// Writes a file at a path below a folder. Folders on the way are made; a link on the way, or in the place of the file, is refused.
pub(crate) fn write_below_refusing_links(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    readers: Readers,
) -> io::Result<()> {
    let target = join_refusing_links(folder, name)?;
    fs::create_dir_all(target.parent().unwrap_or(folder))?;
    write_file_atomically(&target, bytes, readers)
}

/// Reads a file at a path below a folder. A link on the way, or in the place of the file, is refused.
pub(crate) fn read_below_refusing_links(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    callgate_config::read_file(&join_refusing_links(folder, name)?, callgate_config::MAX_FILE_BYTES)
}

/// A path below a folder, on which nothing is a link. What is not there is no link.
fn join_refusing_links(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let mut path = folder.to_owned();
    for component in Path::new(name).components() {
        let Component::Normal(name) = component else {
            return Err(io::Error::other("expected a path inside of the folder"));
        };
        path.push(name);
        if path.is_symlink() {
            let message = format!("expected no link, got one: `{}`", path.display());
            return Err(io::Error::other(message));
        }
    }
    Ok(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_below_a_folder_follows_no_link() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secret = home.path().join("secret");
        fs::write(&secret, "canary").unwrap();
        symlink(&secret, folder.path().join("file")).unwrap();
        symlink(home.path(), folder.path().join("up")).unwrap();
        for name in ["file", "up/secret", "up/new", "../new", "/new"] {
            write_below_refusing_links(folder.path(), name, b"new", Readers::Anyone).unwrap_err();
            read_below_refusing_links(folder.path(), name).unwrap_err();
        }
        write_below_refusing_links(folder.path(), "a/b", b"new", Readers::Anyone).unwrap();
        assert_eq!(read_below_refusing_links(folder.path(), "a/b").unwrap(), b"new");
        assert_eq!(fs::read(&secret).unwrap(), b"canary");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_with_the_name_of_a_file_is_replaced_and_its_target_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        for readers in [Readers::Anyone, Readers::Owner] {
            write_file_atomically(&link, b"new", readers).unwrap();
            assert_eq!((fs::read(&target).unwrap(), link.is_symlink()), (b"old".to_vec(), false));
        }
    }
}
