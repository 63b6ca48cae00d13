//! File tests of the descriptor form: what `pumicec` makes of `filetests/descriptors/*.cl`.
//!
//! A line `// options: -pod-ubo` holds the command line. The descriptor map and the
//! listing of the reflection, or the messages where the program cannot be built, stand in the
//! `.map` file beside (`PUMICE_BLESS=1`). Every module must pass spirv-val for Vulkan, of the
//! version that a line `// validate: vulkan1.0` names, with its reflection stripped.

use pumice_filetests::{directive, golden};
use pumice_test_support::filetests;
use pumice_test_support::mutants::words_of;
use pumice_test_support::spirv_tools;
use std::path::Path;
use std::process::Command;

/// Runs `pumicec`; its output, or its messages.
fn pumicec(words: &[&str], emit: &str, path: &Path) -> Result<Vec<u8>, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_pumicec"))
        .args(words)
        .arg(format!("--emit={emit}"))
        .arg(path)
        .output()
        .expect("pumicec runs");
    if output.status.success() {
        return Ok(output.stdout);
    }
    let folder = path.parent().expect("a folder").display().to_string();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_ne!(output.status.code(), None, "{text}");
    Err(text.replace(&format!("{folder}/"), ""))
}

/// Ids of functions say nothing about the interface.
fn without_ids(listing: &str) -> String {
    let mut parts = listing.split("function: FunctionId(");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        text.push_str(part.split_once("), ").map_or(part, |(_, rest)| rest));
    }
    text
}

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let options = directive::value(&text, "options").ok_or("no line '// options:'")?;
    let words: Vec<&str> = options.split_whitespace().collect();
    let map = match pumicec(&words, "descriptor-map", path) {
        Ok(map) => map,
        Err(messages) => return Ok(messages),
    };
    let listing = pumicec(&words, "reflection", path)?;
    let module = pumicec(&words, "vulkan", path)?;
    let module = words_of(&module);
    let stripped = pumice_reflection::strip_non_semantic(&module);
    let environment = directive::value(&text, "validate").unwrap_or("vulkan1.2");
    spirv_tools::validate(&stripped, environment)
        .map_err(|e| format!("{e}\n{}", spirv_tools::disassemble(&module)))?;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ok(format!("{}\n{}", text(map), without_ids(&text(listing))))
}

#[test]
fn maps_and_reflection() {
    golden::run_files(&filetests("descriptors"), &["cl"], 30, "map", run);
}

/// The lines of the document's descriptor maps, word for word.
#[test]
fn the_documents_lines() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/descriptors");
    let sizes = "spec_constant,workgroup_size_x,spec_id,0\n\
                 spec_constant,workgroup_size_y,spec_id,1\n\
                 spec_constant,workgroup_size_z,spec_id,2\n";
    for (file, option, lines) in [
        (
            "document_unclustered",
            "-cluster-pod-kernel-args=0",
            "kernel_decl,foo\n\
             kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer\n\
             kernel,foo,arg,f,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,pod,argSize,4\n\
             kernel,foo,arg,b,argOrdinal,2,descriptorSet,0,binding,2,offset,0,argKind,buffer\n\
             kernel,foo,arg,c,argOrdinal,3,descriptorSet,0,binding,3,offset,0,argKind,pod,argSize,4\n",
        ),
        (
            "document_samplers",
            "-cluster-pod-kernel-args=0",
            "sampler,18,samplerExpr,\"CLK_ADDRESS_CLAMP_TO_EDGE|CLK_FILTER_NEAREST|CLK_NORMALIZED_COORDS_FALSE\",descriptorSet,0,binding,0\n\
             sampler,35,samplerExpr,\"CLK_ADDRESS_CLAMP_TO_EDGE|CLK_FILTER_LINEAR|CLK_NORMALIZED_COORDS_TRUE\",descriptorSet,0,binding,1\n\
             kernel_decl,foo\n\
             kernel,foo,arg,a,argOrdinal,0,descriptorSet,1,binding,0,offset,0,argKind,buffer\n\
             kernel,foo,arg,f,argOrdinal,1,descriptorSet,1,binding,1,offset,0,argKind,pod,argSize,4\n\
             kernel,foo,arg,b,argOrdinal,2,descriptorSet,1,binding,2,offset,0,argKind,buffer\n\
             kernel,foo,arg,c,argOrdinal,3,descriptorSet,1,binding,3,offset,0,argKind,pod,argSize,4\n\
             kernel,foo,arg,i,argOrdinal,4,descriptorSet,1,binding,4,offset,0,argKind,ro_image\n\
             kernel,foo,arg,o,argOrdinal,5,descriptorSet,1,binding,5,offset,0,argKind,wo_image\n\
             kernel,foo,arg,s,argOrdinal,6,descriptorSet,1,binding,6,offset,0,argKind,sampler\n",
        ),
        (
            "document_local",
            "--abi=descriptors",
            "kernel_decl,foo\n\
             kernel,foo,arg,L,argOrdinal,0,argKind,local,arrayElemSize,4,arrayNumElemSpecId,3\n\
             kernel,foo,arg,A,argOrdinal,1,descriptorSet,0,binding,0,offset,0,argKind,buffer\n\
             kernel,foo,arg,L2,argOrdinal,2,argKind,local,arrayElemSize,16,arrayNumElemSpecId,4\n",
        ),
        (
            "document_default",
            "--abi=descriptors",
            "kernel_decl,foo\n\
             kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer\n\
             kernel,foo,arg,b,argOrdinal,2,descriptorSet,0,binding,1,offset,0,argKind,buffer\n\
             kernel,foo,arg,f,argOrdinal,1,descriptorSet,0,binding,2,offset,0,argKind,pod,argSize,4\n\
             kernel,foo,arg,c,argOrdinal,3,descriptorSet,0,binding,2,offset,4,argKind,pod,argSize,4\n",
        ),
        (
            "document_constants",
            "-module-constants-in-storage-buffer",
            "constant,descriptorSet,1,binding,0,kind,buffer,hexbytes,\
             61000000cdab34120000803f62000000ffffffff0000c03f000000000000000000000000\n\
             kernel_decl,foo\n\
             kernel,foo,arg,A,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer\n\
             kernel,foo,arg,i,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,pod,argSize,4\n",
        ),
    ] {
        let path = dir.join(file).with_extension("cl");
        let map = pumicec(&[option], "descriptor-map", &path).expect("it builds");
        assert_eq!(
            String::from_utf8(map).expect("text"),
            format!("{lines}{sizes}"),
            "{file}"
        );
    }
}

/// -cl-native-math changes what functions become, in both forms and both spellings.
#[test]
fn native_math() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/run");
    let path = dir.join("native_math.cl");
    let natives = |options: &[&str]| {
        let text = pumicec(options, "lowered", &path).expect("it builds");
        String::from_utf8(text)
            .expect("text")
            .matches("native_")
            .count()
    };
    assert_eq!(natives(&[]), 0);
    for options in [
        &["-cl-native-math"][..],
        &["--cl-native-math"],
        &["-cl-native-math", "--abi=descriptors"],
    ] {
        assert!(natives(options) >= 4, "{options:?}");
    }
}

/// A buffer that is loaded before it is stored to has a variable for the loads that nothing in the launch writes, and one for
/// the others.
#[test]
fn unwritten_loads() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/descriptors");
    let path = dir.join("unwritten_loads.cl");
    let module = pumicec(&["--abi=descriptors"], "vulkan", &path).expect("it builds");
    let words = words_of(&module);
    let listing = spirv_tools::disassemble(&words);
    let variables = |decoration: &str| {
        let lines = listing.lines().map(str::trim);
        let lines =
            lines.filter(|line| line.starts_with("OpDecorate") && line.ends_with(decoration));
        lines.count()
    };
    assert_eq!(
        (variables("NonWritable"), variables("Aliased")),
        (2, 3),
        "{listing}"
    );
}
