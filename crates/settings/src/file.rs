//! Reads files up to a size limit: a larger file is not read to its end, so that a wrong path, a device or an endless
//! pipe cannot fill the memory. Creates files and folders that no other user may read.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process,
    time::SystemTime,
};

use callgate_tool::nearest;

/// The default size limit of a file: that of the largest description.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// The bytes of a file, at most `most`.
///
/// # Errors
/// The errors of reading it; [`io::ErrorKind::FileTooLarge`] if it is larger.
pub fn read_file(file: &Path, most: usize) -> io::Result<Vec<u8>> {
    let bytes = file_beginning(file, most)?;
    if bytes.len() > most {
        let message = format!("it has more than {most} bytes, which is the bound");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The remedy for a file that cannot be read, by the reason: a file with a similar name, its permissions, a file
/// instead of a folder.
pub fn read_error_remedy(file: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => {
            "name a file, or a folder with a `callgate.yaml` in it".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "let yourself read it (`chmod u+r FILE`), or run as the user it belongs to".to_owned()
        }
        io::ErrorKind::Other => "put a copy of it into that folder".to_owned(),
        _ => match similar_file(file) {
            Some(beside) => format!("did you mean `{}`?", file.with_file_name(beside).display()),
            None => "name a file that exists".to_owned(),
        },
    }
}

/// The name of a file beside a missing one, with a similar name and an equal extension.
fn similar_file(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or_else(|| Path::new("."))).ok()?;
    let names =
        entries.take(MOST_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let same = |other: &String| Path::new(other).extension() == file.extension();
    let mut names: Vec<_> = names.filter(same).collect();
    names.sort();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// The number of files that are searched for a similar name.
const MOST_ENTRIES: usize = 1000;

/// The bytes of a file; of a larger file `most` plus one, so that the reader can detect its size.
///
/// # Errors
/// The errors of reading it.
pub fn file_beginning(file: &Path, most: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    let file = File::open(file)?;
    let size = file.metadata()?.len().min(most);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default().saturating_add(1));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a folder that no other user may open, with its parents. An existing folder is unchanged.
///
/// # Errors
/// The errors of creating it.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Creates a file that no other user may read, and that did not exist before.
///
/// # Errors
/// The errors of creating it; [`io::ErrorKind::AlreadyExists`] if it exists.
pub fn create_private_file(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(file)
}

/// Keeps a content in a file that no other user may read, and removes the oldest files of its folder beyond `most`. A reader sees
/// the previous content or this one, and nothing in between.
///
/// # Errors
/// The errors of creating the folder and of writing the file.
pub fn write_and_remove_oldest(file: &Path, content: &[u8], most: usize) -> io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    create_private_folder(folder)?;
    let new = file.with_extension(process::id().to_string());
    fs::remove_file(&new).ok();
    let result = create_private_file(&new).and_then(|mut opened| {
        opened.write_all(content)?;
        drop(opened);
        fs::rename(&new, file)
    });
    if result.is_err() {
        fs::remove_file(&new).ok();
    }
    remove_oldest_files(folder, most);
    result
}

fn remove_oldest_files(folder: &Path, most: usize) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let written =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    let mut files: Vec<(SystemTime, PathBuf)> = written.collect();
    files.sort();
    for (_, file) in files.iter().take(files.len().saturating_sub(most)) {
        fs::remove_file(file).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_larger_than_the_bound_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_file(&file, 5).unwrap(), b"12345");
        assert_eq!(read_file(&file, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(file_beginning(&file, 3).unwrap(), b"1234");
        assert!(read_file(&folder.path().join("none"), 4).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn private_folders_and_files_are_readable_by_their_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/callgate");
        create_private_folder(&folder).unwrap();
        create_private_folder(&folder).unwrap();
        let file = folder.join("file");
        create_private_file(&file).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        assert_eq!(create_private_file(&file).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_device_is_refused() {
        assert!(read_file(Path::new("/dev/zero"), 1024).is_err());
    }
}
