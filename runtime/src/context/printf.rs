//! The application's printf callback (cl_arm_printf).

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::base::callback;

/// The application's function: text, and whether a launch's text ends with it.
pub type PrintfCallback = Arc<dyn Fn(&[u8], bool) + Send + Sync>;

/// The callback of a context, and its calls that have not ended.
pub(super) struct Printf {
    callback: PrintfCallback,
    /// Guards the number of calls posted and not ended.
    pending: Mutex<usize>,
    ended: Condvar,
}

impl Printf {
    pub fn new(callback: PrintfCallback) -> Arc<Self> {
        Arc::new(Self {
            callback,
            pending: Mutex::new(0),
            ended: Condvar::new(),
        })
    }

    /// Gives the text of a launch to the application, on the thread for text.
    pub fn post(self: &Arc<Self>, text: Vec<u8>) {
        *self.pending.lock() += 1;
        let printf = self.clone();
        callback::post_text(move || {
            (printf.callback)(&text, true);
            *printf.pending.lock() -= 1;
            printf.ended.notify_all();
        });
    }

    /// Waits until the application has all text. A callback waits for none.
    pub fn wait(&self) {
        if callback::is_callback_thread() {
            return;
        }
        let mut pending = self.pending.lock();
        while *pending > 0 {
            self.ended.wait(&mut pending);
        }
    }
}
