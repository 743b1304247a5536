//! Writes the text of a page: white space is one space, blocks are apart, and nothing ends with spaces.

#[derive(Debug, Default)]
pub(super) struct Writer {
    out: String,
    /// The break that is due before the next text.
    due: Break,
    is_preformatted: bool,
    prefix: &'static str,
}

#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
enum Break {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

impl Writer {
    pub(super) fn paragraph(&mut self) {
        self.due = Break::Paragraph;
        self.prefix = "";
    }

    pub(super) fn line(&mut self) {
        self.due = self.due.max(Break::Line);
    }

    pub(super) fn heading(&mut self, level: usize) {
        self.paragraph();
        self.prefix = HEADINGS.get(level.saturating_sub(1)).copied().unwrap_or("###### ");
    }

    pub(super) fn item(&mut self) {
        self.line();
        self.prefix = "- ";
    }

    /// A cell of a table: a bar parts it from the one before.
    pub(super) fn cell(&mut self) {
        if self.due < Break::Line && !self.out.is_empty() {
            self.due = Break::None;
            self.out.push_str(" | ");
        }
    }

    pub(super) fn set_preformatted(&mut self, begins: bool) {
        self.paragraph();
        self.is_preformatted = begins;
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.is_preformatted {
            let text =
                if self.due == Break::Paragraph { text.trim_start_matches('\n') } else { text };
            if !text.is_empty() {
                self.break_now();
                self.out.push_str(text);
            }
            return;
        }
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            if at > 0 {
                self.due = self.due.max(Break::Space);
            }
            if !word.is_empty() {
                self.break_now();
                self.out.push_str(word);
            }
        }
    }

    fn break_now(&mut self) {
        let due = std::mem::take(&mut self.due);
        if !self.out.is_empty() {
            self.out.push_str(match due {
                Break::None => "",
                Break::Space if self.out.ends_with(' ') => "",
                Break::Space => " ",
                Break::Line => "\n",
                Break::Paragraph => "\n\n",
            });
        }
        self.out.push_str(std::mem::take(&mut self.prefix));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    pub(super) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}

const HEADINGS: [&str; 6] = ["# ", "## ", "### ", "#### ", "##### ", "###### "];
