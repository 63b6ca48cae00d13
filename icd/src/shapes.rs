//! Functions that the shapes in [`crate::table`]'s list stand for.

/// Defines the private entry of one entry point.
macro_rules! entry_point {
    (status $name:ident => $module:ident::$function:ident($(@$given:ident,)? $($arg:ident: $ty:ty),*)) => {
        pub(super) unsafe extern "C" fn $name($($arg: $ty),*) -> cl_int {
            // SAFETY: the arguments are the application's, as the C API states their rules.
            shim::status(stringify!($name), || unsafe { $module::$function($($given(),)? $($arg),*) })
        }
    };
    (object $name:ident => $module:ident::$function:ident($(@$given:ident,)? $($arg:ident: $ty:ty),*) -> $ret:ty) => {
        pub(super) unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut cl_int) -> $ret {
            // SAFETY: the arguments are the application's, as the C API states their rules.
            let result = shim::object(stringify!($name), || unsafe { $module::$function($($given(),)? $($arg),*) });
            // SAFETY: errcode_ret is NULL or points to a cl_int.
            unsafe { shim::write_errcode(result, errcode_ret) }
        }
    };
    (linked $name:ident => $module:ident::$function:ident($(@$given:ident,)? $($arg:ident: $ty:ty),*) -> $ret:ty) => {
        pub(super) unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut cl_int) -> $ret {
            // SAFETY: the arguments are the application's, as the C API states their rules.
            let (value, result) = shim::linked(stringify!($name), || unsafe { $module::$function($($given(),)? $($arg),*) });
            // SAFETY: errcode_ret is NULL or points to a cl_int.
            unsafe { shim::write_status(result, errcode_ret) };
            value
        }
    };
    (plain $name:ident => $module:ident::$function:ident($(@$given:ident,)? $($arg:ident: $ty:ty),*) -> $ret:ty) => {
        pub(super) unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            // SAFETY: the arguments are the application's, as the C API states their rules.
            shim::plain(stringify!($name), || unsafe { $module::$function($($given(),)? $($arg),*) })
        }
    };
}

/// Defines the exported wrapper of one entry point.
macro_rules! exported {
    (status $name:ident($($arg:ident: $ty:ty),*)) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> cl_int {
            // SAFETY: the same contract.
            unsafe { entry::$name($($arg),*) }
        }
    };
    (linked $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty) => {
        exported!(object $name($($arg: $ty),*) -> $ret);
    };
    (object $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut cl_int) -> $ret {
            // SAFETY: the same contract.
            unsafe { entry::$name($($arg,)* errcode_ret) }
        }
    };
    (plain $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            // SAFETY: the same contract.
            unsafe { entry::$name($($arg),*) }
        }
    };
}

pub(crate) use {entry_point, exported};
