//! Enqueuing kernels.

use rspirv::spirv::Op;

use super::Lower::{Device, Enqueue, KernelQuery, NdRange};
use super::{Gate, NO_GENTYPE, Table, by_rule, row};

#[rustfmt::skip]
pub(super) const TABLES: &[Table] = &[
    Table {
        needs: Gate::Core("__opencl_c_device_enqueue"),
        gentype: NO_GENTYPE,
        rows: &[
            by_rule("enqueue_kernel", Enqueue),
            by_rule("get_kernel_work_group_size", KernelQuery(Op::GetKernelWorkGroupSize)),
            by_rule("get_kernel_preferred_work_group_size_multiple", KernelQuery(Op::GetKernelPreferredWorkGroupSizeMultiple)),
            by_rule("get_kernel_sub_group_count_for_ndrange", KernelQuery(Op::GetKernelNDrangeSubGroupCount)),
            by_rule("get_kernel_max_sub_group_size_for_ndrange", KernelQuery(Op::GetKernelNDrangeMaxSubGroupSize)),
            row("int enqueue_marker(queue_t queue, uint num_events_in_wait_list, const __generic clk_event_t *event_wait_list, __generic clk_event_t *event_ret)", Device(Op::EnqueueMarker)),
            row("void retain_event(clk_event_t event)", Device(Op::RetainEvent)),
            row("void release_event(clk_event_t event)", Device(Op::ReleaseEvent)),
            row("clk_event_t create_user_event()", Device(Op::CreateUserEvent)),
            row("bool is_valid_event(clk_event_t event)", Device(Op::IsValidEvent)),
            row("void set_user_event_status(clk_event_t event, int status)", Device(Op::SetUserEventStatus)),
            row("void capture_event_profiling_info(clk_event_t event, clk_profiling_info name, __global void *value)", Device(Op::CaptureEventProfilingInfo)),
            row("queue_t get_default_queue()", Device(Op::GetDefaultQueue)),
            row("ndrange_t ndrange_1D(size_t global_work_size)", NdRange(1)),
            row("ndrange_t ndrange_1D(size_t global_work_size, size_t local_work_size)", NdRange(1)),
            row("ndrange_t ndrange_1D(size_t global_work_offset, size_t global_work_size, size_t local_work_size)", NdRange(1)),
            row("ndrange_t ndrange_2D(const size_t *global_work_size)", NdRange(2)),
            row("ndrange_t ndrange_2D(const size_t *global_work_size, const size_t *local_work_size)", NdRange(2)),
            row("ndrange_t ndrange_2D(const size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size)", NdRange(2)),
            row("ndrange_t ndrange_3D(const size_t *global_work_size)", NdRange(3)),
            row("ndrange_t ndrange_3D(const size_t *global_work_size, const size_t *local_work_size)", NdRange(3)),
            row("ndrange_t ndrange_3D(const size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size)", NdRange(3)),
        ],
    },
];
