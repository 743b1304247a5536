//! Selects the part of a result that a toolset shows: members by dotted paths, which pass through arrays, or the nodes of a
//! JSON path (RFC 9535). Paths come from the configuration and are parsed before any call.

use callgate_openapi::{InvalidPattern, JsonPath};
use callgate_tool::{Object, Value};

/// The part of a result that is shown.
///
/// ```
/// # use callgate_call::Plan;
/// use callgate_call::{Selection, Shape};
/// # use callgate_openapi::{Document, Limits, LoadOptions, load};
/// # let description = br#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
/// #     "servers": [{"url": "https://api.example.com"}],
/// #     "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {}}}}}"#;
/// # let document = Document::read(description, &Limits::default()).expect("a description").value;
/// # let plan = Plan::new(load(&document, &LoadOptions::default()).operations.remove(0));
/// # let response = http::Response::builder().header("content-type", "application/json");
///
/// let body = r#"{"items": [{"id": 7, "photo": "a long text"}], "total": 1}"#;
/// # let response = response.body(body.into())?;
/// let mut shape = Shape::default();
/// shape.selection = Selection::paths(["items.id", "total"]);
/// assert_eq!(plan.outcome(&response, &shape).text(), Some(r#"{"items":[{"id":7}],"total":1}"#));
/// shape.selection = Selection::json_path("$.items[*].id").expect("a path");
/// assert_eq!(plan.outcome(&response, &shape).text(), Some("[7]"));
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Selection {
    /// The whole result.
    #[default]
    All,
    /// The nodes of a JSON path, as an array.
    #[doc(hidden)]
    Nodes(Box<JsonPath>),
    /// These members, at their positions in the result.
    #[doc(hidden)]
    Paths(Paths),
}

/// Members by their dotted paths: `id`, `owner.email`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Paths {
    /// Members with the selection inside each; a member without one is taken whole.
    members: Vec<(String, Self)>,
}

impl Selection {
    /// The members at these dotted paths, in the order of the result.
    pub fn paths<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut root = Paths::default();
        for path in paths {
            root.add(path);
        }
        Self::Paths(root)
    }

    /// The nodes of a JSON path.
    ///
    /// # Errors
    /// [`InvalidPattern`], which says where the text stops being a JSON path.
    pub fn json_path(text: &str) -> Result<Self, InvalidPattern> {
        JsonPath::parse(text).map(|path| Self::Nodes(Box::new(path)))
    }

    /// The selected part of a result.
    #[doc(hidden)]
    pub fn selected_value(&self, value: Value) -> Value {
        match self {
            Self::All => value,
            Self::Nodes(path) => path.select(&value).into_iter().cloned().collect(),
            Self::Paths(paths) => paths.selected_value(value),
        }
    }
}

impl Paths {
    fn add(&mut self, path: &str) {
        let mut here = self;
        let mut parts = path.split('.').peekable();
        while let Some(name) = parts.next() {
            let existing_position = here.members.iter().position(|(entry, _)| entry == name);
            let at = existing_position.unwrap_or_else(|| {
                here.members.push((name.to_owned(), Self::default()));
                here.members.len() - 1
            });
            // A member that is taken whole stays whole.
            let was_whole = existing_position.is_some()
                && here.members.get(at).is_some_and(|(_, below)| below.members.is_empty());
            let Some((_, below)) = here.members.get_mut(at) else { return };
            if was_whole {
                return;
            }
            if parts.peek().is_none() {
                below.members.clear();
            }
            here = below;
        }
    }

    fn selected_value(&self, value: Value) -> Value {
        if self.members.is_empty() {
            return value;
        }
        match value {
            Value::Array(items) => {
                items.into_iter().map(|item| self.selected_value(item)).collect()
            }
            Value::Object(members) => Value::Object(self.selected_members(members)),
            other => other,
        }
    }

    fn selected_members(&self, members: Object) -> Object {
        let selected = members.into_iter().filter_map(|(name, value)| {
            let (_, below) = self.members.iter().find(|(entry, _)| *entry == name)?;
            Some((name, below.selected_value(value)))
        });
        selected.collect()
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn members_are_selected_through_arrays() {
        let value = json!({"items": [{"id": 1, "owner": {"email": "a@b", "age": 3}}, {"id": 2}, 7], "total": 2});
        for (paths, expected) in [
            (&["items.id"][..], json!({"items": [{"id": 1}, {"id": 2}, 7]})),
            (
                &["total", "items.owner.email"],
                json!({"items": [{"owner": {"email": "a@b"}}, {}, 7], "total": 2}),
            ),
            (&["items", "items.id"], json!({"items": value["items"]})),
            (&["items.id", "items"], json!({"items": value["items"]})),
            (&["nope"], json!({})),
        ] {
            assert_eq!(
                Selection::paths(paths.iter().copied()).selected_value(value.clone()),
                expected
            );
        }
        let list = json!([{"id": 1, "x": 2}]);
        assert_eq!(Selection::paths(["id"]).selected_value(list), json!([{"id": 1}]));
    }

    #[test]
    fn a_json_path_selects_the_nodes_of_a_result() {
        let value = json!({"items": [{"id": 9_007_199_254_740_993_u64}, {"id": 2}]});
        let selection = Selection::json_path("$.items[?@.id > 1].id").unwrap();
        assert_eq!(selection.selected_value(value), json!([9_007_199_254_740_993_u64, 2]));
        assert!(Selection::json_path("items[").is_err());
    }
}
