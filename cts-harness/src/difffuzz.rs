//! Random programs on a platform against what the interpreter expects.
//!
//! Takes: the program that writes kernel files from seeds, and a platform's name.
//! Gives: the files that failed, with reasons, in a folder.
//! Never: runs a program in the process that keeps the books; drivers may crash.

use crate::cl::Session;
use crate::kernel_file::{self, NO_IMAGES};
use crate::process;
use crate::run::{cores, in_parallel};
use pumice_filetests::KernelFile;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Programs a process runs before the next one is started.
const BATCH: u64 = 25;

/// Time limit of a batch's process.
const PATIENCE: Duration = Duration::from_secs(1200);

/// Seconds of the processor's time that a program gets unless told otherwise, all its runs together: some hundredth
/// of them keep the compiler below the driver busy for minutes. They are left out.
const SHARE: u64 = 4;

/// Message for a program during which the process ended: the driver crashed, or this tool did.
const ENDED: &str = "the process did not finish";

/// A device, or one with something masked: what the processes that run programs find in their environment.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Name in reports.
    pub name: String,
    /// Variables with their values.
    pub env: Vec<(String, String)>,
    /// Files that hold one of these texts are left out.
    pub skip: Vec<String>,
}

/// Parameters of a fuzzing campaign.
#[derive(Debug)]
pub struct Campaign {
    /// The program that writes kernel files.
    pub generator: PathBuf,
    /// Words for it before the seeds: the kind of programs.
    pub kind: Option<String>,
    /// Folder of files, failures and the next seed.
    pub folder: PathBuf,
    /// The first seed; what the folder remembers if `None`.
    pub from: Option<u64>,
    /// Number of seeds.
    pub count: u64,
    /// More build options, one run for each besides the run without.
    pub options: Vec<String>,
    /// Seconds of the processor's time that a program gets; those that take more are left out.
    pub share: u64,
    /// Processes that run programs at once.
    pub jobs: usize,
    /// The forms, each of which runs every program; the interpreter answers once for all.
    pub forms: Vec<Form>,
    /// A part of the platform's name.
    pub platform: String,
}

/// Programs of a campaign on one form.
#[derive(Clone, Debug, Default)]
struct Tally {
    good: u64,
    bad: u64,
    ended: u64,
    left_out: u64,
}

impl Tally {
    fn count(&mut self, why: Option<&str>) {
        match why {
            None => self.good += 1,
            Some(why) if why.starts_with(ENDED) => self.ended += 1,
            Some(_) => self.bad += 1,
        }
    }
}

/// Seeds with what is wrong with them.
type Results = BTreeMap<u64, Option<String>>;

impl Default for Campaign {
    fn default() -> Self {
        Self {
            generator: PathBuf::new(),
            kind: None,
            folder: PathBuf::new(),
            from: None,
            count: 100,
            options: Vec::new(),
            share: SHARE,
            jobs: cores(),
            forms: vec![Form::default()],
            platform: String::new(),
        }
    }
}

fn text(error: std::io::Error) -> String {
    error.to_string()
}

/// Returns the CPU time of this process, in hundredths of a second.
fn processor_time() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in brackets, may hold blanks; the times are the twelfth and thirteenth behind it.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let times = fields.split_whitespace().skip(11).take(2);
    times.filter_map(|time| time.parse::<u64>().ok()).sum()
}

/// Ends the process with a line `slow` when a program has had its share since `began`.
fn watch(began: &'static AtomicU64, seconds: u64) {
    std::thread::spawn(move || {
        let share = seconds.saturating_mul(100);
        while processor_time() < began.load(Ordering::Relaxed) + share {
            std::thread::sleep(Duration::from_millis(200));
        }
        println!("slow");
        // The driver is at work: nobody waits for it, and its exit handlers do not run.
        std::process::abort();
    });
}

/// Runs files, for the parent: a line before each and a line `ok` or `FAIL why` after it, or
/// `slow` as the last, behind a file that takes more than its share of seconds.
///
/// # Errors
/// No number of seconds, or no such platform.
pub fn run_files(share: &str, platform: &str, args: &[String]) -> Result<(), String> {
    let share = (share.parse()).map_err(|_| format!("{share}: no number of seconds"))?;
    let device = Session::open(platform).map_err(|error| error.to_string())?;
    let split = args.iter().position(|a| a == "--").unwrap_or(args.len());
    let (files, options) = (&args[..split], args.get(split + 1..).unwrap_or(&[]));
    static BEGAN: AtomicU64 = AtomicU64::new(0);
    BEGAN.store(processor_time(), Ordering::Relaxed);
    watch(&BEGAN, share);
    for path in files {
        println!("run {path}");
        BEGAN.store(processor_time(), Ordering::Relaxed);
        let outcome = fs::read_to_string(path).map_err(text).and_then(|source| {
            let file = KernelFile::parse_test(&source)?;
            kernel_file::check(&file, &device, &source, "")?;
            options.iter().try_for_each(|more| {
                kernel_file::check(&file, &device, &source, more)
                    .map_err(|why| format!("with {more}: {why}"))
            })
        });
        match outcome {
            Ok(()) => println!("ok"),
            Err(why) => println!("FAIL {}", why.replace('\n', "\\n")),
        }
    }
    Ok(())
}

impl Campaign {
    /// Runs the seeds; whether none failed.
    ///
    /// # Errors
    /// The generator or the folder cannot be used, or the platform is not there.
    pub fn run(&self) -> Result<bool, String> {
        let failed = self.folder.join("failed");
        fs::create_dir_all(&failed).map_err(text)?;
        let state = self.folder.join("next");
        let remembered = fs::read_to_string(&state).ok();
        let start = self
            .from
            .or_else(|| remembered.and_then(|text| text.trim().parse().ok()))
            .unwrap_or(1);
        let mut tallies = vec![Tally::default(); self.forms.len()];
        let mut seed = start;
        while seed < start + self.count {
            let batch = BATCH * self.jobs.max(1) as u64;
            let count = batch.min(start + self.count - seed);
            for (seed, why) in self.batch(seed, count, &mut tallies)? {
                println!("{seed}: {}", why.chars().take(400).collect::<String>());
                fs::write(failed.join(format!("{seed}.txt")), why).map_err(text)?;
            }
            seed += count;
            fs::write(&state, format!("{seed}\n")).map_err(text)?;
        }
        for (form, tally) in self.forms.iter().zip(&tallies) {
            let Tally {
                good,
                bad,
                ended,
                left_out,
            } = tally;
            let place = [self.platform.as_str(), form.name.as_str()].join(" ");
            println!(
                "{good} programs agree, {bad} do not, {ended} ended the process, {left_out} left out, on {}",
                place.trim_end()
            );
        }
        Ok(tallies.iter().all(|tally| tally.bad + tally.ended == 0))
    }

    /// One batch: the seeds that failed, with the reasons.
    fn batch(
        &self,
        from: u64,
        count: u64,
        tallies: &mut [Tally],
    ) -> Result<BTreeMap<u64, String>, String> {
        let mut failed = self.generate(from, count)?;
        let refused = failed.clone();
        for (form, tally) in self.forms.iter().zip(tallies) {
            let results = self.run_form(form, from, count, &refused)?;
            tally.left_out += count - results.len() as u64;
            for (seed, why) in results {
                tally.count(why.as_deref());
                let (Some(why), None) = (why, refused.get(&seed)) else {
                    continue;
                };
                let told = failed.entry(seed).or_default();
                if !told.is_empty() {
                    told.push('\n');
                }
                if !form.name.is_empty() {
                    told.push_str(&format!("{}: ", form.name));
                }
                told.push_str(&why);
            }
        }
        for seed in from..from + count {
            let bad = self.folder.join(format!("{seed}.bad.cl"));
            let file = if bad.exists() { bad } else { self.file(seed) };
            let outcome = if failed.contains_key(&seed) {
                fs::rename(&file, self.folder.join("failed").join(format!("{seed}.cl")))
            } else {
                fs::remove_file(&file)
            };
            outcome.map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(failed)
    }

    /// Writes the files of seeds; those that the compiler refuses or the passes change, with the reasons.
    fn generate(&self, from: u64, count: u64) -> Result<BTreeMap<u64, String>, String> {
        let generated = Command::new(&self.generator)
            .args(&self.kind)
            .args([from.to_string(), count.to_string()])
            .arg(&self.folder)
            .stderr(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.generator.display()))?;
        if generated.status.code().is_none_or(|code| code > 1) {
            return Err(format!(
                "{}: {}",
                self.generator.display(),
                generated.status
            ));
        }
        let mut refused: BTreeMap<u64, String> = BTreeMap::new();
        let mut last = None;
        for line in String::from_utf8_lossy(&generated.stdout).lines() {
            let named = line
                .split_once(": ")
                .and_then(|(seed, why)| Some((seed.parse().ok()?, why)));
            if let Some((seed, why)) = named {
                refused.insert(seed, why.to_string());
                last = Some(seed);
            } else if let Some(why) = last.and_then(|seed| refused.get_mut(&seed)) {
                why.push('\n');
                why.push_str(line);
            }
        }
        Ok(refused)
    }

    /// Runs the seeds of a batch on one form; without those that it leaves out, and those with images that the device has not.
    fn run_form(
        &self,
        form: &Form,
        from: u64,
        count: u64,
        refused: &BTreeMap<u64, String>,
    ) -> Result<Results, String> {
        let mut results: Results = (refused.iter())
            .map(|(&seed, why)| (seed, Some(why.clone())))
            .collect();
        let unwanted = |file: &Path| {
            let holds = |text: String| form.skip.iter().any(|skipped| text.contains(skipped));
            fs::read_to_string(file).is_ok_and(holds)
        };
        let wanted: Vec<u64> = (from..from + count)
            .filter(|seed| !refused.contains_key(seed) && !unwanted(&self.file(*seed)))
            .collect();
        let jobs = self.jobs.clamp(1, wanted.len().max(1));
        let parts: Vec<Vec<u64>> = (0..jobs)
            .map(|first| wanted.iter().copied().skip(first).step_by(jobs).collect())
            .collect();
        let ran = Mutex::new(Vec::new());
        in_parallel(&parts, jobs, |slot, part| {
            let done = self.run_seeds(form, part, slot);
            ran.lock()
                .unwrap_or_else(|dead| dead.into_inner())
                .push(done);
        });
        for part in ran.into_inner().unwrap_or_else(|dead| dead.into_inner()) {
            results.extend(part?);
        }
        // Formats are the device's choice.
        let lacks = |why: &Option<String>| why.as_ref().is_some_and(|why| why.contains(NO_IMAGES));
        results.retain(|_, why| !lacks(why));
        Ok(results)
    }

    /// Runs seeds one after the other, in a new process after each that ended one; without those that are too slow.
    /// `slot` is the number of the thread.
    fn run_seeds(&self, form: &Form, seeds: &[u64], slot: usize) -> Result<Results, String> {
        let mut results = Results::new();
        let mut left = seeds.to_vec();
        while !left.is_empty() {
            let (ran, slow) = self.process(form, &left, slot)?;
            left.retain(|seed| !ran.contains_key(seed) && slow != Some(*seed));
            results.extend(ran);
        }
        Ok(results)
    }

    fn file(&self, seed: u64) -> PathBuf {
        self.folder.join(format!("{seed}.cl"))
    }

    /// Runs seeds in one process, up to the first that ends it; the results, and that seed if it
    /// was too slow.
    fn process(
        &self,
        form: &Form,
        seeds: &[u64],
        slot: usize,
    ) -> Result<(Results, Option<u64>), String> {
        let program = std::env::current_exe().map_err(text)?;
        let log = self.folder.join(format!("batch-{slot}.txt"));
        let mut command = Command::new(program);
        command
            .args(["--files", &self.share.to_string(), &self.platform])
            .args(seeds.iter().map(|seed| self.file(*seed)))
            .arg("--")
            .args(&self.options)
            .envs(form.env.iter().map(|(name, value)| (name, value)))
            // No program comes again: do not fill anybody's cache.
            .env("PUMICE_CACHE", "off")
            .env("MESA_SHADER_CACHE_DISABLE", "true");
        let end = process::run(&mut command, &log, PATIENCE).map_err(text)?;
        let mut results = BTreeMap::new();
        let mut running: Option<u64> = None;
        for line in fs::read_to_string(&log).map_err(text)?.lines() {
            if let Some(path) = line.strip_prefix("run ") {
                let stem = Path::new(path).file_stem().and_then(|s| s.to_str());
                running = stem.and_then(|s| s.parse().ok());
            } else if line == "slow" {
                return Ok((results, running));
            } else if line == "ok" || line.starts_with("FAIL ") {
                if let Some(seed) = running.take() {
                    let why = line.strip_prefix("FAIL ");
                    results.insert(seed, why.map(|why| why.replace("\\n", "\n")));
                }
            }
        }
        match running {
            Some(seed) => {
                results.insert(seed, Some(format!("{ENDED}: {end:?}")));
            }
            None if results.is_empty() => {
                let said = process::tail(&log, 2000);
                return Err(format!("nothing ran: {end:?}\n{said}"));
            }
            None => {}
        }
        Ok((results, None))
    }
}
