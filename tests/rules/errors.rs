//! The errors of the crates have one shape. Each is opaque, with a `kind`; its text is its message, and what caused it stands
//! beside. Those of traits that programs implement are made by programs, too, all in the same words. Read with `syn`.

use syn::{Attribute, File as Syntax, ImplItem, ImplItemFn, Item, ItemImpl, Type, Visibility};

use super::workspace::{File, rust_files};

/// The crates whose errors a program makes, because it implements a trait that answers with them.
const MADE_BY_PROGRAMS: [&str; 4] = ["auth", "secret", "session", "transport"];

/// The crate whose error is many findings at once: each has a code, which is its kind, and a place.
const OF_FINDINGS: &str = "config";

/// The methods of every error that has a kind.
const OF_ALL: &[&str] = &["pub fn kind(&self) -> ErrorKind"];

/// The methods of an error that programs make.
const OF_PROGRAMS: &[&str] = &[
    "pub fn is_transient(&self) -> bool",
    "pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self",
    "#[must_use] pub fn with_source(mut self, source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self",
];

/// The rule: how the error of a file differs from those of the others.
fn differences(file: &File) -> Vec<String> {
    let syntax = syn::parse_file(&file.text).expect("a file is Rust");
    let name = file.path.split('/').nth(1).unwrap_or_default();
    let has_kind = name != OF_FINDINGS;
    let is_programs = MADE_BY_PROGRAMS.contains(&name);
    let derived = derives(&syntax);
    let rows = [
        ("`Error` is no struct with private fields", is_opaque(&syntax)),
        ("`ErrorKind` is no `#[non_exhaustive]` enum", !has_kind || is_open(&syntax)),
        ("`Display` is not written for it", implements(&syntax, "Display")),
        ("`Debug` shows all of its fields", !has_kind || !derived.contains("Debug")),
        ("a clone of it cannot be kept", !is_programs || derived.contains("Clone")),
        ("it is no `std::error::Error`", implements(&syntax, "Error")),
    ];
    let broken = rows.iter().filter(|row| !row.1).map(|row| row.0.to_owned());
    let of_all = OF_ALL.iter().filter(|_| has_kind);
    let wanted = of_all.chain(OF_PROGRAMS.iter().filter(|_| is_programs));
    let text = dense(&file.text);
    let lacks = wanted.filter(|method| !text.contains(&dense(method)));
    let lacks = lacks.map(|method| format!("expected `{method}`"));
    let made = constructors(&syntax).filter(|name| !is_programs || name != "new");
    let made = made.map(|name| format!("`{name}` is one more public constructor"));
    let found = broken.chain(lacks).chain(made);
    found.map(|difference| format!("{}: {difference}", file.path)).collect()
}

fn is_opaque(syntax: &Syntax) -> bool {
    syntax.items.iter().any(|item| match item {
        Item::Struct(item) if item.ident == "Error" => {
            let is_private = |field: &syn::Field| matches!(field.vis, Visibility::Inherited);
            item.fields.iter().all(is_private)
        }
        _ => false,
    })
}

fn is_open(syntax: &Syntax) -> bool {
    syntax.items.iter().any(|item| match item {
        Item::Enum(item) if item.ident == "ErrorKind" => has(&item.attrs, "non_exhaustive"),
        _ => false,
    })
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

/// The traits that are derived for the error, as they are written.
fn derives(syntax: &Syntax) -> String {
    let structs = syntax.items.iter().filter_map(|item| match item {
        Item::Struct(item) if item.ident == "Error" => Some(&item.attrs),
        _ => None,
    });
    let derived = structs.flatten().filter(|attribute| attribute.path().is_ident("derive"));
    derived
        .filter_map(|attribute| Some(attribute.meta.require_list().ok()?.tokens.to_string()))
        .collect()
}

fn impls(syntax: &Syntax) -> impl Iterator<Item = &ItemImpl> {
    let is_errors = |item: &&ItemImpl| matches!(&*item.self_ty, Type::Path(path) if path.path.is_ident("Error"));
    let impls = syntax.items.iter().filter_map(|item| match item {
        Item::Impl(item) => Some(item),
        _ => None,
    });
    impls.filter(is_errors)
}

fn implements(syntax: &Syntax, name: &str) -> bool {
    let mut traits = impls(syntax).filter_map(|item| Some(&item.trait_.as_ref()?.1));
    traits.any(|path| path.segments.last().is_some_and(|last| last.ident == name))
}

/// The public functions of the error that need none; what is hidden is for our other crates.
fn constructors(syntax: &Syntax) -> impl Iterator<Item = String> {
    let methods = impls(syntax).flat_map(|item| &item.items).filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    });
    let makes = |method: &&ImplItemFn| {
        let is_public = matches!(method.vis, Visibility::Public(_));
        let is_hidden = |attribute: &Attribute| {
            let list = attribute.meta.require_list().ok();
            list.is_some_and(|list| {
                list.path.is_ident("doc") && list.tokens.to_string() == "hidden"
            })
        };
        is_public && method.sig.receiver().is_none() && !method.attrs.iter().any(is_hidden)
    };
    methods.filter(makes).map(|method| method.sig.ident.to_string())
}

/// A text without what a formatter puts in it.
fn dense(text: &str) -> String {
    let dense: String = text.chars().filter(|each| !each.is_whitespace()).collect();
    dense.replace(",)", ")")
}

const SHAPE: &str = "
    pub struct Error { kind: ErrorKind }
    #[non_exhaustive] pub enum ErrorKind { A }
    impl fmt::Debug for Error {}
    impl fmt::Display for Error {}
    impl error::Error for Error {}
    impl Error { pub fn kind(&self) -> ErrorKind { self.kind } }
";

#[track_caller]
fn check(name: &str, text: &str, expected: &[&str]) {
    let path = format!("crates/{name}/src/error.rs");
    let found = differences(&File { path: path.clone(), text: text.to_owned() });
    let expected: Vec<_> = expected.iter().map(|each| format!("{path}: {each}")).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn an_error_of_another_shape_is_refused() {
    check("executor", SHAPE, &[]);
    let differs = |from: &str, to: &str, difference: &str| {
        check("executor", &SHAPE.replace(from, to), &[difference]);
    };
    differs("{ kind:", "{ pub kind:", "`Error` is no struct with private fields");
    differs("#[non_exhaustive]", "", "`ErrorKind` is no `#[non_exhaustive]` enum");
    differs("pub struct", "#[derive(Debug)] pub struct", "`Debug` shows all of its fields");
    differs("Display for Error", "Display for Other", "`Display` is not written for it");
    differs("error::Error for Error", "Eq for Error", "it is no `std::error::Error`");
    differs("kind(&self)", "class(&self)", "expected `pub fn kind(&self) -> ErrorKind`");
    let made = "impl Error { pub fn from_text(text: &str) -> Self { todo() } pub fn kind(";
    differs("impl Error { pub fn kind(", made, "`from_text` is one more public constructor");
    check("config", "pub struct Error; impl Display for Error {} impl Error for Error {}", &[]);
}

#[test]
fn a_public_error_without_the_common_constructor_is_refused() {
    let methods = OF_PROGRAMS.join(" {} ").replace("Self {}", "Self { todo() }");
    let shape = format!("{SHAPE} impl Error {{ {methods} {{}} }}");
    let shape = shape.replace("pub struct", "#[derive(Clone)] pub struct");
    check("session", &shape, &[]);
    let three =
        shape.replace("kind: ErrorKind, message", "kind: ErrorKind, reached: Reached, message");
    check("session", &three, &[&format!("expected `{}`", OF_PROGRAMS[1])]);
    let own = shape.replace("impl Into<Box<dyn error::Error + Send + Sync>>", "impl error::Error");
    check("session", &own, &[&format!("expected `{}`", OF_PROGRAMS[2])]);
    check(
        "session",
        &shape.replace("derive(Clone)", "must_use"),
        &["a clone of it cannot be kept"],
    );
    check("executor", &shape, &["`new` is one more public constructor"]);
}

#[test]
fn the_errors_of_all_crates_have_one_shape() {
    let files = rust_files("crates");
    let errors: Vec<_> = files.iter().filter(|file| file.path.ends_with("/src/error.rs")).collect();
    let is_there = |name: &&str| errors.iter().any(|file| file.path.contains(&format!("/{name}/")));
    assert!(MADE_BY_PROGRAMS.iter().all(is_there));
    let found: Vec<_> = errors.into_iter().flat_map(differences).collect();
    assert_eq!(found, [""; 0]);
}
