//! The part of the engine itself in foreign keys: it looks for parents and children, and changes children by the key's own action.

use rusqlite::Connection;

use super::Rights;

/// Adds what the engine does when rows change as the rights say.
pub(super) fn add_foreign_key_rights(
    rights: &mut Rights,
    connection: &Connection,
) -> rusqlite::Result<()> {
    let keys = keys(connection)?;
    // Each round adds the children of the last; there are no more rounds than keys.
    for _ in 0..=keys.len() {
        let before = rights.clone();
        for key in &keys {
            key.add_key_rights(rights, &before);
        }
    }
    Ok(())
}

struct Key {
    child: String,
    column: String,
    parent: String,
    on_update: String,
    on_delete: String,
}

impl Key {
    fn add_key_rights(&self, rights: &mut Rights, before: &Rights) {
        if before.allows_changes_to(&self.child) || before.allows_changes_to(&self.parent) {
            rights.reads.entry(self.child.clone()).or_default();
            rights.reads.entry(self.parent.clone()).or_default();
        }
        let is_deleted = before.deletes.contains(&self.parent);
        if is_deleted && self.on_delete == "CASCADE" {
            rights.deletes.insert(self.child.clone());
        }
        let is_updated = before.updates.contains_key(&self.parent);
        if is_deleted && self.on_delete.starts_with("SET")
            || is_updated && (self.on_update.starts_with("SET") || self.on_update == "CASCADE")
        {
            let columns = rights.updates.entry(self.child.clone()).or_default();
            columns.insert(self.column.clone());
        }
    }
}

fn keys(connection: &Connection) -> rusqlite::Result<Vec<Key>> {
    let mut statement = connection.prepare(
        "SELECT lower(m.name), lower(f.\"from\"), lower(f.\"table\"), f.on_update, f.on_delete \
         FROM main.sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'",
    )?;
    let keys = statement.query_map([], |row| {
        Ok(Key {
            child: row.get(0)?,
            column: row.get(1)?,
            parent: row.get(2)?,
            on_update: row.get(3)?,
            on_delete: row.get(4)?,
        })
    })?;
    keys.collect()
}
