//! Declares the members of a body as the arguments of a tool: the body's schema becomes the schema of all arguments,
//! with its rules about the object as a whole. `layout` decides which bodies qualify.

use callgate_tool::{Object, Schema};
use callgate_tree::Path;

use crate::{
    blueprint::{InputOrigin, Origin},
    body::BodyLayout,
    declaration::{DeclarationParts, bytes_form, mcp_header::Headers, property_schema},
    findings::Findings,
    input::{Input, InputLocation},
    reference::{reference_of, reference_targets},
    schema::View,
};

impl DeclarationParts<'_> {
    pub(super) fn has_members_as_arguments(&self, input: &Input) -> bool {
        self.body.is_some_and(|body| body.layout == BodyLayout::Arguments)
            && input.place() == InputLocation::Body
    }

    /// The body's schema as the schema of all arguments, and the findings made while it was built.
    pub(super) fn body_members_schema(
        &self,
        view: View,
        input: &Input,
        origin: &InputOrigin,
        headers: &mut Headers<'_>,
    ) -> (Schema, Findings) {
        let mut builder = self.schema_builder(view, self.new_findings());
        let media = self.body.and_then(|body| body.media.first());
        let origin = InputOrigin {
            schema: origin.schema.as_ref().map(|schema| self.dereferenced_schema(schema)),
            ..origin.clone()
        };
        let built = property_schema(&mut builder, &origin, bytes_form(input, media, view));
        headers.search_body_members(&origin, &mut builder.findings);
        // Arguments are always an object, however the schema states it.
        let mut schema = Object::from_iter([("type".to_owned(), "object".into())]);
        let members = built.as_object().into_iter().flatten();
        schema.extend(
            members
                .filter(|(name, _)| *name != "type")
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        self.replace_examples(&mut schema);
        builder.finish_with_definitions(schema)
    }

    /// The schema behind references without siblings: every client understands a root that has members.
    fn dereferenced_schema(&self, schema: &Origin) -> Origin {
        let is_bare = |node: &callgate_tree::Node| {
            reference_of(node).is_some() && node.as_object().is_some_and(|object| object.len() == 1)
        };
        let mut all = vec![schema.located_node()];
        if !self.document.has_dynamic_anchors() {
            all.extend(reference_targets(self.document, &schema.node, &Path::at(&schema.pointer)));
        }
        let full_schema = all.iter().find(|at| !is_bare(at.node)).map(Origin::from_located);
        full_schema.unwrap_or_else(|| schema.clone())
    }
}
