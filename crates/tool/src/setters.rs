//! The methods of builders that set one field.

/// Makes methods that set a field: a row has the name of the method, the field with the type that the method takes, and the
/// value that the field gets.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($(
        $(#[$of:meta])*
        $vis:vis fn $name:ident($field:ident: $Given:ty) = $value:expr;
    )+) => {
        $(
            $(#[$of])*
            #[must_use]
            $vis fn $name(mut self, $field: $Given) -> Self {
                self.$field = $value;
                self
            }
        )+
    };
}
