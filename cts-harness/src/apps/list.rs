//! The applications: one row each.

/// Optional device feature that an application needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// CL_DEVICE_IMAGE_SUPPORT.
    Images,
}

/// Test for success in the output. All checks of a row must hold, besides exit status 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The text is there.
    Says(&'static str),
    /// The text is not there.
    Never(&'static str),
    /// The last number before the text is at least this: `25 passed`.
    Before(&'static str, u64),
    /// The last number after the text is at least this: `pass: 525`.
    After(&'static str, u64),
    /// Each number before the text is 0, and there is one: `0 test(s) failed`.
    Zero(&'static str),
}

/// An application.
#[derive(Clone, Copy, Debug)]
pub struct App {
    /// Name in reports.
    pub name: &'static str,
    /// Parts of OpenCL that it exercises.
    pub exercises: &'static str,
    /// Debian packages: `apt-get install --no-install-recommends`.
    pub debian: &'static [&'static str],
    /// Packages of PyPI, with versions, for the virtual environment that `$PYTHON` is of.
    pub python: &'static [&'static str],
    /// Command that runs once after the installation; not part of the time. As `command` otherwise.
    pub prepare: &'static str,
    /// Script for `sh`, in a folder of its own that stays from run to run. `$APPS` is this
    /// crate's folder `apps`, `$APPS_HOME` the folder of all applications, `$CLRUN` pumice-clrun.
    /// `$XDG_CACHE_HOME` is empty at its start, for drivers and applications alike.
    pub command: &'static str,
    /// Checks of the output.
    pub success: &'static [Check],
    /// Further checks on a device with this feature.
    pub success_with: Option<(Feature, &'static [Check])>,
    /// Feature that the device must have.
    pub needs: Option<Feature>,
    /// True if it installs within a minute and belongs to the tests that always run.
    pub quick: bool,
    /// Time limit in seconds, for a slow machine.
    pub limit: u64,
}

/// Default values of a row.
const APP: App = App {
    name: "",
    exercises: "",
    debian: &[],
    python: &[],
    prepare: "",
    command: "",
    success: &[],
    success_with: None,
    needs: None,
    quick: false,
    limit: 300,
};

const PYOPENCL: &[&str] = &["pyopencl==2026.1.4", "pytest==9.2.0", "Mako==1.4.3"];

const fn hashcat(name: &'static str, command: &'static str, exercises: &'static str) -> App {
    App {
        name,
        exercises,
        debian: &["hashcat"],
        command,
        success: &[
            Check::Says("password found"),
            Check::Never("self-test failed"),
        ],
        // LLVM 15 takes many minutes for the kernels of some modes on lavapipe 22.3.
        limit: 2400,
        ..APP
    }
}

const fn clblast(name: &'static str, command: &'static str, exercises: &'static str) -> App {
    App {
        name,
        exercises,
        debian: &["clblast-tests"],
        command,
        success: &[Check::Zero(" test(s) failed")],
        limit: 900,
        ..APP
    }
}

const fn pyopencl(name: &'static str, command: &'static str, least: &'static [Check]) -> App {
    App {
        name,
        exercises: "PyOpenCL's own tests",
        python: PYOPENCL,
        prepare: "sh -u \"$APPS\"/pyopencl.sh",
        command,
        success: least,
        limit: 900,
        ..APP
    }
}

/// The list.
pub const APPS: &[App] = &[
    App {
        name: "clinfo",
        exercises: "every query of platform and device",
        debian: &["clinfo"],
        command: "clinfo && clinfo --raw",
        success: &[
            Check::Says("Number of devices"),
            Check::Never("error"),
            Check::Never("<checkNULL"),
        ],
        quick: true,
        ..APP
    },
    App {
        name: "clpeak",
        exercises: "vectors of all widths, transfers, launches",
        debian: &["clpeak"],
        command: "clpeak",
        success: &[
            Check::Says("Kernel launch latency"),
            Check::Says("float16"),
            Check::Never("failed"),
            Check::Never("rror"),
        ],
        limit: 900,
        ..APP
    },
    App {
        name: "clfft-1d",
        exercises: "generated FFT kernels, powers of two",
        debian: &["clfft-client"],
        command: "clFFT-client -x 1024 -b 16 -p 1",
        success: &[Check::Says("Internal Client Test *****PASS*****")],
        quick: true,
        ..APP
    },
    App {
        name: "clfft-2d",
        exercises: "generated FFT kernels, radix 2, 3 and 5, transposes",
        debian: &["clfft-client"],
        command: "clFFT-client -x 240 -y 60 -b 2 -p 1",
        success: &[Check::Says("Internal Client Test *****PASS*****")],
        quick: true,
        ..APP
    },
    App {
        quick: true,
        ..clblast(
            "clblast-xaxpy",
            "clblast_test_xaxpy -platform 0 -device 0",
            "BLAS 1 in half, single, double and complex",
        )
    },
    App {
        quick: true,
        ..clblast(
            "clblast-xdot",
            "clblast_test_xdot -platform 0 -device 0",
            "reductions in local memory",
        )
    },
    App {
        quick: true,
        ..clblast(
            "clblast-xgemv",
            "clblast_test_xgemv -platform 0 -device 0",
            "BLAS 2, vector loads",
        )
    },
    clblast(
        "clblast-xgemm",
        "clblast_test_xgemm -platform 0 -device 0",
        "BLAS 3: tiles in local and private memory",
    ),
    hashcat(
        "hashcat-0",
        "sh -u \"$APPS\"/hashcat.sh 0",
        "MD5; a large include, macros on the command line",
    ),
    hashcat("hashcat-100", "sh -u \"$APPS\"/hashcat.sh 100", "SHA-1"),
    hashcat(
        "hashcat-1000",
        "sh -u \"$APPS\"/hashcat.sh 1000",
        "NTLM, UTF-16",
    ),
    hashcat("hashcat-1400", "sh -u \"$APPS\"/hashcat.sh 1400", "SHA-256"),
    hashcat(
        "hashcat-1700",
        "sh -u \"$APPS\"/hashcat.sh 1700",
        "SHA-512, 64-bit integers",
    ),
    hashcat(
        "hashcat-3200",
        "sh -u \"$APPS\"/hashcat.sh 3200",
        "bcrypt: tables in local memory, a long loop",
    ),
    hashcat(
        "hashcat-22000",
        "sh -u \"$APPS\"/hashcat.sh 22000",
        "WPA: PBKDF2 and AES, several kernels",
    ),
    App {
        name: "gpyfft",
        exercises: "clFFT with callbacks through PyOpenCL",
        debian: &["python3-gpyfft", "python3-pytest"],
        command: "/usr/bin/python3 -m pytest -q -p no:cacheprovider /usr/lib/python3/dist-packages/gpyfft/test",
        success: &[Check::Before(" passed", 13), Check::Never(" failed")],
        ..APP
    },
    App {
        name: "viennacl",
        exercises: "generated BLAS 1 to 3, sparse matrices, conjugate gradients",
        debian: &["libviennacl-dev", "g++", "ocl-icd-opencl-dev"],
        prepare: "test viennacl -nt \"$APPS\"/viennacl.cpp || g++ -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -o viennacl \"$APPS\"/viennacl.cpp -lOpenCL",
        command: "./viennacl",
        success: &[Check::Zero(" wrong"), Check::Never("WRONG")],
        quick: true,
        ..APP
    },
    App {
        name: "piglit",
        exercises: "API, program and execution tests",
        debian: &["piglit"],
        command: "sh -u \"$APPS\"/piglit.sh",
        // Of 531, on a device without images of 524. docs/applications.md names what does not pass.
        success: &[Check::After("pass:", 516)],
        success_with: Some((Feature::Images, &[Check::After("pass:", 525)])),
        limit: 1200,
        ..APP
    },
    pyopencl(
        "pyopencl-wrapper",
        "sh -u \"$APPS\"/pyopencl.sh test_wrapper.py -k 'not spirv'",
        &[Check::Before(" passed", 37), Check::Never(" failed")],
    ),
    pyopencl(
        "pyopencl-spirv",
        "sh -u \"$APPS\"/pyopencl.sh test_wrapper.py -k spirv",
        &[Check::Before(" passed", 1), Check::Never(" failed")],
    ),
    pyopencl(
        "pyopencl-clmath",
        "sh -u \"$APPS\"/pyopencl.sh test_clmath.py",
        &[Check::Before(" passed", 25), Check::Never(" failed")],
    ),
    pyopencl(
        "pyopencl-clrandom",
        "sh -u \"$APPS\"/pyopencl.sh test_clrandom.py",
        &[Check::Before(" passed", 14), Check::Never(" failed")],
    ),
    pyopencl(
        "pyopencl-copy",
        "sh -u \"$APPS\"/pyopencl.sh test_enqueue_copy.py",
        &[Check::Before(" passed", 2), Check::Never(" failed")],
    ),
    pyopencl(
        "pyopencl-structs",
        "sh -u \"$APPS\"/pyopencl.sh test_arrays_in_structs.py",
        &[Check::Before(" passed", 1), Check::Never(" failed")],
    ),
    pyopencl(
        "pyopencl-array",
        // The cache's location depends on Python packages; that test fails on every driver.
        "sh -u \"$APPS\"/pyopencl.sh test_array.py -k 'not xdg'",
        &[Check::Before(" passed", 155), Check::Never(" failed")],
    ),
    pyopencl(
        "pyopencl-algorithm",
        "sh -u \"$APPS\"/pyopencl.sh test_algorithm.py",
        &[Check::Before(" passed", 10), Check::Never(" failed")],
    ),
    App {
        name: "opencv",
        exercises: "twenty image operations on UMat",
        python: &["opencv-python-headless==5.0.0.93", "numpy==2.4.6"],
        command: "OPENCV_OPENCL_DEVICE=:CPU: \"$PYTHON\" \"$APPS\"/opencv_umat.py",
        success: &[Check::Says("20 of 20 equal"), Check::Never("WRONG")],
        limit: 600,
        ..APP
    },
    App {
        name: "silx",
        exercises: "scans, reductions, sparse matrices, codecs through PyOpenCL",
        python: &[
            "silx==3.1.3",
            "pooch==1.9.0",
            "pyopencl==2026.1.4",
            "pytest==9.2.0",
            "Mako==1.4.3",
        ],
        command: "modules=\nfor name in addition array_utils backprojection doubleword image kahan linalg \
                  processing projection sparse stats; do modules=\"$modules silx.opencl.test.test_$name\"; done\n\
                  PYOPENCL_NO_CACHE=1 \"$PYTHON\" -m pytest -q -p no:cacheprovider --pyargs $modules \
                  silx.opencl.codec.test.test_bitshuffle_lz4 silx.opencl.codec.test.test_byte_offset",
        success: &[Check::Before(" passed", 24), Check::Never(" failed")],
        limit: 600,
        ..APP
    },
    App {
        name: "oclgrind",
        exercises: "our own kernel files under a checker for races and bounds",
        debian: &["oclgrind"],
        command: "sh -u \"$APPS\"/oclgrind.sh",
        success: &[
            Check::Before(" kernel files", 20),
            Check::Never("WRONG"),
            Check::Never("FOUND"),
        ],
        limit: 900,
        ..APP
    },
    App {
        name: "boost-compute",
        exercises: "sorts, scans, sets, structs and random numbers against the standard library",
        debian: &["libboost-dev", "g++", "ocl-icd-opencl-dev"],
        prepare: "test boost_compute -nt \"$APPS\"/boost_compute.cpp || g++ -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -o boost_compute \"$APPS\"/boost_compute.cpp -lOpenCL",
        command: "./boost_compute",
        success: &[Check::Says("25 of 25 equal"), Check::Never("WRONG")],
        limit: 600,
        ..APP
    },
    App {
        name: "openmm",
        exercises: "molecular dynamics: forces against a reference",
        python: &["openmm==8.6.1"],
        command: "\"$PYTHON\" -m openmm.testInstallation",
        success: &[
            Check::Says("Reference vs. OpenCL"),
            Check::Says("All differences are within tolerance"),
        ],
        limit: 600,
        ..APP
    },
    App {
        name: "lightgbm",
        exercises: "histograms in local memory, predictions against the host's",
        python: &["lightgbm==4.7.0", "numpy==2.4.6"],
        command: "\"$PYTHON\" \"$APPS\"/lightgbm_gpu.py",
        success: &[
            Check::Says("Using GPU Device"),
            Check::Says("5 of 5 agree"),
            Check::Never("WRONG"),
        ],
        limit: 600,
        ..APP
    },
    App {
        name: "halide",
        exercises: "code that Halide generates: tiles, local memory, atomics, halves, doubles",
        python: &["halide==21.0.0", "numpy==2.4.6"],
        command: "\"$PYTHON\" \"$APPS\"/halide_opencl.py",
        success: &[Check::Says("9 of 9 equal"), Check::Never("WRONG")],
        limit: 600,
        ..APP
    },
    App {
        name: "sasmodels",
        exercises: "models of X-ray scattering: large kernels in double and single precision",
        python: &["sasmodels==1.1.0", "pyopencl==2026.1.4", "Mako==1.4.3"],
        command: "PYOPENCL_NO_CACHE=1 \"$PYTHON\" -m sasmodels.model_test opencl all",
        success: &[Check::After("Ran ", 100), Check::Never("FAILED")],
        limit: 1200,
        ..APP
    },
    App {
        name: "pyfai",
        exercises: "azimuthal integration: sparse matrices, histograms, sorting in local memory",
        python: &[
            "pyFAI==2026.9.0",
            "pyopencl==2026.1.4",
            "pytest==9.2.0",
            "Mako==1.4.3",
        ],
        command: "modules=\nfor name in addition collective ocl_sort preproc ocl_azim_csr ocl_azim_lut ocl_histo; do \
                  modules=\"$modules pyFAI.opencl.test.test_$name\"; done\n\
                  PYOPENCL_NO_CACHE=1 \"$PYTHON\" -m pytest -q -p no:cacheprovider --pyargs $modules",
        success: &[Check::Before(" passed", 25), Check::Never(" failed")],
        limit: 600,
        ..APP
    },
    App {
        name: "dpctl",
        exercises: "SYCL by Intel's DPC++: shared memory, kernels of source and SPIR-V",
        python: &["dpctl==0.22.1", "pytest==9.2.0", "numpy==2.4.6"],
        // The first needs a C compiler's Cython; the others make sub-devices of every processor.
        command: "\"$PYTHON\" -m pytest -q -p no:cacheprovider --pyargs dpctl.tests \
                  -k 'not cython_api and not context_multi_device and not memory_copy_between_contexts'",
        success: &[
            Check::Before(" passed", 1300),
            Check::Never(" failed"),
            Check::Never(" error"),
        ],
        limit: 900,
        ..APP
    },
    App {
        name: "dpnp",
        exercises: "NumPy in SYCL: Fourier transforms, random numbers, sorts, sums against NumPy",
        python: &["dpnp==0.20.0", "pytest==9.2.0", "numpy==2.4.6"],
        // What is left out are errors of the library, on Intel's driver too: queues that it takes
        // for strangers, and types that it has not.
        command: "\"$PYTHON\" -m pytest -q -p no:cacheprovider -k 'not MultivariateNormal and not test_shuffle1' --pyargs \
                  dpnp.tests.test_fft dpnp.tests.test_random dpnp.tests.test_counting dpnp.tests.test_histogram",
        success: &[Check::Before(" passed", 2700), Check::Never(" failed")],
        limit: 1800,
        ..APP
    },
    App {
        name: "leela-zero",
        exercises: "a Go player's network: Winograd convolutions, a tuner, against the host",
        debian: &["leela-zero", "python3"],
        command: "PUMICE_DEVICE_TYPE=gpu python3 \"$APPS\"/leela.py single",
        success: &[Check::Says("3 of 3 positions agree"), Check::Never("WRONG")],
        limit: 1800,
        ..APP
    },
    App {
        name: "starpu",
        exercises: "a task scheduler's examples with the device as the only worker",
        debian: &["starpu-examples"],
        command: "sh -u \"$APPS\"/starpu.sh vector_scal variable block fblock incrementer matvecmult",
        success: &[Check::Before(" examples passed", 6), Check::Never("WRONG")],
        limit: 900,
        ..APP
    },
    App {
        name: "gegl",
        exercises: "21 filters of GIMP's core, results against the host's",
        debian: &["gegl", "clinfo"],
        command: "sh -u \"$APPS\"/gegl.sh",
        success: &[
            Check::Before(" operations used the device", 18),
            Check::Zero(" wrong"),
            Check::Never("WRONG"),
        ],
        ..APP
    },
    App {
        name: "x264",
        exercises: "a video encoder's lookahead: images, atomics, many queues of commands",
        debian: &["x264", "python3"],
        command: "sh -u \"$APPS\"/x264.sh 30",
        success: &[
            Check::Says("OpenCL acceleration enabled"),
            Check::Says("films agree"),
        ],
        needs: Some(Feature::Images),
        limit: 600,
        ..APP
    },
    App {
        name: "ffmpeg",
        exercises: "fourteen image filters, and one between a decoder and an encoder",
        debian: &["ffmpeg"],
        command: "sh -u \"$APPS\"/ffmpeg.sh",
        success: &[
            Check::Says("ok program"),
            Check::Says("ok film of 10 frames"),
            Check::Never("WRONG"),
        ],
        needs: Some(Feature::Images),
        ..APP
    },
    App {
        name: "darktable",
        exercises: "a raw developer's pipeline, images and buffers",
        debian: &["darktable", "ffmpeg", "clinfo"],
        command: "sh -u \"$APPS\"/darktable.sh",
        success: &[
            Check::Says("pictures agree"),
            Check::Never("OpenCL was not used"),
        ],
        needs: Some(Feature::Images),
        ..APP
    },
    App {
        name: "pyclesperanto",
        exercises: "filters and labelling of images",
        python: &["pyclesperanto==0.25.1", "scipy==1.17.1"],
        command: "\"$PYTHON\" \"$APPS\"/clesperanto.py",
        success: &[Check::Zero(" wrong"), Check::Never("WRONG")],
        needs: Some(Feature::Images),
        ..APP
    },
];
