//! A socket file that belongs to its owner alone from its creation, replaces one without a listener, and is removed with the
//! listener.

use std::{
    fs, io,
    os::unix::{
        fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    process,
};

use tokio::net::UnixListener;

/// A socket file. Dropping it removes the file, unless another file has replaced it.
#[derive(Debug)]
pub(in super::super) struct SocketFile {
    path: PathBuf,
    inode: u64,
}

/// Listens on a socket file that only its owner may connect to.
pub(super) fn bind_for_owner(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    check_socket_is_unused(path)?;
    // Nobody can reach it before its mode is set: it is made in a private folder.
    let mut folder = path.as_os_str().to_owned();
    folder.push(format!(".{}", process::id()));
    let folder = PathBuf::from(folder);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let made = bind_in_folder(&folder, path);
    fs::remove_dir_all(&folder)?;
    made
}

fn bind_in_folder(folder: &Path, path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let made = folder.join("s");
    let listener = UnixListener::bind(&made)?;
    fs::set_permissions(&made, fs::Permissions::from_mode(0o600))?;
    fs::rename(&made, path)?;
    let inode = fs::symlink_metadata(path)?.ino();
    Ok((listener, SocketFile { path: path.to_owned(), inode }))
}

/// Checks that an existing file is a socket without a listener.
fn check_socket_is_unused(path: &Path) -> io::Result<()> {
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        there => there?,
    };
    if !there.file_type().is_socket() {
        let message = "there is a file of this name, which is no socket";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Ok(_) => {
            let message = "another process listens on this socket";
            Err(io::Error::new(io::ErrorKind::AddrInUse, message))
        }
        Err(error) => Err(error),
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|there| there.ino() == self.inode) {
            fs::remove_file(&self.path).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_file_is_private_to_its_owner_and_removed_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("callgate.sock");
        let bound = bind_for_owner(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(bound);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("callgate.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        let (listener, file) = bind_for_owner(&path).unwrap();
        assert_eq!(bind_for_owner(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(listener);
        // The next process may already have replaced it.
        let (next, next_file) = bind_for_owner(&path).unwrap();
        drop(file);
        assert!(path.exists());
        drop((next, next_file));
        fs::write(&path, "text").unwrap();
        assert_eq!(bind_for_owner(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
}
