//! Settings and messages of the Khronos validation layer.

use crate::clients::{self, Client, Setting};
use crate::sh::{self, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The line that ends the messages so far.
const END: &str = "end of the messages so far";

/// The folder of the layer's settings, and the messages of all processes that find the settings there.
///
/// The layer truncates its log file whenever a process creates an instance, so the log is a named pipe, which has nothing to
/// truncate; a thread reads it. Programs that run at the same time have a folder each ([`Messages::own`]).
pub struct Messages {
    folder: PathBuf,
    /// The pipe, open for reading and writing: no process waits for the other end, and none meets the end of the file.
    pipe: File,
    /// The lines that the thread has read.
    lines: Mutex<Receiver<String>>,
}

impl Messages {
    /// Makes the folder and the pipe in it. There are no settings yet.
    pub fn new(folder: &Path) -> Result<Self> {
        sh::make_folder(folder)?;
        let path = log(folder);
        sh::remove(&path);
        sh::run(Command::new("mkfifo").arg(&path))?;
        let failed = |error| format!("{}: {error}", path.display());
        let pipe = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        let reader = BufReader::new(pipe.try_clone().map_err(failed)?);
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in reader.split(b'\n').map_while(std::result::Result::ok) {
                if sender
                    .send(String::from_utf8_lossy(&line).into_owned())
                    .is_err()
                {
                    return;
                }
            }
        });
        Ok(Self {
            folder: folder.to_path_buf(),
            pipe,
            lines: Mutex::new(lines),
        })
    }

    /// Begins anew for a client: without messages, and with synchronization validation unless its commands race.
    pub fn begin(&self, client: &Client) -> Result {
        self.forget()?;
        self.settings("error,warn,perf", Some(!client.races))
    }

    /// Takes the messages that have been written since the last call.
    pub fn take(&self) -> Result<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        self.end().map_err(|error| error.to_string())?;
        let so_far = lines.iter().take_while(|line| line != END);
        Ok(so_far
            .filter(|line| !line.is_empty())
            .map(|line| line + "\n")
            .collect())
    }

    /// Writes the line that ends the messages so far. A process that was killed may have left a line without its end.
    fn end(&self) -> std::io::Result<()> {
        (&self.pipe).write_all(format!("\n{END}\n").as_bytes())
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
            format!("log_filename = {}", log(&self.folder).display()),
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
        let own = Messages::new(&self.folder.join(name))?;
        own.settings("error,warn,perf", synchronization)?;
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

    /// Forgets the messages so far, so that a message belongs to one test.
    pub fn forget(&self) -> Result {
        self.take().map(drop)
    }

    /// Fails with the beginning of the messages if there are any.
    pub fn silent(&self) -> Result {
        let messages = self.take()?;
        if messages.is_empty() {
            Ok(())
        } else {
            Err(messages.chars().take(4000).collect())
        }
    }
}

impl Drop for Messages {
    /// Ends the thread: it finds nobody who takes the line. A pipe that cannot be written to ends with the process.
    fn drop(&mut self) {
        if let Ok(lines) = self.lines.get_mut() {
            *lines = mpsc::channel().1;
        }
        self.end().ok();
    }
}

/// The file that the layer writes to.
fn log(folder: &Path) -> PathBuf {
    folder.join("messages.pipe")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes that truncate the log, as the layer does: the messages of both are seen.
    #[test]
    fn messages_of_all_processes_are_seen() {
        let folder = std::env::temp_dir().join(format!("pumice-messages-{}", std::process::id()));
        let messages = Messages::new(&folder).unwrap();
        for text in ["first\n", "second, without an end of the line"] {
            File::create(log(&folder))
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
        }
        assert_eq!(
            messages.take().unwrap(),
            "first\nsecond, without an end of the line\n"
        );
        assert_eq!(messages.silent(), Ok(()));
        File::create(log(&folder))
            .unwrap()
            .write_all(b"third\n")
            .unwrap();
        assert_eq!(messages.silent(), Err("third\n".to_string()));
        drop(messages);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
