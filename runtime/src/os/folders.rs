//! The folders of users on each operating system.

use std::ffi::OsString;
use std::path::PathBuf;

/// A folder of a user: that of a variable, else one below the home folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folder {
    /// The variable that names it.
    variable: &'static str,
    /// Its place below the home folder.
    below_home: &'static str,
}

/// The places in which the driver looks and keeps files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserFolders {
    /// Files that can be made again.
    pub cache: Folder,
    /// Settings.
    pub settings: Folder,
    /// The variable that names the home folder.
    home: &'static str,
    /// The settings of all users.
    pub system_file: &'static str,
}

/// Those of the XDG base directory specification.
const UNIX: UserFolders = UserFolders {
    cache: Folder {
        variable: "XDG_CACHE_HOME",
        below_home: ".cache",
    },
    settings: Folder {
        variable: "XDG_CONFIG_HOME",
        below_home: ".config",
    },
    home: "HOME",
    system_file: "/etc/pumice.conf",
};

/// Those of Windows.
const WINDOWS: UserFolders = UserFolders {
    cache: Folder {
        variable: "LOCALAPPDATA",
        below_home: "AppData/Local",
    },
    settings: Folder {
        variable: "APPDATA",
        below_home: "AppData/Roaming",
    },
    home: "USERPROFILE",
    system_file: "C:/ProgramData/pumice.conf",
};

/// Those of the system that this was built for.
pub(crate) const SYSTEM: UserFolders = if cfg!(windows) { WINDOWS } else { UNIX };

impl UserFolders {
    /// A folder by the variables of an environment; relative paths do not count.
    pub fn find(
        &self,
        folder: Folder,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Option<PathBuf> {
        let absolute = |name: &str| {
            let path = environment(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        absolute(folder.variable).or_else(|| Some(absolute(self.home)?.join(folder.below_home)))
    }
}

#[cfg(test)]
mod tests {
    use super::{UNIX, WINDOWS};
    use std::ffi::OsString;
    use std::path::PathBuf;

    #[test]
    fn a_variable_goes_before_the_home_folder() {
        let set = |wanted: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = wanted.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            }
        };
        let both = set(&[
            ("XDG_CACHE_HOME", "/a"),
            ("HOME", "/home/b"),
            ("LOCALAPPDATA", "/c"),
        ]);
        assert_eq!(UNIX.find(UNIX.cache, &both), Some(PathBuf::from("/a")));
        assert_eq!(
            UNIX.find(UNIX.settings, &both),
            Some(PathBuf::from("/home/b/.config"))
        );
        assert_eq!(
            WINDOWS.find(WINDOWS.cache, &both),
            Some(PathBuf::from("/c"))
        );
        assert_eq!(WINDOWS.find(WINDOWS.settings, &both), None);
        let relative = set(&[
            ("XDG_CACHE_HOME", "a"),
            ("HOME", "b"),
            ("USERPROFILE", "/u"),
        ]);
        assert_eq!(UNIX.find(UNIX.cache, &relative), None);
        let below = PathBuf::from("/u/AppData/Roaming");
        assert_eq!(WINDOWS.find(WINDOWS.settings, &relative), Some(below));
    }
}
