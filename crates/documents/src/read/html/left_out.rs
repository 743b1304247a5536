//! What is left out of a page: what is no text, what surrounds the content, and what a browser hides. Such an element ends with its
//! own end, or with an element around it if the page does not close it.

use super::{BLOCKS, tag::Tag};

/// What becomes of the elements around the content of a page.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum PageSurroundings {
    Kept,
    #[default]
    LeftOut,
}

/// The open elements that end whatever is open in them.
#[derive(Debug, Default)]
pub(super) struct Containers {
    n_open: [usize; CONTAINERS.len()],
}

impl Containers {
    pub(super) fn pass(&mut self, name: &str, is_end: bool) {
        let at = CONTAINERS.iter().position(|container| *container == name);
        if let Some(n_open) = at.and_then(|at| self.n_open.get_mut(at)) {
            *n_open = if is_end { n_open.saturating_sub(1) } else { *n_open + 1 };
        }
    }

    fn is_open(&self, name: &str) -> bool {
        let mut counts = CONTAINERS.iter().zip(self.n_open);
        counts.any(|(container, n_open)| *container == name && n_open > 0)
    }

    /// True for an element that is no part of the page's text.
    pub(super) fn leaves_out(
        &self,
        tag: &Tag<'_>,
        name: &str,
        surroundings: PageSurroundings,
    ) -> bool {
        NO_TEXT.contains(&name)
            || tag.is_hidden()
            || surroundings == PageSurroundings::LeftOut && self.surrounds(tag, name)
    }

    /// True for navigation, forms, and the header and the footer of the page: those of a part of the content belong to it (HTML, "the
    /// header element").
    fn surrounds(&self, tag: &Tag<'_>, name: &str) -> bool {
        match name {
            "aside" | "form" | "nav" | "search" => true,
            "footer" | "header" => !CONTENT.iter().any(|content| self.is_open(content)),
            _ => {
                tag.attribute_has_word("role", &ROLES)
                    || tag.attribute_has_word("class", &["headerlink"])
            }
        }
    }
}

/// An open element that is left out.
#[derive(Debug)]
pub(super) struct LeftOut {
    /// The element, and the containers in it that are open.
    open: Vec<String>,
}

/// Where a tag stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Step {
    /// Behind the element, which was not closed.
    Behind,
    Inside,
    /// At the end of the element.
    Last,
}

impl LeftOut {
    pub(super) fn new(name: &str) -> Self {
        Self { open: vec![name.to_owned()] }
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn step(&mut self, tag: &Tag<'_>, name: &str, around: &Containers) -> Step {
        let innermost = self.open.iter().rposition(|open| open == name);
        match innermost {
            Some(0) if tag.is_end => return Step::Last,
            Some(at) if tag.is_end => self.open.truncate(at),
            None if tag.is_end && around.is_open(name) => return Step::Behind,
            _ if tag.is_end || tag.is_empty() => {}
            _ if self.is_ended_by(name) => return Step::Behind,
            at if at.is_some() || CONTAINERS.contains(&name) => self.open.push(name.to_owned()),
            _ => {}
        }
        Step::Inside
    }

    /// True if an element begins before which this one ends without a tag (HTML, "optional tags").
    fn is_ended_by(&self, name: &str) -> bool {
        let [own] = &*self.open else { return false };
        (OPTIONAL_END.contains(&own.as_str()) && own == name)
            || (own == "p" && BLOCKS.contains(&name))
    }
}

/// Elements that are no text.
const NO_TEXT: [&str; 14] = [
    "script", "style", "template", "noscript", "svg", "math", "iframe", "noembed", "noframes",
    "object", "select", "textarea", "button", "canvas",
];
/// Elements whose end is always written, and which end all that is open in them.
const CONTAINERS: [&str; 17] = [
    "article",
    "aside",
    "blockquote",
    "body",
    "dl",
    "div",
    "fieldset",
    "footer",
    "form",
    "header",
    "html",
    "main",
    "nav",
    "ol",
    "section",
    "table",
    "ul",
];
/// Elements of the content, whose headers and footers belong to it.
const CONTENT: [&str; 3] = ["article", "main", "section"];
/// Elements whose end may be missing before the next one.
const OPTIONAL_END: [&str; 8] = ["dd", "dt", "li", "option", "p", "td", "th", "tr"];
/// The roles of the elements around the content (WAI-ARIA 1.2 §5.3.4).
const ROLES: [&str; 5] = ["banner", "complementary", "contentinfo", "navigation", "search"];
