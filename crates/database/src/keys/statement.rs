//! The key `statements` of a toolset: the operator's own SQL, each statement a tool.

use callgate_settings::{Inputs, Kind, forms, keys, member_pointer, pointer_segment};
use callgate_tool::Effect;

use super::entity::{Affected, is_valid_name};
use crate::settings::StatementSettings;

keys! {
    pub(crate) struct StatementKeys in "a statement" {
        /// The number of rows that it may change; more are rolled back.
        affected: Affected;
        /// The purpose of the statement, for the model.
        description: String;
        /// The effect; a statement runs without the right to write unless it is another than `read`.
        effect: Effect;
        /// The values behind the names that the SQL has with a colon, such as `:since`: a schema for one that the model gives, or
        /// a value of the session.
        inputs: Inputs;
        /// One statement.
        sql: String, required;
    }
}

forms! {
    struct Statements => Vec<StatementSettings>, Kind::Map(&StatementKeys::KIND), |reader, mapping, key| {
        let help = "for example `{new_orders: {sql: 'select no from orders where day >= :since', inputs: {since: {type: string, format: date}}}}`";
        let statements = reader.named_values::<StatementKeys, Vec<_>>(mapping, key, "a mapping from names to statements", help)?;
        let statements = statements.into_iter().filter_map(|(name, keys)| {
            let pointer = format!("{}/{}", member_pointer(mapping, key), pointer_segment(&name));
            let is_named = is_valid_name(reader, &name, &pointer, "a statement");
            let sql = keys.sql.filter(|_| is_named)?;
            Some(StatementSettings {
                pointer,
                name,
                description: keys.description.unwrap_or_default(),
                sql,
                inputs: keys.inputs.unwrap_or_default(),
                effect: keys.effect.unwrap_or(Effect::Read),
                affected: keys.affected.unwrap_or(1),
            })
        });
        Some(statements.collect())
    };
}
