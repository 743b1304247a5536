//! The abilities that some engines have and others lack.

/// An ability of an engine. `ABILITIES` in the file of each engine lists those that it has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ability {
    /// Values of arrays, as they can be written.
    Arrays,
    /// Statements that change rows inside of a `WITH`, from which they are read.
    ChangesInWith,
    /// Orders of texts that columns choose.
    Collations,
    /// A type for each column, which every value in it has.
    ColumnTypes,
    /// Names for the columns of a query, where several have the same name.
    ColumnsByOrder,
    /// Rights to functions, by which a query may call those that its login may.
    FunctionRights,
    /// Functions beyond its own that a query may be allowed to call.
    GrantableFunctions,
    /// A value of a group for a column that the group is not made by.
    GroupValues,
    /// An index for texts that compares by the collation of the column alone.
    IndexesByCollation,
    /// Numbers and times without end.
    Infinity,
    /// Connections over a network; others read a file.
    Network,
    /// Nulls before other values in ascending order.
    NullsFirst,
    /// Placeholders with numbers, which stand for the same value everywhere.
    NumberedPlaceholders,
    /// Types of placeholders, which it finds out by itself.
    PlaceholderTypes,
    /// The changed rows as the result of a change.
    Returning,
    /// Roles for one transaction.
    Roles,
    /// Comparisons of rows that an index serves.
    RowComparisons,
    /// Numbers of rows in its statistics.
    RowEstimates,
    /// Locks of single rows, which not all rights to change rows include.
    RowLocks,
    /// Policies that read who asks.
    RowPolicies,
    /// Rights to connect to a database and to use a schema.
    SchemaRights,
    /// Sums of every type of whole numbers that is never below zero.
    UnsignedSums,
    /// A right to change rows without the right to lock them.
    UnlockedRemovals,
    /// Views through which rows are changed in one transaction, whatever they show.
    WritableViews,
}
