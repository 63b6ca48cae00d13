//! Single instructions on the machine's Vulkan device against the interpreter: integer
//! arithmetic, conversions in every rounding mode, and the functions that expand to exact
//! code. Without a device the tests say so and pass.

mod device_dispatch;

use device_dispatch::{device, dispatch, for_driver};
use pumice_backend::vulkan;
use pumice_compiler::{LowerOptions, Target};
use pumice_interp::{Arg, Inputs, NdRange};
use pumice_test_support::lowering_passes;
use pumice_test_support::number_kernels::{
    floats, integers, interpret, is_nan, kernel, pairs, renumbered,
};
use pumice_vulkan_layer::LogicalDevice;

/// Differences between device and interpreter, as text.
fn differences(
    device: &LogicalDevice,
    instruction: &str,
    types: &[&str],
    result: &str,
    rows: &[Vec<u64>],
) -> Vec<String> {
    let text = kernel(instruction, types, result);
    let mut module = renumbered(&text);
    let target = for_driver(device, Target::reference());
    lowering_passes::lower(&mut module, &target).expect("lowers");
    let want = interpret(&module, rows);
    let words = vulkan::emit(&module, &target, &LowerOptions::default())
        .expect("emits")
        .words;
    let input: Vec<u8> = rows
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let inputs = Inputs {
        buffers: vec![input, vec![0; rows.len() * 8]],
        args: [0, 1]
            .map(|index| Arg::Buffer { index, offset: 0 })
            .to_vec(),
    };
    let range = NdRange::linear(rows.len() as u64, 1);
    let (output, _) = dispatch(device, &words, "k", &inputs, &range);
    let got = output.buffers[1]
        .chunks(8)
        .map(|c| u64::from_le_bytes(c.try_into().expect("8 bytes")));
    let float = result.strip_prefix('f').and_then(|n| n.parse::<u32>().ok());
    rows.iter()
        .zip(want.into_iter().zip(got))
        .filter(|(_, (want, got))| {
            let nans = float.is_some_and(|n| is_nan(n, *want) && is_nan(n, *got));
            want != got && !nans
        })
        .map(|(row, (want, got))| {
            format!("{instruction} {types:?} -> {result} of {row:x?}: {want:#x}, device {got:#x}")
        })
        .collect()
}

fn report(all: Vec<Vec<String>>) {
    let list: Vec<String> = all.into_iter().flatten().collect();
    assert!(
        list.is_empty(),
        "{} differences\n{}",
        list.len(),
        list[..list.len().min(40)].join("\n")
    );
}

#[test]
fn integer_instructions() {
    let Some(device) = device() else { return };
    let mut all = Vec::new();
    for bits in [8, 16, 32, 64] {
        let ty = format!("i{bits}");
        let values = integers(bits);
        let rows = pairs(&values);
        for op in [
            "sdiv", "srem", "udiv", "urem", "smul_hi", "umul_hi", "shl", "lshr", "ashr", "smin",
            "umax", "imul",
        ] {
            // Division by zero gives anything, but the same in both.
            all.push(differences(&device, op, &[&ty, &ty], &ty, &rows));
        }
        for op in ["icmp.slt", "icmp.ult"] {
            all.push(differences(&device, op, &[&ty, &ty], "bool", &rows));
        }
        let single: Vec<Vec<u64>> = values.iter().map(|&v| vec![v]).collect();
        for op in ["popcount", "clz", "ctz", "bit_reverse"] {
            all.push(differences(
                &device,
                &format!("math.{op}"),
                &[&ty],
                &ty,
                &single,
            ));
        }
        for op in ["s_add_sat", "u_sub_sat", "s_rhadd", "rotate", "s_abs_diff"] {
            let op = format!("math.ocl.{op}");
            all.push(differences(&device, &op, &[&ty, &ty], &ty, &rows));
        }
    }
    report(all);
}

#[test]
fn conversions() {
    let Some(device) = device() else { return };
    let mut all = Vec::new();
    for bits in [16, 32, 64] {
        let ty = format!("f{bits}");
        let rows = floats(bits);
        for mode in ["", ".rte", ".rtz", ".rtp", ".rtn"] {
            for to in [16, 32, 64] {
                if to != bits {
                    let op = format!("f_to_f{mode}");
                    all.push(differences(&device, &op, &[&ty], &format!("f{to}"), &rows));
                }
            }
            for to in [8, 16, 32, 64] {
                let int = format!("i{to}");
                for op in ["f_to_s_sat", "f_to_u_sat"] {
                    let op = format!("{op}{mode}");
                    all.push(differences(&device, &op, &[&ty], &int, &rows));
                }
                let values = integers(to);
                let values: Vec<Vec<u64>> = values.iter().map(|&v| vec![v]).collect();
                for op in ["s_to_f", "u_to_f"] {
                    let op = format!("{op}{mode}");
                    all.push(differences(&device, &op, &[&int], &ty, &values));
                }
            }
        }
    }
    report(all);
}

#[test]
fn float_functions() {
    let Some(device) = device() else { return };
    let mut all = Vec::new();
    for bits in [16, 32, 64] {
        let ty = format!("f{bits}");
        let values: Vec<u64> = floats(bits).into_iter().map(|r| r[0]).collect();
        let single: Vec<Vec<u64>> = values.iter().map(|&v| vec![v]).collect();
        let rows: Vec<Vec<u64>> = pairs(&values).into_iter().step_by(3).collect();
        for op in ["fadd", "fsub", "fmul"] {
            all.push(differences(&device, op, &[&ty, &ty], &ty, &rows));
        }
        for op in [
            "copysign",
            "fdim",
            "fmin",
            "fmax",
            "maxmag",
            "minmag",
            "nextafter",
            "step",
        ] {
            let op = format!("math.ocl.{op}");
            all.push(differences(&device, &op, &[&ty, &ty], &ty, &rows));
        }
        for op in ["oeq", "une", "olt", "uge", "ord", "uno"] {
            let op = format!("fcmp.{op}");
            all.push(differences(&device, &op, &[&ty, &ty], "bool", &rows));
        }
        for op in [
            "fabs", "floor", "ceil", "trunc", "rint", "round", "sign", "logb",
        ] {
            let op = format!("math.ocl.{op}");
            all.push(differences(&device, &op, &[&ty], &ty, &single));
        }
        for op in ["is_nan", "is_inf"] {
            all.push(differences(
                &device,
                &format!("math.{op}"),
                &[&ty],
                "bool",
                &single,
            ));
        }
        all.push(differences(
            &device,
            "math.ocl.ilogb",
            &[&ty],
            "i32",
            &single,
        ));
    }
    report(all);
}
