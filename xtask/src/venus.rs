//! Clients and kernel files on Mesa's Venus, by which programs in virtual machines reach the Vulkan driver outside.
//!
//! virglrenderer's test server stands for the virtual machine's monitor: it runs sid's lavapipe, and Venus talks to it
//! through a socket. What the kernel would do for shared memory is done by `tests/shims/udmabuf.c`.

use crate::compiler::Compiler;
use crate::drivers::{self, VulkanDriver};
use crate::newest_layer::{self, Layer, Stand};
use crate::private_apt;
use crate::sh::{self, Result};
use crate::shim;
use crate::test::Report;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The drivers, the server, the validation layer and the C++ library; their dependencies come too.
const PACKAGES: &[&str] = &[
    "mesa-vulkan-drivers",
    "virgl-server",
    "vulkan-validationlayers",
    "libvulkan1",
    "libstdc++6",
];

/// The server, which ends with this.
struct Server {
    process: Child,
    socket: PathBuf,
}

impl Server {
    /// Starts the server on sid's lavapipe and waits for its socket.
    fn start(place: &Path, layer: &Layer) -> Result<Self> {
        let folder = sh::target().join("venus");
        sh::make_folder(&folder)?;
        let shim = folder.join("libudmabuf.so");
        let source = sh::root().join("tests/shims/udmabuf.c");
        let flags = ["-shared", "-fPIC"].map(String::from);
        Compiler::system().compile(&source, &shim, &flags)?;
        // The server starts it by its path, and the system's C library is too old for it.
        let renderer = folder.join("render_server");
        let with_libraries = |program: &str| {
            let mut words = vec![layer.dynamic_linker().display().to_string()];
            words.extend([
                "--library-path".into(),
                layer.libraries.display().to_string(),
            ]);
            words.extend(["--preload".into(), shim.display().to_string()]);
            words.push(place.join(program).display().to_string());
            words
        };
        let words = with_libraries("usr/libexec/virgl_render_server").join(" ");
        sh::write(&renderer, format!("#!/bin/sh\nexec {words} \"$@\"\n"))?;
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&renderer, executable).map_err(|error| error.to_string())?;
        let socket = folder.join("socket");
        sh::remove(&socket);
        let log = folder.join("server.log");
        let log =
            std::fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let words = with_libraries("usr/bin/virgl_test_server");
        let process = Command::new(&words[0])
            .args(&words[1..])
            .args(["--venus", "--no-virgl", "--multi-clients", "--socket-path"])
            .arg(&socket)
            .env("RENDER_SERVER_EXEC_PATH", &renderer)
            .env("VK_DRIVER_FILES", drivers::absolute_manifest(place, "lvp")?)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("virgl_test_server: {error}"))?;
        let server = Self { process, socket };
        let began = Instant::now();
        while !server.socket.exists() {
            if began.elapsed() > Duration::from_secs(20) {
                return Err("virgl_test_server makes no socket".to_string());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The step.
pub fn run(report: &mut Report) -> Result {
    let place = private_apt::unpack_closure("sid", "venus", PACKAGES)?;
    shim::link_llvm(&place)?;
    let layer = Layer::at(&place);
    let server = Server::start(&place, &layer)?;
    let env = [
        ("VN_DEBUG", "vtest".to_string()),
        ("VTEST_SOCKET_NAME", server.socket.display().to_string()),
    ];
    let stand = Stand {
        driver: VulkanDriver {
            name: "Venus (sid)",
            manifest: drivers::absolute_manifest(&place, "virtio")?,
            driver_info: "venus Mesa…, on llvmpipe Mesa",
            library_path: Vec::new(),
            lacks: &["denormals"],
            faulty: false,
        },
        layer,
        clients: "clients-venus",
        messages: "venus",
    };
    newest_layer::run_ways(report, &stand, &[("Venus", &env)], None)
}
