//! Libraries do not speak of the flags of a command line: a remedy is data, and the command alone words it by its flags. Texts of
//! the sources are read with `syn`; documentation and tests are exempt.

use crate::prelude::*;
use syn::{LitStr, Token, punctuated::Punctuated};

use super::{
    test_code::{code_of, is_file_of_tests},
    workspace::{File, rust_files},
};

/// The texts of a file that name a flag or a command of ours.
#[derive(Default)]
struct Texts(Vec<String>);

impl Texts {
    fn of(file: &File) -> Vec<String> {
        let mut texts = Self::default();
        texts.visit_file(&code_of(file));
        texts.0.into_iter().map(|text| format!("{}: {text}", file.path)).collect()
    }

    fn take(&mut self, argument: &Expr) {
        let mut texts = Self::default();
        texts.visit_expr(argument);
        self.0.append(&mut texts.0);
    }

    fn look(&mut self, text: String) {
        if speaks_of_flags(&text) {
            self.0.push(text);
        }
    }
}

/// True if a text names a flag: `--server`, `` `-H ``.
fn speaks_of_flags(text: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '(' | '\'' | ',');
    let is_long = |word: &str| {
        word.strip_prefix("--")
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let is_short = |quoted: &str| {
        let mut name = quoted.strip_prefix('-').unwrap_or_default().chars();
        name.next().is_some_and(|c| c.is_ascii_alphabetic())
            && matches!(name.next(), None | Some(' '))
    };
    text.split(is_end).any(is_long) || text.split('`').any(is_short)
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.look(text.value());
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        // The arguments of `format!` and its like; macros of another form hold tables of names.
        let arguments = called.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        for argument in arguments.into_iter().flatten() {
            self.take(&argument);
        }
    }
}

#[test]
fn a_flag_in_a_text_is_found() {
    let text = r#"
        /// `--a` of the command.
        const A: &str = "name one with `--server URL`";
        fn a() { format!("{a} `-H 'A: b'`"); b("---\na", "-----begin ", "a--b", "`-`"); }
        #[cfg(test)]
        mod tests { const B: &str = "--b"; }
    "#;
    assert_eq!(Texts::of(&File::new("crates/a/src/b.rs", text)).len(), 2);
}

#[test]
fn no_library_speaks_of_flags() {
    let mut files = rust_files("crates");
    files.retain(|file| {
        let mut parts = file.path.split('/').skip(1);
        let (name, folder) = (parts.next(), parts.next());
        // A request is also shown, and read, as a line of `curl`, whose flags those are; a page shows a call as lines of commands.
        let of_curl = [
            "crates/call/src/show.rs",
            "crates/console/src/commands.rs",
            "crates/draft/src/source/curl.rs",
            "crates/draft/src/redact/scan.rs",
        ];
        let is_curl = of_curl.contains(&file.path.as_str());
        // Bubblewrap is started with its own flags.
        let is_started = file.path == "crates/code/src/python/linux/sandbox.rs";
        let is_other = name == Some("cli") || is_curl || is_started;
        !is_other && folder == Some("src") && !is_file_of_tests(&file.path)
    });
    let found: Vec<_> = files.iter().flat_map(Texts::of).collect();
    assert_eq!(found, [""; 0]);
}
