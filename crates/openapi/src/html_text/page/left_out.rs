//! What is left out of a page: what is no text, what surrounds the content, and what a browser hides. Such an element ends with its
//! own end, or with an element around it if the page does not close it.

use crate::html_text::{
    element::{Element, element_named},
    tag::Tag,
};

/// What becomes of the elements around the content of a page.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PageSurroundings {
    Kept,
    LeftOut,
}

/// The open elements that end whatever is open in them.
#[derive(Debug, Default)]
pub(super) struct Containers {
    n_open: [usize; CONTAINERS.len()],
    depth: usize,
}

impl Containers {
    pub(super) fn count_tag(&mut self, name: &str, is_end: bool) {
        let at = container_index(name);
        let Some(n_open) = at.and_then(|at| self.n_open.get_mut(at)) else { return };
        if !is_end {
            *n_open += 1;
            self.depth += 1;
        } else if *n_open > 0 {
            *n_open -= 1;
            self.depth -= 1;
        }
    }

    /// The number of open elements.
    pub(super) fn open_element_count(&self) -> usize {
        self.depth
    }

    pub(super) fn is_open(&self, name: &str) -> bool {
        let n_open = container_index(name).and_then(|at| self.n_open.get(at));
        n_open.is_some_and(|n_open| *n_open > 0)
    }

    /// True for an element that is no part of the page's text.
    pub(super) fn leaves_out(
        &self,
        tag: &Tag<'_>,
        name: &str,
        surroundings: PageSurroundings,
    ) -> bool {
        NO_TEXT.contains(&name)
            || is_hidden(tag)
            || match surroundings {
                PageSurroundings::Kept => NO_ANSWER.contains(&name),
                PageSurroundings::LeftOut => self.is_around_content(tag, name),
            }
    }

    /// True for navigation, footers, and the header of the page: that of a part of the content has its title (HTML, "the header
    /// element").
    fn is_around_content(&self, tag: &Tag<'_>, name: &str) -> bool {
        match name {
            "aside" | "footer" | "nav" => true,
            "header" => !CONTENT.iter().any(|content| self.is_open(content)),
            _ => has_word(tag, "role", &["navigation"]) || has_word(tag, "class", &["headerlink"]),
        }
    }
}

/// An open element that is left out.
#[derive(Debug)]
pub(super) struct LeftOut {
    name: String,
    /// The number of open elements: this one, and in it those of its name and the containers.
    n_open: usize,
    /// The positions of these, of each container and at the end of this element's name: the innermost is found at once, however
    /// many are open.
    positions: [Vec<usize>; CONTAINERS.len() + 1],
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
        let mut left_out = Self {
            name: name.to_owned(),
            n_open: 0,
            positions: [const { Vec::new() }; CONTAINERS.len() + 1],
        };
        left_out.open_element(name);
        left_out
    }

    pub(super) fn open_element_count(&self) -> usize {
        self.n_open
    }

    pub(super) fn step_over_tag(&mut self, tag: &Tag<'_>, name: &str, around: &Containers) -> Step {
        let innermost = self.positions_of(name).and_then(|positions| positions.last().copied());
        match innermost {
            Some(0) if tag.is_end => return Step::Last,
            Some(at) if tag.is_end => self.close_open_elements_from(at),
            None if tag.is_end && around.is_open(name) => return Step::Behind,
            _ if tag.is_end || tag.is_void_element() => {}
            _ if self.is_implicitly_ended_by(name) => return Step::Behind,
            _ => self.open_element(name),
        }
        Step::Inside
    }

    fn open_element(&mut self, name: &str) {
        let n_open = self.n_open;
        if let Some(positions) = self.positions_of(name) {
            positions.push(n_open);
            self.n_open += 1;
        }
    }

    /// Closes the element at a position, and what is open in it.
    fn close_open_elements_from(&mut self, at: usize) {
        self.n_open = at;
        for positions in &mut self.positions {
            positions.truncate(positions.partition_point(|position| *position < at));
        }
    }

    fn positions_of(&mut self, name: &str) -> Option<&mut Vec<usize>> {
        let own = (name == self.name).then_some(CONTAINERS.len());
        self.positions.get_mut(container_index(name).or(own)?)
    }

    /// True if an element begins before which this one ends without a tag (HTML, "optional tags").
    fn is_implicitly_ended_by(&self, name: &str) -> bool {
        let is_block = || matches!(element_named(name), Some(Element::Block | Element::List));
        self.n_open == 1
            && ((OPTIONAL_END.contains(&name) && self.name == name)
                || (self.name == "p" && is_block()))
    }
}

fn container_index(name: &str) -> Option<usize> {
    CONTAINERS.iter().position(|container| *container == name)
}

/// True for an element that a browser does not show.
fn is_hidden(tag: &Tag<'_>) -> bool {
    let style = tag.attribute("style").unwrap_or_default().to_ascii_lowercase();
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    tag.attribute("hidden").is_some()
        || has_word(tag, "aria-hidden", &["true"])
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

/// True if an attribute has a word of a list, in whatever case.
fn has_word(tag: &Tag<'_>, attribute: &str, words: &[&str]) -> bool {
    let value = tag.attribute(attribute).unwrap_or_default();
    value.split_whitespace().any(|own| words.iter().any(|word| own.eq_ignore_ascii_case(word)))
}

/// Elements that are no text.
const NO_TEXT: [&str; 7] =
    ["iframe", "noembed", "noframes", "script", "style", "template", "textarea"];
/// Elements that say nothing in the answer of a service.
const NO_ANSWER: [&str; 7] = ["button", "canvas", "math", "noscript", "object", "select", "svg"];
/// Elements whose end is always written, and which end all that is open in them.
const CONTAINERS: [&str; 18] = [
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
    "svg",
    "table",
    "ul",
];
/// Elements of the content, whose headers belong to it.
const CONTENT: [&str; 3] = ["article", "main", "section"];
/// Elements whose end may be missing before the next one.
const OPTIONAL_END: [&str; 8] = ["dd", "dt", "li", "option", "p", "td", "th", "tr"];
