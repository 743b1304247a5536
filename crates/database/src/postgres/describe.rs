//! A statement as PostgreSQL describes it when it is prepared: the types of its values and of its columns.

use super::{catalog::kinds, pool::Pool, reader::CatalogReader};
use crate::{
    description::{DescribedColumn, StatementDescription},
    error::{Error, ErrorKind},
};

pub(super) async fn describe(
    pool: &Pool,
    principal: &str,
    text: &str,
) -> Result<StatementDescription, Error> {
    let mut reader = CatalogReader::open_for(principal, pool).await?;
    let statement = match reader.prepare(text).await {
        Ok(statement) => statement,
        Err(error) => {
            // A statement that cannot be prepared leaves nothing behind.
            if error.kind() == ErrorKind::Statement {
                reader.give_back_connection();
            }
            return Err(error);
        }
    };
    let values = statement.params().iter().map(|of| (of.oid().to_string(), "-1".to_owned()));
    let values = kinds(&mut reader, &values.collect::<Vec<_>>()).await?;
    let columns = statement.columns();
    let of_columns = columns
        .iter()
        .map(|column| (column.type_().oid().to_string(), column.type_modifier().to_string()));
    let of_columns = kinds(&mut reader, &of_columns.collect::<Vec<_>>()).await?;
    let columns = columns.iter().zip(of_columns).map(|(column, facts)| DescribedColumn {
        name: column.name().to_owned(),
        kind: facts.kind,
    });
    let columns = columns.collect();
    reader.give_back_connection();
    let values = values.into_iter().map(|facts| facts.sql_type).collect();
    // The server does not say what a statement changes.
    Ok(StatementDescription { values, columns, is_read: None })
}
