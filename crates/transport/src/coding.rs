//! The content codings of responses (RFC 9110 §8.4.1): finds the one that the headers name and decodes it. Nested codings
//! are refused, because they let a few bytes expand without end. The reader limits the decoded size.

use std::pin::Pin;

use async_compression::{
    tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder},
    zstd::DParameter,
};
use http::{HeaderMap, header::CONTENT_ENCODING};
use tokio::io::{AsyncBufRead, AsyncRead};

use crate::error::{self, Error};

pub(crate) const ACCEPTED: &str = "gzip, br, zstd, deflate";

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Brotli,
    Deflate,
    Gzip,
    Zstd,
}

impl Coding {
    /// The coding in all `Content-Encoding` lines (RFC 9110 §5.3). Fails for several, and for one that was not requested.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Option<Self>, Error> {
        let mut codings = Vec::new();
        for line in headers.get_all(CONTENT_ENCODING) {
            let line = line.to_str().map_err(|_| error::unknown_coding("not ASCII"))?;
            let names = line.split(',').map(str::trim).filter(|name| !name.is_empty());
            for name in names {
                codings.extend(Self::from_name(name)?);
            }
        }
        match *codings {
            [] => Ok(None),
            [coding] => Ok(Some(coding)),
            _ => Err(error::nested_codings()),
        }
    }

    fn from_name(name: &str) -> Result<Option<Self>, Error> {
        match name.to_ascii_lowercase().as_str() {
            "br" => Ok(Some(Self::Brotli)),
            "deflate" => Ok(Some(Self::Deflate)),
            // RFC 9110 §8.4.1.3: `x-gzip` means gzip.
            "gzip" | "x-gzip" => Ok(Some(Self::Gzip)),
            "zstd" => Ok(Some(Self::Zstd)),
            name if means_no_coding(name) => Ok(None),
            other => {
                let shown: String = other.chars().take(LONGEST_NAME).collect();
                Err(error::unknown_coding(&shown))
            }
        }
    }

    /// A reader of the decoded bytes of `wire`, which begins with the byte `first`. A truncated stream is an error.
    pub(crate) fn decoder<W>(self, wire: W, first: u8) -> Pin<Box<dyn AsyncRead + Send>>
    where
        W: AsyncBufRead + Send + 'static,
    {
        match self {
            Self::Brotli => Box::pin(BrotliDecoder::new(wire)),
            Self::Deflate if can_begin_zlib(first) => Box::pin(ZlibDecoder::new(wire)),
            // RFC 9110 §8.4.1.2: some services send the deflate stream without the zlib format.
            Self::Deflate => Box::pin(DeflateDecoder::new(wire)),
            Self::Gzip => {
                let mut decoder = GzipDecoder::new(wire);
                // RFC 1952 §2.2: gzip members follow one another.
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            Self::Zstd => {
                let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
                let mut decoder = ZstdDecoder::with_params(wire, &[window]);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
        }
    }
}

/// Returns true for words that stand where a service has coded nothing: a character encoding, a media type, a framing or
/// an encoding of mail, and the words for nothing. In lower case.
fn means_no_coding(name: &str) -> bool {
    UNCODED.contains(&name)
        || CHARACTER_ENCODINGS.iter().any(|prefix| name.starts_with(prefix))
        || name.contains('/')
}

/// Words that name no content coding (RFC 9110 §8.4.1, RFC 2045 §6.1).
const UNCODED: [&str; 14] = [
    "7bit",
    "8bit",
    "ascii",
    "aws-chunked",
    "binary",
    "false",
    "identity",
    "json",
    "none",
    "null",
    "plain",
    "text",
    "undefined",
    "us-ascii",
];

const CHARACTER_ENCODINGS: [&str; 5] = ["iso-8859-", "latin", "utf-", "utf8", "windows-"];

/// The most characters of a service's word that an error repeats.
const LONGEST_NAME: usize = 40;

/// Returns true if the zlib format can begin with this byte (RFC 1950 §2.2): method 8, and a window of 32 KiB at most. A
/// raw stream (RFC 1951 §3.2.3) with this byte would begin with a stored block whose padding is not zero.
fn can_begin_zlib(first: u8) -> bool {
    first & 0x8f == 8
}

/// RFC 9659 §3: a decoder of this coding must support a window of 8 MiB at most.
const ZSTD_WINDOW_LOG: u32 = 23;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[track_caller]
    fn check(lines: &[&'static str], expected: Result<Option<Coding>, ErrorKind>) {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CONTENT_ENCODING, http::HeaderValue::from_static(line));
        }
        assert_eq!(
            Coding::from_headers(&headers).map_err(|error| error.kind()),
            expected,
            "{lines:?}"
        );
    }

    #[test]
    fn each_content_coding_is_recognized_by_its_name() {
        check(&[], Ok(None));
        check(&["identity"], Ok(None));
        check(&["", "identity, "], Ok(None));
        for word in ["UTF-8", "utf8", "text", "8bit", "ISO-8859-1", "null", "application/json"] {
            check(&[word], Ok(None));
        }
        check(&["aws-chunked, gzip"], Ok(Some(Coding::Gzip)));
        check(&["GZip"], Ok(Some(Coding::Gzip)));
        check(&["identity", "x-gzip"], Ok(Some(Coding::Gzip)));
        check(&["br"], Ok(Some(Coding::Brotli)));
        check(&["zstd"], Ok(Some(Coding::Zstd)));
        check(&["deflate"], Ok(Some(Coding::Deflate)));
    }

    #[test]
    fn two_codings_and_unknown_ones_are_refused() {
        for lines in
            [&["gzip, gzip"][..], &["gzip", "gzip"], &["br", "identity", "gzip"], &["compress"]]
        {
            check(lines, Err(ErrorKind::Coding));
        }
    }

    #[test]
    fn the_error_of_an_unknown_coding_names_it() {
        let value = http::HeaderValue::from_static("identity, x-own");
        let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value)]);
        let error = Coding::from_headers(&headers).unwrap_err();
        assert!(error.to_string().ends_with(": `x-own`"), "{error}");
    }
}
