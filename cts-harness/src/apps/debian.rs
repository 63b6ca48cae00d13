//! Applications that Debian has.

use super::list::{APP, App, Check};
use crate::facts::Feature;

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
        success: &[Check::Zero(" test(s) failed"), Check::Never("WRONG")],
        limit: 900,
        ..APP
    }
}

/// The rows.
pub(super) const ROWS: &[App] = &[
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
    // Not quick: most of it is building, which takes the debug library 50 s.
    clblast(
        "clblast-xgemv",
        "clblast_test_xgemv -platform 0 -device 0",
        "BLAS 2, vector loads",
    ),
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
            Check::Never("a command failed"),
        ],
        needs: Some(Feature::Images),
        ..APP
    },
    App {
        name: "hcxkeys",
        exercises: "WPA's keys of a list of passwords against the program for the host",
        debian: &["hcxkeys"],
        command: "sh -u \"$APPS\"/hcxkeys.sh",
        success: &[Check::Says("70 of 70 keys equal"), Check::Never("WRONG")],
        quick: true,
        ..APP
    },
    clblast(
        "clblast-blas1",
        "sh -u \"$APPS\"/clblast.sh xswap xscal xcopy xdotu xdotc xnrm2 xasum",
        "the rest of BLAS 1",
    ),
    clblast(
        "clblast-blas2",
        "sh -u \"$APPS\"/clblast.sh xger xgeru xgerc xsymv xhemv xsyr2 xher",
        "BLAS 2: outer products, symmetric and Hermitian matrices",
    ),
    clblast(
        "clblast-blas3",
        "sh -u \"$APPS\"/clblast.sh xsyrk xtrsm",
        "BLAS 3: symmetric updates, triangular equations",
    ),
    clblast(
        "clblast-extra",
        "sh -u \"$APPS\"/clblast.sh xhad xomatcopy xim2col",
        "products by element, transposed copies, pictures as columns",
    ),
    App {
        name: "ufo",
        exercises: "a tomography framework's filters: graphs of tasks, images, buffers, backprojection",
        debian: &["libufo-bin", "ufo-filters", "python3-scipy"],
        command: "UFO_DEVICE_TYPE=cpu,gpu,acc /usr/bin/python3 \"$APPS\"/ufo.py",
        success: &[Check::Says("21 of 21 filters equal"), Check::Never("WRONG")],
        needs: Some(Feature::Images),
        ..APP
    },
    App {
        name: "bullet3",
        exercises: "a physics engine's sorts, scans and searches, and three ways to find boxes that touch",
        debian: &["libbullet-dev", "g++", "ocl-icd-opencl-dev"],
        prepare: "test bullet3 -nt \"$APPS\"/bullet3.cpp || g++ -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -I/usr/include/bullet -o bullet3 \
                  \"$APPS\"/bullet3.cpp -lBullet3OpenCL_clew -lBullet3Collision -lBullet3Geometry -lBullet3Common -lOpenCL",
        command: "./bullet3",
        success: &[Check::Says("11 of 11 equal"), Check::Never("WRONG")],
        quick: true,
        ..APP
    },
    App {
        name: "libgpuarray",
        exercises: "the arrays of Theano: generated element-wise kernels, reductions, views, against NumPy",
        debian: &["python3-pygpu", "python3-pytest"],
        command: "tests=\nfor name in basic elemwise gpu_ndarray operations reduction tools; do \
                  tests=\"$tests /usr/lib/python3/dist-packages/pygpu/tests/test_$name.py\"; done\n\
                  DEVICE=opencl0:0 /usr/bin/python3 -m pytest -q -p no:cacheprovider $tests",
        success: &[Check::Before(" passed", 67), Check::Never(" failed")],
        ..APP
    },
    App {
        name: "erlang-cl",
        exercises: "Erlang's binding: kernels, events, errors and a build's log",
        debian: &["erlang-cl", "erlang-base"],
        command: "escript \"$APPS\"/erlang_cl.escript",
        success: &[Check::Says("5 of 5 equal"), Check::Never("WRONG")],
        quick: true,
        ..APP
    },
    App {
        name: "libreoffice-calc",
        exercises: "sixteen columns of formulas in double precision, values against the host's",
        debian: &["libreoffice-calc", "python3"],
        command: "python3 \"$APPS\"/calc.py",
        success: &[Check::Says("16 of 16 columns equal"), Check::Never("WRONG")],
        ..APP
    },
];
