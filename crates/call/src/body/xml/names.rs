//! Names in XML (XML 1.0 §2.3, Namespaces in XML 1.0): which texts are names, and the namespaces of the open elements. It
//! writes declarations; elements and attributes are written beside it.

use std::sync::Arc;

use callgate_openapi::XmlName;

use super::XmlRefusal;

/// The namespaces that the open elements declare, the innermost last; the default namespace has no prefix.
#[derive(Debug, Default)]
pub(super) struct NamespaceScope {
    declared: Vec<(Option<Arc<str>>, Arc<str>)>,
    /// The number of declarations outside of the newest tag.
    n_outside: usize,
}

/// A name without its prefix, and its namespace. Two names are equal for a reader if these are.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct ExpandedName {
    local: Arc<str>,
    namespace: Option<Arc<str>>,
}

#[derive(Debug)]
pub(super) struct QualifiedName {
    pub(super) text: String,
    /// The declaration that the tag needs: ` xmlns:p="urn:p"`.
    pub(super) declaration: String,
    pub(super) expanded: ExpandedName,
}

type NameParts = (Option<Arc<str>>, Arc<str>, Option<Arc<str>>);

impl NamespaceScope {
    /// The number of declarations, to return to with [`NamespaceScope::leave_element`].
    pub(super) fn enter_element(&mut self) -> usize {
        self.n_outside = self.declared.len();
        self.n_outside
    }

    pub(super) fn leave_element(&mut self, n_before: usize) {
        self.declared.truncate(n_before);
        self.n_outside = n_before;
    }

    /// The name of the element whose tag was entered. It declares its namespace anew, whatever is around it.
    pub(super) fn declare_element_name(
        &mut self,
        name: &XmlName,
    ) -> Result<QualifiedName, XmlRefusal> {
        let (prefix, local, namespace) = self.name_parts(name)?;
        let Some(prefix) = prefix else {
            let declaration = match &name.namespace {
                Some(namespace) => self.xmlns_declaration_text(None, namespace)?,
                None => String::new(),
            };
            let namespace = self.namespace_for(None).filter(|namespace| !namespace.is_empty());
            let expanded = ExpandedName { local: Arc::clone(&local), namespace };
            return Ok(QualifiedName { text: local.to_string(), declaration, expanded });
        };
        let Some(namespace) = namespace else {
            let expanded =
                ExpandedName { local: Arc::clone(&local), namespace: self.namespace_for(None) };
            return Ok(QualifiedName {
                text: local.to_string(),
                declaration: String::new(),
                expanded,
            });
        };
        let is_own = name.namespace.is_some();
        let is_in_scope = self.namespace_for(Some(&prefix)).as_ref() == Some(&namespace);
        let declaration = if is_in_scope && !is_own {
            String::new()
        } else {
            self.xmlns_declaration_text(Some(&prefix), &namespace)?
        };
        let expanded = ExpandedName { local: Arc::clone(&local), namespace: Some(namespace) };
        Ok(QualifiedName { text: format!("{prefix}:{local}"), declaration, expanded })
    }

    /// The name of an attribute in the newest tag. Without a prefix it has no namespace (Namespaces in XML §6.2), so that
    /// one with a namespace gets a prefix.
    pub(super) fn declare_attribute_name(
        &mut self,
        name: &XmlName,
    ) -> Result<QualifiedName, XmlRefusal> {
        let (prefix, local, namespace) = self.name_parts(name)?;
        let Some(namespace) = namespace.filter(|namespace| !namespace.is_empty()) else {
            if &*local == XMLNS {
                return Err(XmlRefusal::Name(local.to_string()));
            }
            let expanded = ExpandedName { local: Arc::clone(&local), namespace: None };
            return Ok(QualifiedName {
                text: local.to_string(),
                declaration: String::new(),
                expanded,
            });
        };
        // A prefix that stands for another namespace outside may be that of the element itself.
        let outside = self.declared.get(..self.n_outside).unwrap_or_default();
        let is_free = |prefix: &Arc<str>| {
            let is_own =
                |prefix_entry: &&(Option<Arc<str>>, _)| prefix_entry.0.as_ref() == Some(prefix);
            outside.iter().rev().find(is_own).is_none_or(|(_, declared)| *declared == namespace)
        };
        let prefix = prefix.filter(is_free).unwrap_or_else(|| self.prefix_for(&namespace));
        let is_in_scope = self.namespace_for(Some(&prefix)).as_ref() == Some(&namespace);
        let declaration = if is_in_scope {
            String::new()
        } else {
            self.xmlns_declaration_text(Some(&prefix), &namespace)?
        };
        let expanded = ExpandedName { local: Arc::clone(&local), namespace: Some(namespace) };
        Ok(QualifiedName { text: format!("{prefix}:{local}"), declaration, expanded })
    }

    /// The prefix, the local name and the namespace of a name. A name with a colon has its prefix in it. A prefix without a
    /// namespace is left out, except in such a name.
    fn name_parts(&self, name: &XmlName) -> Result<NameParts, XmlRefusal> {
        let illegal = || XmlRefusal::Name(name.name.to_string());
        let inner = name.name.split_once(':').filter(|_| name.prefix.is_none());
        let (prefix, local): (Option<Arc<str>>, Arc<str>) = match inner {
            Some((prefix, local)) => (Some(prefix.into()), local.into()),
            None => (name.prefix.clone(), Arc::clone(&name.name)),
        };
        if !is_name_without_colon(&local) || !prefix.as_deref().is_none_or(is_name_without_colon) {
            return Err(illegal());
        }
        let own = name.namespace.clone();
        let Some(prefix) = prefix else { return Ok((None, local, own)) };
        let bound_namespace =
            own.filter(|own| !own.is_empty()).or_else(|| self.namespace_for(Some(&prefix)));
        match bound_namespace.or_else(|| well_known_namespace(&prefix)) {
            Some(namespace) => Ok((Some(prefix), local, Some(namespace))),
            None if inner.is_some() => Err(XmlRefusal::Prefix(prefix.to_string())),
            None => Ok((None, local, None)),
        }
    }

    fn namespace_for(&self, prefix: Option<&str>) -> Option<Arc<str>> {
        let mut declared = self.declared.iter().rev();
        let declaration = declared.find(|(entry, _)| entry.as_deref() == prefix);
        declaration.map(|(_, namespace)| Arc::clone(namespace))
    }

    /// A prefix that stands for a namespace, or that is free.
    fn prefix_for(&self, namespace: &str) -> Arc<str> {
        let declared = self.declared.iter().rev().filter_map(|(prefix, declared_namespace)| {
            prefix.clone().filter(|prefix| {
                **declared_namespace == *namespace
                    && self.namespace_for(Some(prefix)).as_deref() == Some(namespace)
            })
        });
        let free = || {
            (1..=self.declared.len() + 1)
                .map(|n| Arc::from(format!("ns{n}")))
                .find(|prefix: &Arc<str>| self.namespace_for(Some(prefix)).is_none())
        };
        declared.into_iter().next().or_else(free).unwrap_or_else(|| "ns".into())
    }

    fn xmlns_declaration_text(
        &mut self,
        prefix: Option<&str>,
        namespace: &Arc<str>,
    ) -> Result<String, XmlRefusal> {
        if prefix == Some("xml") && &**namespace == XML {
            return Ok(String::new());
        }
        let is_reserved = prefix.is_some_and(|prefix| prefix == "xml" || prefix == XMLNS)
            || [XML, XMLNS_NAMESPACE].contains(&&**namespace);
        if is_reserved || !namespace.chars().all(is_legal_xml_character) {
            return Err(XmlRefusal::Prefix(prefix.unwrap_or(namespace).to_owned()));
        }
        let here = self.declared.get(self.n_outside..).unwrap_or_default();
        match here.iter().find(|(entry, _)| entry.as_deref() == prefix) {
            Some((_, declared_namespace)) if declared_namespace == namespace => {
                return Ok(String::new());
            }
            Some(_) => return Err(XmlRefusal::Prefix(prefix.unwrap_or_default().to_owned())),
            None => self.declared.push((prefix.map(Arc::from), Arc::clone(namespace))),
        }
        let mut out =
            prefix.map_or_else(|| " xmlns=\"".to_owned(), |prefix| format!(" xmlns:{prefix}=\""));
        push_escaped_xml_text(&mut out, namespace);
        out.push('"');
        Ok(out)
    }
}

/// The namespaces of prefixes that descriptions use without a declaration.
fn well_known_namespace(prefix: &str) -> Option<Arc<str>> {
    match prefix {
        "xml" => Some(XML.into()),
        "xsi" => Some(XSI.into()),
        _ => None,
    }
}

/// Returns true if a text is a name without a colon (XML 1.0 §2.3, XML Names §4).
fn is_name_without_colon(text: &str) -> bool {
    let starts = |c: char| {
        matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
            | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}'
            | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
            | '\u{10000}'..='\u{effff}')
    };
    let goes_on = |c: char| {
        starts(c)
            || matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
    };
    text.starts_with(starts) && text.chars().all(goes_on)
}

/// Returns true if XML 1.0 has the character (§2.2).
pub(super) fn is_legal_xml_character(character: char) -> bool {
    let is_space = matches!(character, '\t' | '\n' | '\r');
    (is_space || character >= ' ') && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// Writes text so that a reader gets it back unchanged, between tags and between quotes.
pub(super) fn push_escaped_xml_text(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 §2.11 and §3.3.3 would change them.
            '\r' => out.push_str("&#13;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            other => out.push(other),
        }
    }
}

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "xmlns";
const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";
pub(super) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
