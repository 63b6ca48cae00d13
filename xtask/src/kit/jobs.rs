//! The jobs of a kit: the list that `pumice-cts kit` reads.
//!
//! Opening a device can take a card's driver most of a second, during which no other process opens one. So many
//! kernel files share a process, and a suite of OpenCL-CTS is one process.

use crate::clients::Client;
use serde_json::{Value, json};

/// A part that runs only if it is asked for.
pub const ON_REQUEST: &str = "rough";

/// Clients of that part: they end devices, never end, fill disks or start processes in great number.
const ROUGH: &[&str] = &[
    "cache",
    "device_loss",
    "exit_any",
    "exit_fork",
    "exit_order",
    "exit_unfinished",
    "faults",
    "full_disk",
    "soak",
    "stress",
    "terminate",
    "terminate_mixed",
    "terminate_running",
];

/// Folders of kernel files in `compiler/filetests`, each with the number of files that share a process.
pub const FILES: &[(&str, usize)] = &[("run", 16), ("check", 8)];

/// Rows of the benchmark that are kernels; they say most about a card, so that they come first.
const KERNELS: &[&str] = &[
    "saxpy",
    "copy4",
    "reduction",
    "scan",
    "histogram",
    "sgemm",
    "nbody",
    "mandelbrot",
    "transpose",
    "spmv",
];

/// Rows about the driver's own work and transfers.
const OVERHEADS: &[&str] = &[
    "launch and finish",
    "launch, 1000 before a finish",
    "processor time, launch",
    "write 16",
    "read 16",
    "map 16",
    "memcpy 16",
    "new buffer",
    "build, small",
    "process start",
];

/// Folders of suites that take a minute or much more, the longest last: a run whose time is limited comes to the others first.
const LONG: &[&str] = &[
    "images/clGetInfo",
    "allocations",
    "basic",
    "conversions",
    "math_brute_force",
];

/// A line of a list of OpenCL-CTS.
pub struct Suite {
    /// The test program, relative to the build.
    pub binary: String,
    /// Its arguments.
    pub words: Vec<String>,
}

impl Suite {
    /// The folder of the program and its data, relative to the build.
    fn folder(&self) -> &str {
        self.binary
            .rsplit_once('/')
            .map_or(".", |(folder, _)| folder)
    }
}

/// One job.
pub struct Job {
    part: &'static str,
    name: String,
    words: Vec<String>,
    folder: Option<String>,
    env: Vec<(String, String)>,
    needs: Vec<String>,
    limit: u32,
    alone: bool,
    never: Option<&'static str>,
}

impl Job {
    fn new(part: &'static str, name: &str, words: &[&str], limit: u32) -> Job {
        Job {
            part,
            name: name.to_string(),
            words: words.iter().map(|word| word.to_string()).collect(),
            folder: None,
            env: Vec::new(),
            needs: Vec::new(),
            limit,
            alone: false,
            never: None,
        }
    }

    fn alone(self) -> Job {
        Job {
            alone: true,
            ..self
        }
    }

    /// Sets the environment of tests: they build what they say they build.
    fn without_cache(mut self) -> Job {
        self.env.push(("PUMICE_CACHE".into(), "off".into()));
        self
    }

    /// As `kit.json` has it.
    pub fn json(&self) -> Value {
        let env: serde_json::Map<String, Value> = (self.env.iter())
            .map(|(key, value)| (key.clone(), value.clone().into()))
            .collect();
        let mut job = json!({
            "part": self.part,
            "name": self.name,
            "words": self.words,
            "env": env,
            "needs": self.needs,
            "limit": self.limit,
            "alone": self.alone,
        });
        if let Some(folder) = &self.folder {
            job["folder"] = folder.as_str().into();
        }
        if let Some(never) = self.never {
            job["never"] = never.into();
        }
        job
    }
}

/// All jobs, part by part. `files` are the kernel files by folder.
pub fn list(clients: &[Client], files: &[(&str, Vec<String>)], suites: &[Suite]) -> Vec<Job> {
    let mut jobs = facts();
    jobs.extend(bench());
    let is_rough = |client: &&Client| ROUGH.contains(&client.name.as_str());
    let (rough, tame): (Vec<&Client>, Vec<&Client>) = clients.iter().partition(is_rough);
    jobs.extend(tame.into_iter().map(|client| of_client("clients", client)));
    jobs.extend(files.iter().flat_map(|(folder, names)| {
        let per = FILES.iter().find(|(name, _)| name == folder);
        of_files(folder, names, per.map_or(1, |(_, per)| *per))
    }));
    let mut suites: Vec<&Suite> = suites.iter().collect();
    suites.sort_by_key(|suite| LONG.iter().position(|name| suite.folder() == *name));
    jobs.extend(suites.into_iter().map(of_suite));
    // One that ends the device or the processor's patience takes others with it.
    let rough = rough
        .into_iter()
        .map(|client| of_client(ON_REQUEST, client));
    jobs.extend(rough.map(|job| Job { limit: 300, ..job }.alone()));
    jobs
}

fn facts() -> Vec<Job> {
    let job = |name, words: &[&str]| Job::new("facts", name, words, 120).alone();
    vec![
        job("info", &["bin/pumice-info"]),
        job("opencl", &["bin/pumice-cts", "facts", "Pumice"]),
        job(
            "report",
            &["bin/pumice-probe", "report", "lib/libpumice.so"],
        ),
    ]
}

fn bench() -> Vec<Job> {
    let job = |name: &str, rows: &[&str]| {
        let json = format!("@OUT/{name}.json");
        let mut words = vec!["bin/pumice-bench", "--rounds", "2", "--json", &json];
        words.extend(rows.iter().flat_map(|row| ["--only", row]));
        words.push("Pumice");
        Job::new("bench", name, &words, 120).alone()
    };
    vec![job("kernels", KERNELS), job("overheads", OVERHEADS)]
}

fn of_client(part: &'static str, client: &Client) -> Job {
    let program = format!("clients/{}", client.name);
    let mut job = Job::new(part, &client.name, &[&program], 120).without_cache();
    job.never = Some("FAIL");
    if client.without_vulkan {
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            job.env
                .push((name.into(), "/nonexistent/no-driver.json".into()));
        }
    }
    job.env.extend(client.env.iter().cloned());
    job.needs = client.needs.clone();
    job
}

fn of_files(folder: &str, names: &[String], per: usize) -> Vec<Job> {
    let job = |(index, names): (usize, &[String])| {
        let files = names.iter().map(|name| format!("files/{folder}/{name}"));
        let name = format!("{folder}-{index}");
        let words = ["bin/pumice-clrun", "--skip-missing", "Pumice"];
        let mut job = Job::new("files", &name, &words, 300);
        job.words.extend(files);
        job.without_cache()
    };
    (1..).zip(names.chunks(per)).map(job).collect()
}

fn of_suite(suite: &Suite) -> Job {
    let folder = suite.folder();
    let plain = suite.words.iter().filter(|word| !word.starts_with('-'));
    let name: Vec<&str> = [folder]
        .into_iter()
        .chain(plain.map(String::as_str))
        .collect();
    let program = format!("cts/{}", suite.binary);
    let mut job = Job::new("suites", &name.join(" "), &[&program], 600);
    job.words.extend(suite.words.iter().cloned());
    // Suites look for their data beside themselves.
    job.folder = Some(format!("cts/{folder}"));
    job
}

#[cfg(test)]
mod tests {
    use super::{FILES, Job, ON_REQUEST, ROUGH, Suite, list};
    use crate::clients;
    use std::collections::HashSet;
    use std::path::Path;

    fn jobs() -> Vec<Job> {
        let clients = clients::describe_all(Path::new("clients")).unwrap();
        let names: Vec<String> = (0..40).map(|i| format!("{i}.cl")).collect();
        let files: Vec<(&str, Vec<String>)> = FILES
            .iter()
            .map(|(folder, _)| (*folder, names.clone()))
            .collect();
        let suite = |binary: &str, words: &[&str]| Suite {
            binary: binary.to_string(),
            words: words.iter().map(|word| word.to_string()).collect(),
        };
        let suites = [
            suite("math_brute_force/test_bruteforce", &["-w"]),
            suite("basic/test_basic", &["-w"]),
            suite("api/test_api", &["-w"]),
            suite(
                "images/clCopyImage/test_cl_copy_images",
                &["-w", "max_images"],
            ),
        ];
        list(&clients, &files, &suites)
    }

    #[test]
    fn parts_come_in_order_and_names_once() {
        let jobs = jobs();
        let mut parts: Vec<&str> = jobs.iter().map(|job| job.part).collect();
        parts.dedup();
        let order = ["facts", "bench", "clients", "files", "suites", ON_REQUEST];
        assert_eq!(parts, order);
        let mut seen = HashSet::new();
        for job in &jobs {
            assert!(seen.insert((job.part, &job.name)), "{} twice", job.name);
            let measures = ["facts", "bench", ON_REQUEST].contains(&job.part);
            assert_eq!(job.alone, measures, "{}", job.name);
        }
    }

    #[test]
    fn long_suites_come_last() {
        let jobs = jobs();
        let suites = jobs.iter().filter(|job| job.part == "suites");
        let names: Vec<&str> = suites.map(|job| job.name.as_str()).collect();
        let order = [
            "api",
            "images/clCopyImage max_images",
            "basic",
            "math_brute_force",
        ];
        assert_eq!(names, order);
    }

    #[test]
    fn each_client_is_one_job() {
        let jobs = jobs();
        let clients = clients::describe_all(Path::new("clients")).unwrap();
        for client in &clients {
            let program = format!("clients/{}", client.name);
            let own: Vec<&Job> = jobs
                .iter()
                .filter(|job| job.words == [program.as_str()])
                .collect();
            let [job] = own[..] else {
                panic!("{}: {} jobs", client.name, own.len());
            };
            let rough = ROUGH.contains(&client.name.as_str());
            assert_eq!(job.part == ON_REQUEST, rough, "{}", client.name);
            let has = |pair| job.env.contains(pair);
            assert!(client.env.iter().all(has), "{}", client.name);
            let needs = job.json()["needs"].clone();
            assert_eq!(needs, serde_json::json!(client.needs), "{}", client.name);
        }
        for name in ROUGH {
            assert!(clients.iter().any(|client| client.name == *name), "{name}");
        }
    }

    #[test]
    fn files_share_processes_and_suites_run_beside_their_data() {
        let jobs = jobs();
        for (folder, per) in FILES {
            let begins = format!("files/{folder}/");
            let of_folder = |job: &&Job| job.words.iter().any(|word| word.starts_with(&begins));
            let own: Vec<&Job> = jobs.iter().filter(of_folder).collect();
            assert_eq!(own.len(), 40_usize.div_ceil(*per));
            // The program, an option and the platform stand before them.
            assert_eq!(own.iter().map(|job| job.words.len() - 3).sum::<usize>(), 40);
        }
        let suite = jobs
            .iter()
            .find(|job| job.name == "images/clCopyImage max_images");
        let suite = suite.unwrap().json();
        assert_eq!(suite["folder"], "cts/images/clCopyImage");
        let words = [
            "cts/images/clCopyImage/test_cl_copy_images",
            "-w",
            "max_images",
        ];
        assert_eq!(suite["words"], serde_json::json!(words));
    }
}
