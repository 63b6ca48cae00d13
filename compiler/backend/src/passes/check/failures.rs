//! The reports of failed tests of accesses: in place, or for the accesses of a long kernel together.

use super::code::{load, own};
use super::gathered::{self, Groups};
use super::limits::{Limit, place};
use super::report::{call_report, call_report_of};
use crate::expand::Expander;
use pumice_check::layout::Code;
use pumice_ir::{FuncId, Inst, InstKind, IntCond, Type, UnaryOp, Value};

/// A test that stands in the program.
#[derive(Clone, Copy)]
pub(super) struct Test {
    /// True if the access may go on.
    pub ok: Value,
    /// True if the memory has the bytes.
    pub within: Value,
    /// The argument and the bytes of an access whose comparison also tests the alignment: which of the two failed is
    /// found out afterwards.
    pub folded: Option<(u32, u64)>,
    pub value: Value,
    pub size: Value,
    pub site: u32,
}

impl Test {
    /// The place in the memory of the launch's checks that has the limit of an access whose comparison also tests the alignment.
    fn limit(&self) -> Option<u64> {
        let (ordinal, bytes) = self.folded?;
        Some(place(ordinal, Limit::Bytes(bytes).at()?))
    }
}

/// The reports of a kernel.
pub(super) struct Failures {
    pub memory: Value,
    pub report: FuncId,
    /// The tests whose failures are not reported yet; `None` in kernels that report in place.
    pub gathered: Option<Vec<Test>>,
    pub groups: Groups,
}

impl Failures {
    /// Returns whether failures are reported in place.
    pub fn in_place(&self) -> bool {
        self.gathered.is_none()
    }

    /// Reports a test that has failed.
    pub fn report(&self, x: &mut Expander<'_>, test: &Test) {
        let (bounds, align) = (Code::Bounds as i32, Code::Align as i32);
        let (bounds, align) = (x.func.i32(bounds), x.func.i32(align));
        let within = match test.limit() {
            Some(limit) => {
                let limit = own(x, |x| load(x, self.memory, limit, Type::I64));
                x.icmp(IntCond::Ult, test.value, limit)
            }
            None => test.within,
        };
        let code = x.select(within, align, bounds);
        let what = [test.value, test.size];
        call_report(x, self.report, self.memory, (test.site, code), what);
    }

    /// Keeps tests whose failures are reported later.
    pub fn gather(&mut self, x: &mut Expander<'_>, tests: Vec<Test>) {
        for test in tests {
            if let Some(gathered) = &mut self.gathered {
                gathered.push(test);
            }
            if (self.gathered.as_ref()).is_some_and(|gathered| gathered.len() == gathered::MOST) {
                self.report_gathered(x);
            }
        }
    }

    /// Reports the gathered failures before an instruction that ends their group.
    pub fn before(&mut self, x: &mut Expander<'_>, inst: Inst) {
        if self.groups.end_before(x.func, inst) {
            self.report_gathered(x);
        }
    }

    fn report_gathered(&mut self, x: &mut Expander<'_>) {
        let tests = match &mut self.gathered {
            Some(gathered) => std::mem::take(gathered),
            None => return,
        };
        if tests.is_empty() {
            return;
        }
        let of = |part: fn(&Test) -> Value| tests.iter().map(part).collect::<Vec<_>>();
        let limits: Vec<u64> = (tests.iter())
            .map(|test| test.limit().unwrap_or(0))
            .collect();
        let sites: Vec<u64> = tests.iter().map(|test| test.site.into()).collect();
        own(x, |x| {
            let failed: Vec<Value> = of(|test| test.ok)
                .into_iter()
                .map(|ok| x.un(UnaryOp::Not, ok))
                .collect();
            let failed = gathered::mask(x, &failed);
            gathered::for_each(x, failed, tests.len(), |x, picked| {
                // A test of the bounds alone has failed because of them.
                let no = x.splat(Type::BOOL, 0);
                let within = (tests.iter())
                    .map(|test| match test.within == test.ok {
                        true => no,
                        false => test.within,
                    })
                    .collect::<Vec<_>>();
                let within = match within.iter().all(|&within| within == no) {
                    true => no,
                    false => {
                        let within = gathered::mask(x, &within);
                        picked.bit(x, within)
                    }
                };
                let value = picked.sum(x, &of(|test| test.value));
                let size = picked.value(x, &of(|test| test.size));
                let site = picked.number(x, Type::I32, &sites);
                let at = picked.number(x, Type::I64, &limits);
                let base = self.memory;
                let ty = x.ty(base);
                let limit = x.value(InstKind::PtrAdd { base, offset: at }, ty);
                let limit = load(x, limit, 0, Type::I64);
                let fits = x.icmp(IntCond::Ult, value, limit);
                let folded = x.icmp_const(IntCond::Ne, at, 0);
                let within = x.select(folded, fits, within);
                let [bounds, align] =
                    [Code::Bounds, Code::Align].map(|code| x.func.i32(code as i32));
                let code = x.select(within, align, bounds);
                call_report_of(x, self.report, self.memory, [site, code], [value, size]);
            });
        });
    }
}
