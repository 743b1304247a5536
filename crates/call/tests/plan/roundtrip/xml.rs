//! Reads the little XML that bodies are made of, as a processor hands it on (XML 1.0 §2.11, §3.3.3): line ends become LF,
//! white space in attributes becomes spaces, and only then references are resolved.

/// An element.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Self>,
    /// The text, where there are no children.
    pub(super) text: String,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }
}

/// The root element of a document.
pub(super) fn read(text: &str) -> Option<Element> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let rest = text.strip_prefix("<?xml")?.split_once("?>")?.1.trim_start();
    let (root, rest) = element(rest)?;
    rest.is_empty().then_some(root)
}

fn element(text: &str) -> Option<(Element, &str)> {
    let (tag, mut rest) = text.strip_prefix('<')?.split_once('>')?;
    let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
    let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    element.attributes = self::attributes(attributes)?;
    if is_empty {
        return Some((element, rest));
    }
    let end = format!("</{name}>");
    loop {
        if let Some(after) = rest.strip_prefix(&end) {
            return Some((element, after));
        }
        if rest.starts_with('<') {
            let (child, after) = self::element(rest)?;
            element.children.push(child);
            rest = after;
        } else {
            let at = rest.find('<')?;
            let (raw, after) = rest.split_at_checked(at)?;
            element.text.push_str(&resolved(raw)?);
            rest = after;
        }
    }
}

fn attributes(mut text: &str) -> Option<Vec<(String, String)>> {
    let mut attributes = Vec::new();
    while !text.trim_start().is_empty() {
        let (name, rest) = text.trim_start().split_once("=\"")?;
        let (value, rest) = rest.split_once('"')?;
        attributes.push((name.to_owned(), resolved(&value.replace(['\n', '\t'], " "))?));
        text = rest;
    }
    Some(attributes)
}

fn resolved(raw: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let (reference, after) = after.split_once(';')?;
        text.push(match reference {
            "amp" => '&',
            "apos" => '\'',
            "gt" => '>',
            "lt" => '<',
            "quot" => '"',
            other => {
                let digits = other.strip_prefix('#')?;
                let code = match digits.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => digits.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}
