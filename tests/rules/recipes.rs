//! The recipes of `CONTRIBUTING.md` hold: the files that they name are there, and the names of a list that grows stand in the
//! files of its recipe alone, so that one more name costs no more files than the recipe says.

use super::workspace::{File, root, rust_files};

/// A list that grows, by the names in it.
struct GrowingList {
    /// The recipe of `CONTRIBUTING.md`.
    recipe: &'static str,
    /// Parts of the words of the code, in small letters without `_`: those that are no other words too.
    names: &'static [&'static str],
    /// The others, as names of files.
    other_names: &'static [&'static str],
    /// The files that know the names beside those of the recipe, each with its reason.
    exceptions: &'static [(&'static str, &'static str)],
}

const LISTS: [GrowingList; 5] = [
    GrowingList {
        recipe: "A dialect, and a provider of models",
        names: &["anthropic", "bedrock", "gemini", "openai"],
        other_names: &["ces", "dialogflow", "json", "mcp", "responses", "semantickernel"],
        exceptions: &[
            ("crates/cli/src/args/serving.rs", "a host of MCP servers: Gemini CLI"),
            ("crates/cli/src/commands/draft/describe.rs", "an example in a fault"),
            ("crates/cli/src/commands/mcp/hosts.rs", "a host of MCP servers: Gemini CLI"),
            ("crates/cli/src/token_advice.rs", "a command as an example"),
            (
                "crates/config/src/agents.rs",
                "examples in findings, and words about OpenAI's format",
            ),
            ("crates/config/src/build/agents.rs", "an example in a finding"),
            ("crates/gateway/src/tools.rs", "the description of the path, which a macro reads"),
        ],
    },
    GrowingList {
        recipe: "An engine of databases",
        // The other engines have names that are words of texts and of crates.
        names: &["mysql"],
        other_names: &["postgres", "sqlite"],
        exceptions: &[
            ("crates/database/src/pool/run.rs", "the build without the engine for which it is"),
            ("crates/database/src/support.rs", "words about functions"),
        ],
    },
    GrowingList {
        recipe: "A further kind of source of tools",
        names: &["cestoolset", "dialogflowtool"],
        other_names: &[],
        exceptions: &[],
    },
    GrowingList {
        recipe: "A kind of toolset: tools of a further source",
        names: &[
            "callgatecode",
            "callgateconnector",
            "callgatedatabase",
            "callgatedocuments",
            "callgatevertex",
        ],
        other_names: &[],
        exceptions: &[
            ("crates/cli/src/commands/code_worker.rs", "the process that runs programs"),
            ("crates/cli/src/commands/extract.rs", "the process that reads a PDF file"),
            ("crates/cli/src/commands/init/database.rs", "writes a configuration of one kind"),
            ("crates/code/src/finding.rs", "a function of its own, in a help"),
            ("crates/code/src/unavailable.rs", "a function of its own, in a help"),
            ("crates/gateway/src/observe/prometheus.rs", "the names of metrics, not of a crate"),
        ],
    },
    GrowingList {
        recipe: "A store of secrets",
        names: &["keyring", "vault"],
        other_names: &["aws"],
        exceptions: &[
            ("crates/cli/src/grants.rs", "logins of people, which the keyring holds too"),
            ("crates/store/src/grants", "logins of people, which the keyring holds too"),
        ],
    },
];

/// The recipes with their headings.
fn recipes(page: &str) -> Vec<(&str, &str)> {
    let part = page.split("\n## ").find(|part| part.starts_with("Recipes")).unwrap_or_default();
    part.split("\n### ").skip(1).filter_map(|recipe| recipe.split_once('\n')).collect()
}

/// The paths that a text names.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let roots = ["config/", "crates/", "fixtures/", "packages/", "tests/"];
    quoted
        .filter(move |text| roots.iter().any(|root| text.starts_with(root)) && !text.contains(' '))
}

/// True if a path begins with one of a recipe, in which `<name>` stands for what is a name.
fn is_below(path: &str, named: &str, is_name: impl Fn(&str) -> bool) -> bool {
    let mut parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
    let begins_so = named.trim_end_matches('/').split('/').all(|named| {
        let (named, Some(part)) = (named.trim_end_matches(".rs"), parts.next()) else {
            return false;
        };
        match (named.split_once('<'), named.rsplit_once('>')) {
            (Some((before, _)), Some((_, after))) => {
                let name = part.strip_prefix(before).and_then(|part| part.strip_suffix(after));
                name.is_some_and(&is_name)
            }
            _ => part == named,
        }
    });
    // A file is itself alone; a folder, and a file for each name with its folder, are all that is below.
    let is_file = named.strip_suffix(".rs").is_some_and(|named| !named.ends_with('>'));
    begins_so && (!is_file || parts.next().is_none())
}

impl GrowingList {
    fn has_name(&self, word: &str) -> bool {
        let word = word.to_lowercase().replace('_', "");
        self.names.iter().any(|name| word.contains(name))
    }

    fn is_name(&self, word: &str) -> bool {
        self.has_name(word) || self.other_names.contains(&&*word.replace('_', ""))
    }

    /// The files with a name of the list that no recipe and no exception allows.
    fn strangers(&self, recipe: &str, files: &[File]) -> Vec<String> {
        let exceptions = self.exceptions.iter().map(|(path, _)| *path);
        let allowed: Vec<_> = paths(recipe).chain(exceptions).collect();
        let is_told =
            |path: &str| allowed.iter().any(|named| is_below(path, named, |it| self.is_name(it)));
        let others = files.iter().filter(|file| !is_told(&file.path));
        let strangers = others
            .filter_map(|file| Some(format!("{}: {}", file.path, self.first_name(&file.text)?)));
        strangers.collect()
    }

    /// The first word with a name in the code, apart from comments and tests.
    fn first_name<'t>(&self, text: &'t str) -> Option<&'t str> {
        let code = text.split("mod tests").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let mut words =
            lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        words.find(|word| self.has_name(word))
    }
}

fn contributing() -> String {
    std::fs::read_to_string(root().join("CONTRIBUTING.md")).expect("a readable page")
}

#[test]
fn a_name_outside_its_recipe_is_found() {
    let list = GrowingList {
        recipe: "A shop",
        names: &["acme"],
        other_names: &[],
        exceptions: &[("crates/c/src/old.rs", "an example")],
    };
    let page = "# Page\n\n## Recipes\n\n### A shop\n\n1. `crates/a/src/shop/<shop>.rs`, `crates/a/src/shop.rs`\n";
    let files = [
        File::new("crates/a/src/shop.rs", "mod acme;"),
        File::new("crates/a/src/shop/acme.rs", "struct Acme;"),
        File::new("crates/a/src/shop/part.rs", "use Acme;"),
        File::new("crates/a/src/shop/acme/stream.rs", "struct AcmeStream;"),
        File::new("crates/b/src/b.rs", "// Acme\nfn f() { g(\"an AC_ME\") }"),
        File::new("crates/b/src/c.rs", "//! Acme\n#[cfg(test)]\nmod tests { fn acme() {} }"),
        File::new("crates/c/src/old.rs", "fn acme() {}"),
    ];
    let [(heading, recipe)] = *recipes(page) else { panic!("one recipe") };
    assert_eq!(heading, "A shop");
    assert_eq!(
        list.strangers(recipe, &files),
        ["crates/a/src/shop/part.rs: Acme", "crates/b/src/b.rs: AC_ME"]
    );
}

#[test]
fn the_files_that_recipes_name_exist() {
    let page = contributing();
    let all: Vec<_> = super::workspace::tracked_files().into_iter().map(|file| file.path).collect();
    let missing = recipes(&page).into_iter().flat_map(|(heading, recipe)| {
        let missing =
            paths(recipe).filter(|named| !all.iter().any(|path| is_below(path, named, |_| true)));
        missing.map(|named| format!("{heading}: {named}")).collect::<Vec<_>>()
    });
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn names_of_growing_lists_stand_in_the_files_of_their_recipes_alone() {
    let page = contributing();
    let recipes = recipes(&page);
    let is_code = |file: &File| {
        file.path.contains("/src/") && !super::test_code::is_file_of_tests(&file.path)
    };
    let files: Vec<_> = rust_files("crates").into_iter().filter(is_code).collect();
    for list in &LISTS {
        let recipe = recipes.iter().find(|(heading, _)| *heading == list.recipe);
        let (_, recipe) = recipe.unwrap_or_else(|| panic!("no recipe `{}`", list.recipe));
        assert_eq!(list.strangers(recipe, &files), [""; 0], "{}", list.recipe);
        for (path, reason) in list.exceptions {
            let is_there = |file: &File| {
                is_below(&file.path, path, |_| true) && list.first_name(&file.text).is_some()
            };
            assert!(files.iter().any(is_there), "nothing to except: {path} ({reason})");
        }
    }
}
