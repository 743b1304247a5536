//! What to do about declarations that are too large for a model's context: their sizes by description and by tag, and the keys
//! and commands that offer fewer of them.

use std::{cmp::Reverse, collections::BTreeMap, fmt::Write as _, path::Path};

use callgate::{Effect, Tool, config::BuiltToolset};
use callgate_config::McpConfig;
use callgate_openapi::tags_with_ancestors;
use callgate_tool::{ToolName, Value, escape_invisible_in_line};

use crate::{
    listing::{Listing, Row},
    number::grouped_digits,
    output,
};

/// Half of a context of 200,000 tokens, which is what most models have.
pub(crate) const MOST_TOKENS: usize = 100_000;

#[derive(Debug, Default)]
pub(crate) struct Sizes(BTreeMap<ToolName, (Effect, usize)>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptionSizes<'a> {
    pub(crate) toolset: &'a BuiltToolset,
    pub(crate) sizes: &'a Sizes,
}

impl Sizes {
    pub(crate) fn add_tool(&mut self, tool: &Tool) {
        self.0.insert(tool.name.clone(), (tool.effect, tool.tokens()));
    }

    pub(crate) fn total_tokens(&self) -> usize {
        self.0.values().map(|(_, tokens)| tokens).sum()
    }

    fn tokens_of_read_tools(&self) -> usize {
        let reads = self.0.values().filter(|(effect, _)| *effect == Effect::Read);
        reads.map(|(_, tokens)| tokens).sum()
    }

    /// The tokens of each tag, the most first.
    fn tokens_by_tag<'t>(&self, toolset: &'t BuiltToolset) -> Vec<(&'t str, usize)> {
        let mut by_tag: BTreeMap<&str, usize> = BTreeMap::new();
        for (operation, tags) in
            toolset.operations.iter().zip(tags_with_ancestors(&toolset.operations))
        {
            let tokens = self.0.get(&operation.tool_name).map_or(0, |(_, tokens)| *tokens);
            for tag in tags {
                *by_tag.entry(tag).or_default() += tokens;
            }
        }
        let mut by_tag: Vec<_> = by_tag.into_iter().collect();
        by_tag.sort_by_key(|(_, tokens)| Reverse(*tokens));
        by_tag
    }
}

/// The advice on the descriptions of `file`; empty if a model can see all of their declarations.
pub(crate) fn advice_text(file: &Path, descriptions: &[DescriptionSizes<'_>]) -> String {
    let tokens: usize = descriptions.iter().map(|one| one.sizes.total_tokens()).sum();
    let largest = descriptions.iter().max_by_key(|one| one.sizes.total_tokens());
    let Some(largest) = largest.filter(|_| tokens > MOST_TOKENS) else { return String::new() };
    let file = escape_invisible_in_line(&file.display().to_string()).into_owned();
    let mut text = format!(
        "help: {} tokens of declarations are too many for the context of most models\n",
        grouped_digits(tokens)
    );
    if descriptions.len() > 1 {
        let _infallible = writeln!(text, "  the largest: {}", largest_toolsets_text(descriptions));
    }
    let _infallible = write!(
        text,
        "  let the model search; MCP clients do beyond {} tokens:\n{}",
        grouped_digits(McpConfig::default().tokens),
        key_rows(&[
            ("mcp: {mode: search}", "always four tools that find and call the others"),
            (
                &format!("callgate tools {file} --dialect anthropic --deferred"),
                "declares the tools for the provider's own search"
            ),
        ])
    );
    let _infallible = write!(
        text,
        "  or offer fewer, {}:\n{}",
        keys_place_words(largest, &file),
        narrowing_keys_text(largest)
    );
    text
}

fn keys_place_words(description: &DescriptionSizes<'_>, file: &str) -> String {
    match description.toolset.name.as_str() {
        "" => format!("with keys of a toolset (`callgate init NAME {file}` writes one)"),
        name => format!("with keys of the toolset `{}`", escape_invisible_in_line(name)),
    }
}

/// The keys that leave a part of a description, with the tokens of that part.
fn narrowing_keys_text(description: &DescriptionSizes<'_>) -> String {
    let DescriptionSizes { toolset, sizes } = description;
    let by_tag = sizes.tokens_by_tag(toolset);
    let mut all = Vec::new();
    let few = by_tag.iter().find(|(_, tokens)| *tokens <= FEW_TOKENS);
    let part = few.or_else(|| by_tag.last()).filter(|(_, tokens)| *tokens < sizes.total_tokens());
    if let Some((tag, tokens)) = part {
        let largest =
            by_tag.iter().take(NAMED).map(|(tag, n)| format!("`{tag}` {}", grouped_digits(*n)));
        let largest = largest.collect::<Vec<_>>().join(", ");
        let what =
            format!("{} tokens; of all tags, {largest} take the most", grouped_digits(*tokens));
        all.push((format!("tools: {{tags: [{}]}}", Value::from(*tag)), what));
    }
    let reads = sizes.tokens_of_read_tools();
    if (1..sizes.total_tokens()).contains(&reads) {
        let what = format!("only what changes nothing: {} tokens", grouped_digits(reads));
        all.push(("tools: {read_only: true}".to_owned(), what));
    }
    if let Some(name) = sizes.0.keys().next() {
        let what = "single tools, or patterns of their names with `*`".to_owned();
        all.push((format!("tools: {{include: [{}]}}", Value::from(name.as_str())), what));
    }
    key_rows(&all.iter().map(|(key, what)| (key.as_str(), what.as_str())).collect::<Vec<_>>())
}

fn largest_toolsets_text(descriptions: &[DescriptionSizes<'_>]) -> String {
    let mut all: Vec<_> = descriptions
        .iter()
        .map(|one| (one.sizes.total_tokens(), one.toolset.name.as_str()))
        .collect();
    all.sort_by_key(|(tokens, _)| Reverse(*tokens));
    let named = all.iter().take(NAMED);
    named.map(|(n, name)| format!("`{name}` {}", grouped_digits(*n))).collect::<Vec<_>>().join(", ")
}

fn key_rows(all: &[(&str, &str)]) -> String {
    let mut listing = Listing::without_headings().with_line_limit(3);
    for (key, what) in all {
        listing.add_row(Row {
            indent: 4,
            name: (*key).to_owned(),
            text: (*what).to_owned(),
            ..Row::default()
        });
    }
    listing.text(output::terminal_width())
}

/// The tokens that leave most of a model's context to the conversation.
const FEW_TOKENS: usize = 20_000;
const NAMED: usize = 3;
