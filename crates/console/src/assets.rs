//! The files that every page loads: one style sheet and one script, as they are in this program.

use std::hash::{DefaultHasher, Hash, Hasher};

use callgate_gateway::{PageRequest, PageResponse};

/// The file that a path names.
pub(crate) fn find(request: &PageRequest) -> Option<PageResponse> {
    let (_, media_type, bytes) =
        FILES.iter().find(|(name, ..)| *name == request.path_below_console())?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let tag = format!("{:016x}", hasher.finish());
    Some(PageResponse::asset_unless_cached(request, media_type, &tag, bytes))
}

const FILES: [(&str, &str, &[u8]); 3] = [
    ("console.css", "text/css; charset=utf-8", include_bytes!("../assets/console.css")),
    ("console.js", "text/javascript; charset=utf-8", include_bytes!("../assets/console.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
];

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn the_script_is_small_and_makes_no_markup() {
        let (.., bytes) = FILES.iter().find(|(name, ..)| *name == "console.js").unwrap();
        assert!(bytes.len() <= 15_000, "{}", bytes.len());
        let text = str::from_utf8(bytes).unwrap();
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "import(",
        ] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
