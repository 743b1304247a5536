//! The address of a document, against which its references are resolved: its `$self` (OpenAPI 3.2.0 §4.1.1) if it has
//! one, else the place where it was read. A `$self` only gives names; it does not decide what may be read. A reference
//! from a file to a neighbour of its `$self` becomes a path that stays in the description's directory.

use std::sync::Arc;

use callgate_tree::{Node, Path};
use url::Url;

use crate::{
    address::{
        AddressRefusal, file_url, is_address, relative_document_name, resolved_document_name,
    },
    code::Code,
    document::version::supported_version,
    findings::Findings,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    /// The place where the document was read: a path relative to the directory of the description, or an address.
    pub(super) read_at: Arc<str>,
    pub(super) relative_to: Arc<str>,
    pub(super) own: Option<Arc<str>>,
    /// The reason why its `$self` is ignored: the expected value and the actual one.
    pub(super) fault: Option<(&'static str, Arc<str>)>,
}

impl Base {
    pub(super) fn from_root(root: &Node, read_at: &str) -> Self {
        let read_at: Arc<str> = read_at.into();
        let plain = Self { relative_to: Arc::clone(&read_at), read_at, ..Self::default() };
        let Some(said) = root.get("$self") else { return plain };
        match own_address(root, said, &plain.read_at) {
            Ok(None) => plain,
            Ok(Some(own)) => plain.with_own_address(own.into()),
            Err(expected) => {
                let got = said.as_shared_str().cloned().unwrap_or_else(|| said.kind().into());
                Self { fault: Some((expected, got)), ..plain }
            }
        }
    }

    /// The addresses of a tree that the description `main` refers to. A file beside a description with a `$self` gets
    /// the address that the `$self` gives its path, unless it declares another one.
    pub(super) fn of_referenced_document(root: &Node, read_at: &str, main: &Self) -> Self {
        let base = Self::from_root(root, read_at);
        if base.own.is_some() || base.fault.is_some() {
            return base;
        }
        match main.address_of_local_file(read_at) {
            Some(own) => base.with_own_address(own.into()),
            None => base,
        }
    }

    /// The local file for an address: if a file declares an address for itself, the neighbours of that address are the
    /// file's neighbours here.
    pub(super) fn local_file_of_address(&self, address: &str) -> Option<String> {
        if !self.is_local_with_address() {
            return None;
        }
        let (from, to) = (Url::parse(&self.relative_to).ok()?, Url::parse(address).ok()?);
        if !to.username().is_empty() || to.password().is_some() {
            return None;
        }
        relative_document_name(&self.read_at, &from.make_relative(&to)?).ok()
    }

    /// The address of a file in the description's directory, the reverse of [`Self::local_file_of_address`].
    fn address_of_local_file(&self, file: &str) -> Option<String> {
        if !self.is_local_with_address() || is_address(file) || self.read_at.contains('/') {
            return None;
        }
        let mut url = Url::parse(&self.relative_to).ok()?;
        url.set_query(None);
        url.path_segments_mut().ok()?.pop().extend(file.split('/'));
        Some(url.into())
    }

    fn is_local_with_address(&self) -> bool {
        !is_address(&self.read_at) && is_address(&self.relative_to)
    }

    /// Reports why the `$self` of the document `name` is ignored; `None` means the description itself.
    pub(super) fn report_ignored_self(&self, name: Option<&str>, findings: &mut Findings) {
        let Some((expected, got)) = &self.fault else { return };
        let place = name.map(|name| format!("{name}#")).unwrap_or_default();
        let message = format!("expected {expected}, got: `{got}`");
        let help = "correct it; here it is ignored, and references are relative to where the document was read";
        findings.warning(Code::InvalidSelf, Path::at(&place).name("$self"), message, help);
    }

    fn with_own_address(self, own: Arc<str>) -> Self {
        // By RFC 3986 §5.2 no reference is relative to `urn:x:y`; the files beside the document are still available.
        let is_base =
            !is_address(&own) || Url::parse(&own).is_ok_and(|url| !url.cannot_be_a_base());
        let relative_to = if is_base { Arc::clone(&own) } else { Arc::clone(&self.relative_to) };
        Self { relative_to, own: Some(own), ..self }
    }
}

/// The address in a document's `$self`, unless the document was read there; the error is the expected value.
fn own_address(root: &Node, said: &Node, read_at: &str) -> Result<Option<String>, &'static str> {
    if !supported_version(root).is_ok_and(|version| version.is_at_least(3, 2)) {
        let is_openapi = root.get("openapi").or_else(|| root.get("swagger")).is_some();
        return if is_openapi { Err("`$self` in OpenAPI 3.2 or later only") } else { Ok(None) };
    }
    let text = said.as_str().filter(|text| text.len() <= LONGEST).ok_or(AN_ADDRESS)?;
    if text.contains('#') {
        return Err("a `$self` without a fragment");
    }
    if text.is_empty() {
        return Ok(None);
    }
    let own = match resolved_document_name(read_at, text) {
        // The directory of the description on the machine does not matter, only the files beside it.
        Err(AddressRefusal::AbsolutePath) => file_url(text).ok_or(AN_ADDRESS)?,
        Err(AddressRefusal::Outside) => {
            return Err("a `$self` that does not lead out of the description's own directory");
        }
        own => own.map_err(|_| AN_ADDRESS)?,
    };
    Ok(Some(own).filter(|own| own != read_at))
}

const AN_ADDRESS: &str = "a `$self` that is an address";

/// The length limit of an address.
const LONGEST: usize = 2_000;

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::node;

    #[track_caller]
    fn check(read_at: &str, said: &Value, expected: Result<(Option<&str>, &str), &str>) {
        let base = Base::from_root(&node(&json!({"openapi": "3.2.0", "$self": said})), read_at);
        let got = match &base.fault {
            Some((expected, _)) => Err(*expected),
            None => Ok((base.own.as_deref(), &*base.relative_to)),
        };
        assert_eq!(got, expected, "{said}");
    }

    #[test]
    fn a_document_has_the_address_of_its_self_member() {
        let file = "openapi.yaml";
        let address = "https://api.example/x.yaml";
        check(file, &json!(address), Ok((Some(address), address)));
        check(file, &json!("HTTPS://API.example:443/x.yaml"), Ok((Some(address), address)));
        check(file, &json!("openapi.yaml"), Ok((None, file)));
        check(file, &json!(""), Ok((None, file)));
        check(file, &json!("v1/a.yaml"), Ok((Some("v1/a.yaml"), "v1/a.yaml")));
        check(file, &json!("/api/a"), Ok((Some("file:///api/a"), "file:///api/a")));
        check(file, &json!("urn:x:y"), Ok((Some("urn:x:y"), file)));
        let fetched = "https://staging.example/api/openapi";
        check(
            fetched,
            &json!("/a"),
            Ok((Some("https://staging.example/a"), "https://staging.example/a")),
        );
        check(fetched, &json!("openapi"), Ok((None, fetched)));
    }

    #[test]
    fn a_malformed_self_address_is_ignored_and_reported() {
        let no_fragment = Err("a `$self` without a fragment");
        check("a.yaml", &json!("https://api.example/x.yaml#/a"), no_fragment);
        check("a.yaml", &json!("#"), no_fragment);
        for said in [json!(7), json!(null), json!("https://["), json!("a".repeat(2_001))] {
            check("a.yaml", &said, Err(AN_ADDRESS));
        }
        let outside = Err("a `$self` that does not lead out of the description's own directory");
        check("a.yaml", &json!("../b.yaml"), outside);
        check("a.yaml", &json!("%2e%2e/b.yaml"), outside);
    }

    #[test]
    fn the_self_address_is_read_only_in_openapi_3_2() {
        let root = |members| node(&members);
        let address = "https://api.example/x";
        for version in [json!({"openapi": "3.1.0"}), json!({"swagger": "2.0"})] {
            let mut members = version;
            members["$self"] = address.into();
            let base = Base::from_root(&root(members), "a.yaml");
            assert!(base.fault.is_some() && base.own.is_none());
        }
        let base = Base::from_root(&root(json!({"$self": address})), "a.yaml");
        assert!(base.fault.is_none() && base.own.is_none());
    }

    #[track_caller]
    fn check_file(read_at: &str, own: &str, address: &str, expected: Option<&str>) {
        let base = Base::from_root(&node(&json!({"openapi": "3.2.0", "$self": own})), read_at);
        assert_eq!(base.local_file_of_address(address).as_deref(), expected, "{address}");
    }

    #[test]
    fn addresses_beside_the_self_address_are_files_beside_the_document() {
        let own = "https://api.example/v1/openapi";
        check_file("a.yaml", own, "https://api.example/v1/b/c%20d.yaml", Some("b/c d.yaml"));
        check_file("x/a.yaml", own, "https://api.example/b.yaml", Some("b.yaml"));
        let texts = "https://api.example/b.yaml https://api.example/v1/
            https://api.example/v1/..%2fb https://api.example/v1/b%5Cc
            https://api.example/v1/b?c https://user@api.example/v1/b
            https://api.example:8443/v1/b http://api.example/v1/b https://b.example/v1/b urn:x:y";
        for address in texts.split_whitespace() {
            check_file("a.yaml", own, address, None);
        }
        check_file("a.yaml", "/api/a", "file:///api/b", Some("b"));
        check_file("a.yaml", "/api/a", "file:///etc/passwd", None);
        check_file("https://b.example/a", own, "https://api.example/v1/b", None);
        check_file("a.yaml", "b/c.yaml", "b/d.yaml", None);
    }

    #[test]
    fn a_file_beside_the_document_has_an_address_beside_its_self_address() {
        let node = |members| node(&members);
        let main = node(json!({"openapi": "3.2.0", "$self": "https://api.example/v1/openapi?a"}));
        let main = Base::from_root(&main, "openapi.yaml");
        let further = |root, read_at| Base::of_referenced_document(&root, read_at, &main).own;
        let own = further(node(json!({})), "b/c d.yaml");
        assert_eq!(own.as_deref(), Some("https://api.example/v1/b/c%20d.yaml"));
        assert_eq!(further(node(json!({})), "https://b.example/c"), None);
        let says = node(json!({"openapi": "3.2.0", "$self": "https://b.example/c"}));
        assert_eq!(further(says, "c.yaml").as_deref(), Some("https://b.example/c"));
    }
}
