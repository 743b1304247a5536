//! The authorizer of a connection: the engine asks it about each table, column, function and kind of statement while it
//! prepares a text.

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::rights::{Rights, Touch, Views};
use crate::transaction::Access;

/// The rights that a connection has now. The engine asks on the thread that prepares, so nobody waits for the lock.
#[derive(Default)]
pub(super) struct Guard {
    mode: Mutex<Mode>,
    has_denied: AtomicBool,
}

#[derive(Default)]
pub(super) enum Mode {
    /// The statements of this driver.
    #[default]
    Own,
    /// Statements within rights.
    Bound { rights: Arc<Rights>, access: Access, views: Views },
    /// A statement of the operator, which is prepared to see what it touches.
    Record { touched: Rights, access: Access },
}

impl Mode {
    pub(super) fn for_rights(rights: &Arc<Rights>, access: Access, text: &str) -> Self {
        let is_distrusted = rights.is_for_query() && may_have_with_keyword(text);
        let views = if is_distrusted { Views::Distrusted } else { Views::Trusted };
        Self::Bound { rights: Arc::clone(rights), access, views }
    }

    pub(super) fn recording(access: Access) -> Self {
        Self::Record { touched: Rights::default(), access }
    }
}

impl Guard {
    pub(super) fn set(&self, mode: Mode) {
        *self.mode() = mode;
        self.has_denied.store(false, Ordering::Relaxed);
    }

    /// True if something was denied since the mode was set; for a function the engine says only that the statement is wrong.
    pub(super) fn has_denied(&self) -> bool {
        self.has_denied.load(Ordering::Relaxed)
    }

    /// The rights that were used since [`Mode::Record`].
    pub(super) fn take_used_rights(&self) -> Rights {
        match mem::take(&mut *self.mode()) {
            Mode::Record { touched, .. } => touched,
            Mode::Bound { .. } | Mode::Own => Rights::default(),
        }
    }

    pub(super) fn decide(&self, context: AuthContext<'_>) -> Authorization {
        let is_allowed = match &mut *self.mode() {
            Mode::Own => true,
            Mode::Bound { rights, access, views } => {
                permitted_touch(&context, *access).is_some_and(|touch| rights.allows(touch, *views))
            }
            Mode::Record { touched, access } => permitted_touch(&context, *access)
                .filter(Touch::is_allowed_to_operator)
                .map(|touch| touched.add(touch))
                .is_some(),
        };
        if is_allowed {
            return Authorization::Allow;
        }
        self.has_denied.store(true, Ordering::Relaxed);
        Authorization::Deny
    }

    fn mode(&self) -> MutexGuard<'_, Mode> {
        self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The kinds of actions that any statement of others may have; all else is refused: other files, settings, transactions, changes
/// of the schema.
fn permitted_touch<'a>(context: &AuthContext<'a>, access: Access) -> Option<Touch<'a>> {
    let accessor = context.accessor;
    let is_write = access == Access::Write;
    let touch = match context.action {
        AuthAction::Select | AuthAction::Recursive => Touch::Nothing,
        AuthAction::Function { function_name } => Touch::Function(function_name),
        AuthAction::Read { table_name, column_name } => {
            Touch::Read { table: table_name, column: column_name, accessor }
        }
        AuthAction::Delete { table_name } if is_write => {
            Touch::Delete { table: table_name, accessor }
        }
        AuthAction::Insert { table_name } if is_write => {
            Touch::Insert { table: table_name, accessor }
        }
        AuthAction::Update { table_name, column_name } if is_write => {
            Touch::Update { table: table_name, column: column_name, accessor }
        }
        _ => return None,
    };
    let is_of_main = context.database_name.is_none_or(|name| name == "main");
    is_of_main.then_some(touch)
}

/// True if the keyword `WITH` may stand in a text, be it in a literal or a comment: no text without it has a common table
/// expression.
fn may_have_with_keyword(text: &str) -> bool {
    text.as_bytes().windows(4).enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before)).copied();
        word.eq_ignore_ascii_case(b"with")
            && !before.is_some_and(is_of_a_word)
            && !text.as_bytes().get(at + 4).copied().is_some_and(is_of_a_word)
    })
}

fn is_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::may_have_with_keyword;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(may_have_with_keyword(text), expected, "{text}");
    }

    #[test]
    fn a_common_table_expression_is_noticed() {
        check("with x as (select 1) select * from x", true);
        check("select * from (WiTh x as (select 1) select * from x)", true);
        check("select 1/**/with", true);
        check("with", true);
        check("select 'with'", true);
    }

    #[test]
    fn a_longer_word_with_the_letters_of_with_is_no_keyword() {
        check("select width, withdrawn, _with, with_, aéwith from t", false);
        check("select 1", false);
        check("wit", false);
        check("", false);
    }
}
