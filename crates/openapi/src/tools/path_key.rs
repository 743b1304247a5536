//! The template of an operation's path key, with findings about unusual keys that are accepted.

use std::sync::Arc;

use crate::{
    code::Code,
    cursor::Cursor,
    document::Document,
    reference::{LocatedNode, follow_references},
    template::{
        Template,
        framework::{self, Plain},
    },
};

/// The last key that was split: the operations of a path follow each other.
#[derive(Debug, Default)]
pub(super) struct TemplateCache(Option<(Arc<str>, Template)>);

impl TemplateCache {
    fn cached_or_parsed(&mut self, key: &Arc<str>) -> Result<Template, &'static str> {
        if let Some((_, cached_template)) = self.0.as_ref().filter(|(of, _)| Arc::ptr_eq(of, key)) {
            return Ok(cached_template.clone());
        }
        let template = Template::parse(key)?;
        self.0 = Some((Arc::clone(key), template.clone()));
        Ok(template)
    }
}

pub(super) fn path_template(
    template_cache: &mut TemplateCache,
    key: &Arc<str>,
    levels: &[&LocatedNode<'_>],
    cursor: Cursor<'_, '_>,
) -> Option<Template> {
    let document = cursor.document;
    let cursor =
        cursor.with_report_pointer(levels.get(1).map(|item| &*item.pointer).unwrap_or_default());
    let is_path = |name: &str| is_declared(document, levels, name, "path");
    let parse_result = if framework::has_framework_notation(key) {
        framework_template(key, &is_path, &|name| is_declared(document, levels, name, "query"))
    } else {
        template_cache
            .cached_or_parsed(key)
            .map(|template| (template, None))
            .map_err(|why| (Code::HostilePath, why))
    };
    match parse_result {
        Ok((mut template, rewritten)) => {
            if let Some((written, plain)) = rewritten {
                let plain = if plain.is_empty() { "parameters of the query" } else { &plain };
                let message = format!(
                    "expected a path whose variables are written `{{id}}`, got: `{written}`; it is read as `{plain}`"
                );
                let help = "write the name alone; slashes in its value are escaped";
                cursor.warning(Code::FrameworkPath, message, help);
            }
            if let Some(name) = template.strip_plus_operators(is_path) {
                let message =
                    format!("expected a path variable without an operator, got: `{{{name}}}`");
                let help = "write the name alone; slashes in its value are escaped";
                cursor.warning(Code::MalformedNode, message, help);
            }
            if !template.query_values.is_empty() {
                let message =
                    format!("expected a path without variables in its query, got: `{key}`");
                let help =
                    "declare them as query parameters; they are written as values of the query";
                cursor.warning(Code::PathQuery, message, help);
            }
            Some(template)
        }
        Err((code, expected)) => {
            let message = format!("expected {expected}, got: `{key}`");
            let help = "write a path below the server, `/pets/{petId}`";
            cursor.error(code, message, help);
            None
        }
    }
}

/// The template, and the first piece that was rewritten, as written and in the notation of OpenAPI.
type RewrittenTemplate = (Template, Option<(String, String)>);

/// The template of a key that may be written as a framework writes routes.
fn framework_template(
    key: &str,
    is_path: &dyn Fn(&str) -> bool,
    is_query: &dyn Fn(&str) -> bool,
) -> Result<RewrittenTemplate, (Code, &'static str)> {
    let hostile = |why| (Code::HostilePath, why);
    match framework::rewrite_framework_key(key, is_path, is_query) {
        Ok(None) => Ok((Template::parse(key).map_err(hostile)?, None)),
        Ok(Some(Plain { key, first })) => {
            Ok((Template::parse(&key).map_err(hostile)?, Some(first)))
        }
        // A key that is refused anyway is refused for that.
        Err(why) => match Template::parse(key) {
            Ok(_) => Err((Code::FrameworkPath, why)),
            Err(why) => Err(hostile(why)),
        },
    }
}

/// Returns true if a parameter of the operation or its path items has this name and location.
fn is_declared(document: &Document, levels: &[&LocatedNode<'_>], name: &str, place: &str) -> bool {
    levels.iter().filter_map(|level| level.member("parameters")).any(|list| {
        let nodes = list.node.as_array().unwrap_or_default().iter().enumerate();
        nodes.into_iter().any(|(index, node)| {
            let Ok(parameter) = follow_references(document, node, &list.path().index(index)) else {
                return false;
            };
            parameter.node.text("name") == Some(name) && parameter.node.text("in") == Some(place)
        })
    })
}
