//! The form of a table of faults: most sentences have one code and one next step.

use std::time::Duration;

use callgate_tool::Fault;

/// Makes functions that make faults. A row has the code, the next step, how far a request got that was sent, how long to
/// wait, and the sentence with the parameters and the values behind it.
macro_rules! faults {
    ($(
        $(#[$of:meta])*
        $vis:vis fn $name:ident($($parameter:ident: $Parameter:ty),*) =
            $Code:ident, $Next:ident $(, reached $Reached:ident)? $(, after($wait:expr))?:
            $sentence:literal $(, $part:ident = $value:expr)*;
    )+) => {
        $(
            $(#[$of])*
            $vis fn $name($($parameter: $Parameter),*) -> Box<::callgate_tool::Fault> {
                let fault = $crate::wording::fault(
                    ::callgate_tool::FaultCode::$Code,
                    format!($sentence $(, $part = $value)*),
                    ::callgate_tool::Next::$Next,
                );
                $(let fault = Box::new(fault.with_reached(::callgate_tool::Reached::$Reached));)?
                $(let fault = $crate::wording::table::with_wait(fault, $wait);)?
                fault
            }
        )+
    };
}
pub(crate) use faults;

/// Sets the wait, in whole seconds, at least one.
pub(super) fn with_wait(mut fault: Box<Fault>, wait: Duration) -> Box<Fault> {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    fault.retry_after = Some(Duration::from_secs(seconds.max(1)));
    fault
}
