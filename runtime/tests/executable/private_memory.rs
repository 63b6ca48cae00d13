//! Private memory in a buffer: each work-item has its own, ranges that need much of it are cut, and
//! a module that does not say so any more cannot be launched.

use pumice_compiler::Abi;
use pumice_reflection::{PUMICE_SET, strip_set};
use pumice_runtime::executable::{ArgKind, Launch, LaunchError};

use crate::compiled::Cases;
use crate::kit::{range, whole, with_kit};

/// `out[id] = id + 7`, by way of an array of `words` words.
fn source(words: u32) -> String {
    format!(
        "kernel void k(global uint *out) {{
            uint a[{words}];
            uint id = get_global_id(0);
            a[(id * 31) % {words}] = id;
            barrier(CLK_GLOBAL_MEM_FENCE);
            a[out[id]] += 7;
            out[id] = a[(id * 31) % {words}];
        }}"
    )
}

#[test]
fn ranges_are_cut_and_work_items_have_their_own() {
    with_kit(|kit| {
        if !kit.caps().features.buffer_device_address {
            return;
        }
        let mut cases = Cases {
            kit,
            seen: Default::default(),
        };
        // One dispatch; and 1.2 MB for each of 300 work-items: two that use one buffer.
        for (words, items, local) in [(2000, 96, 32), (300_000, 300, 4)] {
            let pointer = ["ArgumentPointerPushConstant"];
            let executable = cases.build(&source(words), Abi::Addresses, &pointer);
            let info = &executable.kernels()[0];
            assert_eq!(info.args.len(), 1);
            assert_eq!(info.private_bytes, Some(words * 4));
            let places: Vec<u32> = (0..items).map(|id| id * 31 % words).collect();
            let out = kit.buffer(&places);
            let items = u64::from(items);
            for _ in 0..2 {
                for (at, &place) in places.iter().enumerate() {
                    out.write(at as u64 * 4, &place.to_le_bytes()).unwrap();
                }
                cases.launch(&executable, &range(items, local), &[whole(&out)]);
                let expected: Vec<u32> = (0..items as u32).map(|id| id + 7).collect();
                assert_eq!(kit.words(&out), expected);
            }
        }
        // A single work-group beyond the largest buffer, which a required size can ask for.
        let executable = cases.build(&source(1 << 27), Abi::Addresses, &[]);
        let out = kit.buffer(&[0; 1024]);
        let local = kit.caps().limits.max_group_invocations.min(1024);
        let launch = Launch {
            enqueue: None,
            checks: None,
            termination: None,
            kernel: 0,
            range: &range(u64::from(local), local),
            args: &[whole(&out)],
            queue: 0,
            may_slice: false,
        };
        let refused = executable.prepare(&kit.device, &launch).map(drop);
        assert!(
            matches!(&refused, Err(LaunchError::Resources(text)) if text.contains("private memory")),
            "{refused:?}"
        );
    });
}

#[test]
fn without_our_instructions_the_memory_is_an_argument_that_nobody_sets() {
    with_kit(|kit| {
        if !kit.caps().features.buffer_device_address {
            return;
        }
        let mut cases = Cases {
            kit,
            seen: Default::default(),
        };
        let words = cases.compile(&source(2000), Abi::Addresses, &[]);
        let executable = kit.executable(&strip_set(&words, PUMICE_SET));
        let args = &executable.kernels()[0].args;
        assert_eq!(args.len(), 2);
        assert_eq!(args[1].kind, ArgKind::Buffer);
        let out = kit.buffer(&[0; 32]);
        let refused = kit.launch(&executable, "k", &range(32, 32), &[whole(&out)]);
        assert_eq!(refused, Err(LaunchError::Args(1)));
    });
}
