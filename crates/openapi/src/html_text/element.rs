//! The elements of HTML (HTML Living Standard §4, and obsolete ones of §16): what each becomes in plain text, and what proves
//! that its name in angle brackets is a tag.

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Element {
    Anchor,
    /// A paragraph of its own.
    Block,
    Break,
    Cell,
    Code,
    Definition,
    /// A part of the page that no person sees.
    Hidden,
    Image,
    Item,
    /// A line of its own.
    Line,
    List,
    /// Text like that around it.
    Plain,
    Preformatted,
    Quote,
    Row,
    Struck,
    Sub,
    Sup,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Proof {
    /// Its name alone.
    Name,
    /// An attribute, or the other tag of its pair.
    Pair,
    /// The same, in a text that has no elements of another language: names of parts of a document are also those of data.
    PairOfPage,
}

#[derive(Debug)]
pub(super) struct KnownElement {
    pub(super) name: &'static str,
    pub(super) element: Element,
    pub(super) proof: Proof,
}

pub(super) fn element_index(name: &str) -> Option<usize> {
    let is_small = name.bytes().all(|byte| !byte.is_ascii_uppercase());
    let is_large = name.bytes().all(|byte| !byte.is_ascii_lowercase());
    if name.len() > LONGEST || !(is_small || is_large) {
        return None;
    }
    ELEMENTS.iter().position(|element| element.name.eq_ignore_ascii_case(name))
}

pub(super) fn element_named(name: &str) -> Option<Element> {
    element_index(name).map(|index| known_element(index).element)
}

pub(super) fn known_element(index: usize) -> &'static KnownElement {
    ELEMENTS.get(index).unwrap_or(&PLAIN)
}

/// The longest name: `blockquote`.
const LONGEST: usize = 10;

const PLAIN: KnownElement =
    KnownElement { name: "", element: Element::Plain, proof: Proof::PairOfPage };

macro_rules! elements {
    ($($proof:ident $element:ident: $($name:literal)+;)+) => {
        pub(super) static ELEMENTS: &[KnownElement] = &[$($(
            KnownElement { name: $name, element: Element::$element, proof: Proof::$proof },
        )+)+];
    };
}

elements! {
    Name Break: "br";
    Name Block: "p" "hr";
    Name Cell: "td" "th";
    Name Definition: "dd";
    Name Item: "li";
    Name Line: "dt" "tbody" "tfoot" "thead";
    Name Plain: "nobr" "wbr";
    Name Row: "tr";
    Pair Anchor: "a";
    Pair Block: "blockquote" "center" "div" "dl" "h1" "h2" "h3" "h4" "h5" "h6" "table";
    Pair Code: "code" "kbd" "samp" "tt";
    Pair Hidden: "script" "style";
    Pair Image: "img";
    Pair List: "ol" "ul";
    Pair Plain: "abbr" "acronym" "b" "bdi" "bdo" "big" "cite" "dfn" "em" "font" "i" "ins" "mark" "small" "span" "strong" "u" "var";
    Pair Preformatted: "pre";
    Pair Quote: "q";
    Pair Struck: "del" "s" "strike";
    Pair Sub: "sub";
    Pair Sup: "sup";
    PairOfPage Block: "address" "article" "aside" "body" "details" "fieldset" "figure" "footer" "form" "header" "html" "main" "nav" "section";
    PairOfPage Line: "caption" "figcaption" "label" "legend" "menu" "option" "summary" "title";
    PairOfPage Plain: "area" "audio" "base" "button" "canvas" "col" "colgroup" "data" "datalist" "dialog" "embed" "head" "iframe" "input" "link" "map" "meta" "meter" "noscript" "object" "output" "param" "picture" "progress" "select" "source" "svg" "template" "textarea" "time" "track" "video";
}
