//! Reasons of API errors: given beside the check that finds the error, told when the call ends.
//!
//! A check answers with `Error::X.because(text)`. The text stays with the thread until the API
//! call returns. No lock is held then, so the context's callback may run.

use std::cell::RefCell;
use std::sync::Arc;

use crate::base::error::Error;

/// The error callback of clCreateContext.
pub type Callback = Arc<dyn Fn(&str) + Send + Sync>;

/// Facts about the error of the API call that runs on this thread.
#[derive(Default)]
struct State {
    reason: Option<(Option<Error>, String)>,
    /// That of the context that the call is about.
    callback: Option<Callback>,
}

impl State {
    /// Takes what is known, if anything is: of most calls nothing is.
    fn take(&mut self) -> Option<Self> {
        let known = self.reason.is_some() || self.callback.is_some();
        known.then(|| std::mem::take(self))
    }
}

thread_local! {
    static STATE: RefCell<State> = const {
        RefCell::new(State {
            reason: None,
            callback: None,
        })
    };
}

/// Runs `change` on this thread's state; does nothing while the thread ends.
fn with<R>(change: impl FnOnce(&mut State) -> R) -> Option<R> {
    STATE.try_with(|state| change(&mut state.borrow_mut())).ok()
}

impl Error {
    /// Gives the reason of this error, for the log and the context's callback.
    #[must_use]
    pub fn because(self, reason: impl Into<String>) -> Self {
        with(|state| state.reason = Some((Some(self), reason.into())));
        self
    }
}

/// Gives the reason why a call without an error code answers NULL.
pub fn null_because(reason: impl Into<String>) {
    with(|state| state.reason = Some((None, reason.into())));
}

/// Notes the context that the call is about, by its callback; the first one stays.
pub fn about(callback: Option<Callback>) {
    if callback.is_some() {
        with(|state| {
            if state.callback.is_none() {
                state.callback = callback;
            }
        });
    }
}

/// An API call of this thread. Calls nest where callbacks of the application call OpenCL.
pub struct Call {
    /// Facts about the call around it, if there are any.
    outer: Option<State>,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").finish_non_exhaustive()
    }
}

impl Call {
    /// Begins a call: nothing is known about its error.
    pub fn begin() -> Self {
        let outer = with(State::take).flatten();
        Self { outer }
    }

    /// The reason of an error, if it was given.
    pub fn text(&self, error: Error) -> Option<String> {
        self.reason(Some(error)).map(|(text, _)| text)
    }

    /// The reason of the call's error (`None` for NULL without a code), if it was given, and the
    /// callback to tell.
    pub fn reason(&self, error: Option<Error>) -> Option<(String, Option<Callback>)> {
        let state = with(std::mem::take)?;
        let (of, reason) = state.reason?;
        (of == error).then_some((reason, state.callback))
    }
}

/// Takes the reason of an error that does not become the call's, if it was given.
pub fn take(error: Error) -> Option<String> {
    let (of, reason) = with(|state| state.reason.take())??;
    (of == Some(error)).then_some(reason)
}

impl Drop for Call {
    fn drop(&mut self) {
        let outer = self.outer.take();
        let inner = with(|state| match outer {
            Some(outer) => Some(std::mem::replace(state, outer)),
            None => state.take(),
        });
        // A callback goes without the state borrowed.
        drop(inner);
    }
}

#[cfg(test)]
mod tests {
    use super::{Call, about, null_because};
    use crate::base::error::Error;
    use std::sync::Arc;

    #[test]
    fn a_reason_belongs_to_its_error_and_call() {
        let outer = Call::begin();
        let _ = Error::InvalidValue.because("outer");
        {
            let inner = Call::begin();
            assert!(inner.reason(Some(Error::InvalidValue)).is_none());
            let _ = Error::InvalidArgSize.because("inner");
            about(Some(Arc::new(|_: &str| ())));
            let (reason, callback) = inner.reason(Some(Error::InvalidArgSize)).expect("given");
            assert_eq!(reason, "inner");
            assert!(callback.is_some());
            null_because("too large");
            assert!(inner.reason(Some(Error::InvalidValue)).is_none());
            null_because("too large");
            assert_eq!(inner.reason(None).expect("given").0, "too large");
        }
        let (reason, callback) = outer.reason(Some(Error::InvalidValue)).expect("given");
        assert_eq!(reason, "outer");
        assert!(callback.is_none());
    }
}
