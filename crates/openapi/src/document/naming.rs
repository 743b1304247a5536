//! Finds the document that a name denotes, or the document that must be requested. A document is known by the place
//! where it was read and by the address it declares for itself. That declaration needs no check here, since no name
//! makes a document readable.

use std::sync::Arc;

use crate::{
    address::check_requestable,
    document::{Document, base::Base, documents::FurtherDocument},
    findings::Findings,
};

/// One of a description's documents; `None` is the description itself.
type DocumentName<'d> = Option<&'d str>;

impl Document {
    pub(crate) fn report_each_ignored_self(&self, findings: &mut Findings) {
        self.parts.base.report_ignored_self(None, findings);
        for (name, further) in &self.parts.documents {
            if let FurtherDocument::Read(tree) = further {
                tree.base.report_ignored_self(Some(name), findings);
            }
        }
    }

    /// The document that a name denotes in a document with these addresses. The order is: the document that declares
    /// this name, the file that represents it there, the document that was read under it.
    pub(super) fn document_for_name(&self, here: &Base, name: &str) -> Option<DocumentName<'_>> {
        let beside = || self.document_read_under_name(&here.local_file_of_address(name)?);
        self.document_declaring_name(name)
            .or_else(beside)
            .or_else(|| self.document_read_under_name(name))
    }

    /// The document to request when a reference needs an address, or the file that represents it: first the file, then
    /// the address if the file is refused.
    pub(super) fn document_to_request<'a>(
        &self,
        address: &'a Arc<str>,
        file: Option<&'a Arc<str>>,
    ) -> Option<&'a Arc<str>> {
        let documents = &self.parts.documents;
        let is_schema = || {
            self.indexes_with_schema_ids().any(|(_, index)| index.pointers.contains_key(address))
        };
        if self.document_declaring_name(address).is_some() || is_schema() {
            return None;
        }
        let is_refused =
            |file: &Arc<str>| matches!(documents.get(file), Some(FurtherDocument::Refused(_)));
        if let Some(file) = file.filter(|file| !is_refused(file)) {
            let is_here =
                documents.contains_key(file) || self.document_declaring_name(file).is_some();
            return Some(file).filter(|_| !is_here);
        }
        let is_new = !documents.contains_key(address);
        Some(address).filter(|address| is_new && check_requestable(address).is_ok())
    }

    /// The document that declares this name, or the description itself. A document that was read under the name comes
    /// before others that declare it.
    fn document_declaring_name(&self, name: &str) -> Option<DocumentName<'_>> {
        let Base { read_at, own, .. } = &self.parts.base;
        if (!read_at.is_empty() && **read_at == *name) || own.as_deref() == Some(name) {
            return Some(None);
        }
        let own = self.parts.by_own.get(name).map(|document| Some(&**document));
        own.filter(|_| !matches!(self.parts.documents.get(name), Some(FurtherDocument::Read(_))))
    }

    fn document_read_under_name(&self, name: &str) -> Option<DocumentName<'_>> {
        let read = || match self.parts.documents.get_key_value(name)? {
            (name, FurtherDocument::Read(_)) => Some(Some(&**name)),
            (_, FurtherDocument::Refused(_)) => None,
        };
        self.document_declaring_name(name).or_else(read)
    }
}
