//! Reads files within a bound: what is larger is not read to its end, so that a wrong path, a device or a pipe that never
//! ends fills no memory.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// The largest file that is read where nothing says otherwise: that of the largest description.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// The bytes of a file that has `most` at most.
///
/// # Errors
/// Those of reading it; [`io::ErrorKind::FileTooLarge`] where it has more.
pub fn read_file(file: &Path, most: usize) -> io::Result<Vec<u8>> {
    let bytes = beginning(file, most)?;
    if bytes.len() > most {
        let message = format!("it has more than {most} bytes, which is the bound");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The bytes of a file; of one that has more than `most`, one more than that, for a reader that finds it too large.
pub(crate) fn beginning(file: &Path, most: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    let file = File::open(file)?;
    let size = file.metadata()?.len().min(most);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default().saturating_add(1));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn no_more_is_read_than_the_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_file(&file, 5).unwrap(), b"12345");
        assert_eq!(read_file(&file, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(beginning(&file, 3).unwrap(), b"1234");
        assert!(read_file(&folder.path().join("none"), 4).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_that_never_ends_is_not_read_to_its_end() {
        assert!(read_file(Path::new("/dev/zero"), 1024).is_err());
    }
}
