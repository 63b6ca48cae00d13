//! The context of the application's that objects are shared with.

/// The kind of an interface to the window system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// EGL.
    Egl,
    /// GLX.
    Glx,
}

/// A context of the application's: its handles as integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The interface that the handles are of.
    pub kind: BindingKind,
    /// `EGLDisplay` or `Display *`.
    pub display: usize,
    /// `EGLContext` or `GLXContext`; 0 for none of the application's (EGL only).
    pub context: usize,
}
