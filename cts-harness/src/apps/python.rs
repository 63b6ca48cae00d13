//! Applications that PyPI has.

use super::list::{APP, App, Check};
use crate::facts::Feature;

const PYOPENCL: &[&str] = &["pyopencl==2026.1.4", "pytest==9.2.0", "Mako==1.4.3"];

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

/// The rows.
pub(super) const ROWS: &[App] = &[
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
        name: "pyclesperanto",
        exercises: "filters and labelling of images",
        python: &["pyclesperanto==0.25.1", "scipy==1.17.1"],
        command: "\"$PYTHON\" \"$APPS\"/clesperanto.py",
        success: &[Check::Zero(" wrong"), Check::Never("WRONG")],
        needs: Some(Feature::Images),
        ..APP
    },
    App {
        name: "reikna",
        exercises: "generated kernels: transformations, reductions, transposes, norms, against NumPy",
        python: &[
            "reikna==0.9.0",
            "pyopencl==2026.1.4",
            "pytest==9.2.0",
            "Mako==1.4.3",
            "scipy==1.17.1",
        ],
        prepare: "test -d source || { \"$PYTHON\" -m pip download -q --no-deps --no-binary reikna reikna==0.9.0 && \
                  mkdir source.new && tar -xzf reikna-0.9.0.tar.gz -C source.new && mv source.new source; }",
        // The rest of its tests asks newer PyOpenCL for a name that it no longer has, or takes minutes.
        command: "cd source/reikna-0.9.0 && PYOPENCL_NO_CACHE=1 \"$PYTHON\" -m pytest -q -p no:cacheprovider -W ignore \
                  test/test_transformations.py test/test_linalg/test_norm.py test/test_algorithms/test_transpose.py \
                  test/test_algorithms/test_reduce.py test/test_algorithms/test_pureparallel.py",
        success: &[Check::Before(" passed", 117), Check::Never(" failed")],
        limit: 1200,
        ..APP
    },
    App {
        name: "pyvkfft",
        exercises: "VkFFT's OpenCL kernels in single and double precision, against NumPy",
        python: &[
            "pyvkfft==2025.1.1",
            "pyopencl==2026.1.4",
            "Mako==1.4.3",
            "numpy==2.4.6",
        ],
        debian: &["g++", "ocl-icd-opencl-dev"],
        command: "PYOPENCL_NO_CACHE=1 \"$PYTHON\" \"$APPS\"/vkfft.py",
        success: &[
            Check::Says("14 of 14 transforms agree"),
            Check::Never("WRONG"),
        ],
        limit: 600,
        ..APP
    },
    App {
        name: "tinygrad",
        exercises: "code that a framework for neural networks generates, against NumPy",
        python: &["tinygrad==0.14.0", "numpy==2.4.6"],
        command: "\"$PYTHON\" \"$APPS\"/tinygrad_cl.py",
        success: &[Check::Says("15 of 15 agree"), Check::Never("WRONG")],
        ..APP
    },
    App {
        name: "pmcxcl",
        exercises: "Monte Carlo of light in tissue: one large kernel, float atomics, against a simulation on the host",
        python: &["pmcxcl==0.7.5", "numpy==2.4.6"],
        command: "\"$PYTHON\" \"$APPS\"/pmcxcl_light.py",
        success: &[Check::Says("layers agree"), Check::Never("WRONG")],
        quick: true,
        ..APP
    },
    App {
        name: "kernel-tuner",
        exercises: "variants of a matrix product and a sum by tiles and vectors, each against NumPy",
        python: &[
            "kernel_tuner==1.5.0",
            "pyopencl==2026.1.4",
            "Mako==1.4.3",
            "numpy==2.4.6",
        ],
        command: "PYOPENCL_NO_CACHE=1 \"$PYTHON\" \"$APPS\"/kernel_tuning.py",
        success: &[
            Check::Says("15 of 15 variants right"),
            Check::Never("WRONG"),
        ],
        ..APP
    },
    App {
        name: "opencv-video",
        exercises: "optical flow, backgrounds, corners, lines, denoising, pyramids on UMat",
        python: &["opencv-python-headless==5.0.0.93", "numpy==2.4.6"],
        command: "OPENCV_OPENCL_DEVICE=:CPU: \"$PYTHON\" \"$APPS\"/opencv_video.py",
        success: &[Check::Says("17 of 17 equal"), Check::Never("WRONG")],
        limit: 600,
        ..APP
    },
    App {
        name: "compyle",
        exercises: "Python functions as OpenCL C: element-wise kernels, reductions, scans, sorts",
        debian: &["g++"],
        python: &[
            "compyle==0.9.1",
            "pyopencl==2026.1.4",
            "pytest==9.2.0",
            "Mako==1.4.3",
            "numpy==2.4.6",
        ],
        // NumPy no longer has the function that test_trapz compares with.
        command: "PYOPENCL_NO_CACHE=1 \"$PYTHON\" -m pytest -q -p no:cacheprovider -W ignore --pyargs -k 'opencl and not trapz' \
                  compyle.tests.test_parallel compyle.tests.test_low_level compyle.tests.test_array",
        success: &[Check::Before(" passed", 79), Check::Never(" failed")],
        limit: 600,
        ..APP
    },
    App {
        name: "llama",
        exercises: "llama.cpp: models of two layers in three formats on the device, logits and tokens against the host's",
        debian: &["g++", "ocl-icd-opencl-dev"],
        python: &["gguf==0.19.0", "numpy==2.4.6"],
        // The package is compiled, ten minutes of one processor. A part of it lands in a folder where it is not sought.
        prepare: "test -f \"$APPS_HOME\"/venv/has-llama || { \
                  CMAKE_ARGS='-DGGML_OPENCL=ON -DGGML_OPENCL_USE_ADRENO_KERNELS=OFF -DLLAVA_BUILD=OFF \
                  -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS_RELEASE=-O2' CMAKE_BUILD_PARALLEL_LEVEL=2 \
                  \"$PYTHON\" -m pip install -q --no-binary llama-cpp-python llama-cpp-python==0.3.36 && \
                  touch \"$APPS_HOME\"/venv/has-llama; }",
        // The back end takes devices by name, those of Intel and Qualcomm.
        command: "export LD_LIBRARY_PATH=\"$(\"$PYTHON\" -c 'import sysconfig; print(sysconfig.get_path(\"platlib\"))')/lib\"\n\
                  GGML_OPENCL_KERNEL_CACHE_DIR=off PUMICE_DEVICE_NAME='Pumice as Intel' PUMICE_DEVICE_TYPE=gpu \
                  \"$PYTHON\" \"$APPS\"/llama_tokens.py",
        success: &[
            Check::Says("offloaded 3/3 layers to GPU"),
            Check::Says("3 of 3 models agree"),
            Check::Never("WRONG"),
        ],
        limit: 2400,
        ..APP
    },
];
