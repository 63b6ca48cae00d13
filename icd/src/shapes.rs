//! Functions that the shapes in [`crate::table`]'s list stand for, and what follows from the list.

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

/// Defines the dispatch table, the exported names and the address queries of a list.
macro_rules! entry_points {
    (
        tabled { $($shape:ident $name:ident => $module:ident::$function:ident($(@$given:ident,)? $($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)* }
        untabled { $($ushape:ident $uname:ident => $umodule:ident::$ufunction:ident($(@$ugiven:ident,)? $($uarg:ident: $uty:ty),* $(,)?) $(-> $uret:ty)?;)* }
        extensions { $($ename:ident,)* }
    ) => {
        /// The private functions behind table, wrappers and address queries.
        mod entry {
            #[allow(clippy::wildcard_imports, reason = "the names that the one list uses")]
            use super::*;
            $(entry_point!($shape $name => $module::$function($(@$given,)? $($arg: $ty),*) $(-> $ret)?);)*
            $(entry_point!($ushape $uname => $umodule::$ufunction($(@$ugiven,)? $($uarg: $uty),*) $(-> $uret)?);)*
        }

        /// The exported names.
        mod exported {
            #[allow(clippy::wildcard_imports, reason = "the names that the one list uses")]
            use super::*;
            $(exported!($shape $name($($arg: $ty),*) $(-> $ret)?);)*
            $(exported!($ushape $uname($($uarg: $uty),*) $(-> $uret)?);)*
        }

        /// The dispatch table that every object points at. It is one of cl_khr_icd 1.0, without
        /// the tags of 2.0: ocl-icd 2.3.3 hands a platform that has them a table inside an array
        /// that it moves when it loads the next driver, and every later call jumps into freed
        /// memory.
        static TABLE: cl_icd_dispatch = cl_icd_dispatch {
            $($name: Some(entry::$name),)*
            ..EMPTY
        };

        /// The address of an extension's entry point (clGetExtensionFunctionAddressForPlatform).
        fn extension_address(name: &CStr) -> *mut c_void {
            match name.to_str() {
                $(Ok(stringify!($ename)) => entry::$ename as *mut c_void,)*
                Ok(name) => addressed::find(name),
                Err(_) => std::ptr::null_mut(),
            }
        }
    };
}

pub(crate) use {entry_point, entry_points, exported};
