//! Checks audit files: that each line is as it was written, and that none is missing.

use callgate_tool::hexadecimal;
use std::{
    fmt,
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use callgate_secret::Secret;

use super::{
    chain::{ChainKey, Head},
    lines::{self, LineReader, LineState},
};
use crate::{
    digest::digest_from_hex,
    error::{self, Error},
};

/// The result of checking audit files.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// The number of unaltered lines, up to the first flaw.
    pub n_lines: u64,
    /// The number of the first line; 1 if the chain begins there.
    pub first: u64,
    /// The code of the last unaltered line: the value for `--head`.
    pub head: Option<String>,
    /// The number of torn lines that the next line explains.
    pub n_torn: u64,
    /// The first flaw.
    pub flaw: Option<Flaw>,
}

/// The first problem in the audit files.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Flaw {
    /// The file with the flaw.
    pub file: PathBuf,
    /// The number of the line.
    pub line: u64,
    /// The kind of flaw.
    pub kind: FlawKind,
}

/// The kind of flaw in a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum FlawKind {
    /// The line was altered, or written with another key.
    Altered,
    /// The line, and perhaps more, was cut off: a line that is known to have been written is absent.
    Cut,
    /// The line is missing.
    Missing,
    /// The last line is incomplete: the disk was full or the process ended during the write, or the line was cut off.
    Torn,
}

/// Checks the files of one chain, the oldest first. `head` is the code of a line that must be among them: a line that was
/// the last one earlier.
///
/// # Errors
/// Returns [`ErrorKind::ShortKey`](crate::ErrorKind::ShortKey), and [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable)
/// for the first file that cannot be read.
pub fn verify_audit(
    files: &[PathBuf],
    key: &Secret,
    head: Option<&str>,
) -> Result<Verified, Error> {
    let key = ChainKey::new(key)?;
    let mut verifying = Verifying {
        reading: LineReader::new(&key),
        good: Head::NONE,
        // A text that is not a code matches no line.
        looked_for: head.map(|head| digest_from_hex(head).unwrap_or([0xff; 32])),
        verified: Verified { n_lines: 0, first: 0, head: None, n_torn: 0, flaw: None },
    };
    for file in files {
        verifying.verify_file(file)?;
        if verifying.verified.flaw.is_some() {
            break;
        }
    }
    let Verifying { mut verified, good, looked_for, .. } = verifying;
    verified.head = (verified.n_lines > 0).then(|| hexadecimal(&good.code));
    if let (None, Some(_), Some(file)) = (&verified.flaw, looked_for, files.last()) {
        verified.flaw =
            Some(Flaw { file: file.clone(), line: good.number + 1, kind: FlawKind::Cut });
    }
    Ok(verified)
}

struct Verifying<'a> {
    reading: LineReader<'a>,
    good: Head,
    looked_for: Option<[u8; 32]>,
    verified: Verified,
}

impl Verifying<'_> {
    fn verify_file(&mut self, path: &Path) -> Result<(), Error> {
        let unreadable = |source| error::unreadable_file_error(path, source);
        let mut reader = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut bytes = Vec::new();
        while lines::read_next_line(&mut reader, &mut bytes).map_err(unreadable)? {
            if let Some((kind, line)) = self.verify_line(&bytes) {
                self.verified.flaw = Some(Flaw { file: path.to_owned(), line, kind });
                return Ok(());
            }
        }
        if !self.reading.has_no_pending_junk() {
            let line = self.good.number + 1;
            let flaw = Flaw { file: path.to_owned(), line, kind: FlawKind::Altered };
            self.verified.flaw = Some(flaw);
        }
        Ok(())
    }

    fn verify_line(&mut self, bytes: &[u8]) -> Option<(FlawKind, u64)> {
        let next = self.reading.next_number();
        match self.reading.read_line(bytes) {
            LineState::Nothing => None,
            LineState::Altered(_) => Some((FlawKind::Altered, next)),
            LineState::Missing(line, _) => Some((FlawKind::Missing, line)),
            LineState::Torn(_) => Some((FlawKind::Torn, next)),
            LineState::Good(record) => {
                self.good = self.reading.head.unwrap_or(self.good);
                let verified = &mut self.verified;
                verified.n_lines += 1;
                verified.n_torn += u64::from(record.torn.is_some());
                if verified.first == 0 {
                    verified.first = record.line;
                }
                if self.looked_for == Some(self.good.code) {
                    self.looked_for = None;
                }
                None
            }
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FlawKind::Altered => {
                "is not the one that was written there, or was written with another key"
            }
            FlawKind::Cut => {
                "and maybe more were cut off: the line with the given head is not there"
            }
            FlawKind::Missing => "is missing",
            FlawKind::Torn => {
                "is torn: expected a whole line of the chain, got a part of one or something else; the disk was full, the process ended \
                 while it was written, or its end was cut off; no line before it was altered"
            }
        };
        write!(f, "{}: line {} {what}", self.file.display(), self.line)
    }
}
