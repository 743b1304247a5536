//! Judges the type of a file by its first bytes. A name decides only among texts, so that no file poses as an image.

/// The media type of a file.
pub(super) fn media_type(name: &str, bytes: &[u8]) -> &'static str {
    let by_bytes = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
    if let Some((_, media_type)) = by_bytes {
        return media_type;
    }
    if std::str::from_utf8(bytes).is_err() || bytes.contains(&0) {
        return "application/octet-stream";
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let by_name = TEXTS.iter().find(|(each, _)| extension.eq_ignore_ascii_case(each));
    by_name.map_or("text/plain", |(_, media_type)| media_type)
}

const MAGIC: [(&[u8], &str); 6] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
];

const TEXTS: [(&str, &str); 6] = [
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("svg", "image/svg+xml"),
    ("tsv", "text/tab-separated-values"),
];

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn bytes_decide_and_names_decide_only_among_texts() {
        let rows: [(&str, &[u8], &str); 7] = [
            ("plot", b"\x89PNG\r\n\x1a\n....", "image/png"),
            ("plot.png", b"<script>", "text/plain"),
            ("plot.png", b"\xff\xfe\x00", "application/octet-stream"),
            ("table.CSV", b"a,b\n1,2\n", "text/csv"),
            ("table.csv", b"\x00\x01", "application/octet-stream"),
            ("table.xlsx", b"PK\x03\x04...", "application/zip"),
            ("notes", b"", "text/plain"),
        ];
        for (name, bytes, expected) in rows {
            assert_eq!(media_type(name, bytes), expected, "{name}");
        }
    }
}
