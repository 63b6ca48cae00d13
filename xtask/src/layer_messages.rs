//! Settings and messages of the Khronos validation layer.

use crate::clients::{self, Client, Setting};
use crate::sh::{self, Result};
use std::path::PathBuf;
use std::time::Duration;

/// The folder of the layer's settings and of the file of its messages. Each process that loads the layer begins the file
/// anew: one that is looked at later has a folder of its own ([`Messages::own`]).
pub struct Messages {
    /// The folder.
    pub folder: PathBuf,
}

impl Messages {
    /// The file of messages.
    pub fn log(&self) -> PathBuf {
        self.folder.join("messages.txt")
    }

    /// The variable by which the layer finds the settings.
    pub fn variable(&self) -> (&'static str, String) {
        ("VK_LAYER_SETTINGS_PATH", self.folder.display().to_string())
    }

    /// Sets the kinds of messages that are written, unfiltered, and synchronization validation on or off;
    /// `None` for a layer that is older than the latter.
    pub fn settings(&self, kinds: &str, synchronization: Option<bool>) -> Result {
        let mut lines = vec![
            "debug_action = VK_DBG_LAYER_ACTION_LOG_MSG".to_string(),
            format!("report_flags = {kinds}"),
            format!("log_filename = {}", self.log().display()),
        ];
        if let Some(on) = synchronization {
            lines.push("enable_message_limit = false".to_string());
            lines.push(format!("validate_sync = {on}"));
        }
        let text: String = lines
            .iter()
            .map(|line| format!("khronos_validation.{line}\n"))
            .collect();
        sh::write(&self.folder.join("vk_layer_settings.txt"), text)
    }

    /// Those of one program, none yet, with all kinds that tests look at.
    pub fn own(&self, name: &str, synchronization: Option<bool>) -> Result<Messages> {
        let own = Messages {
            folder: self.folder.join(name),
        };
        own.settings("error,warn,perf", synchronization)?;
        own.forget();
        Ok(own)
    }

    /// Runs a client with settings and messages of its own; it must succeed and the layer say nothing.
    pub fn run(
        &self,
        client: &Client,
        setting: &Setting<'_>,
        synchronization: Option<bool>,
    ) -> Result {
        let own = self.own(&client.name, synchronization)?;
        let env: Vec<_> = setting
            .env
            .iter()
            .cloned()
            .chain([own.variable()])
            .collect();
        let setting = Setting {
            env: &env,
            ..*setting
        };
        let done = clients::run(client, &setting, Duration::from_secs(600))?;
        done.verdict().and_then(|()| own.silent())
    }

    /// Removes the messages so far, so that a message belongs to one test.
    pub fn forget(&self) {
        sh::remove(&self.log());
    }

    /// Fails with the beginning of the messages if there are any.
    pub fn silent(&self) -> Result {
        let messages = std::fs::read_to_string(self.log()).unwrap_or_default();
        if messages.trim().is_empty() {
            Ok(())
        } else {
            Err(messages.chars().take(4000).collect())
        }
    }
}
