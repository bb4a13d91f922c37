//! Denormal floats as zero: weights of inputs that never occur decay into denormals, which processors compute with
//! ten times slower.

/// Flushes denormals to zero on this thread, where the processor has a switch for it.
#[expect(unsafe_code, reason = "the mode lives in a register that only assembly reaches")]
pub(crate) fn flush() {
    #[cfg(target_arch = "x86_64")]
    {
        const FLUSH_TO_ZERO: u32 = 1 << 15;
        const DENORMALS_ARE_ZERO: u32 = 1 << 6;
        let mut mode = 0u32;
        // SAFETY: reads and writes this thread's MXCSR; the two bits change rounding of denormals and nothing else.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &mut mode, options(nostack));
            mode |= FLUSH_TO_ZERO | DENORMALS_ARE_ZERO;
            std::arch::asm!("ldmxcsr [{}]", in(reg) &mode, options(nostack));
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        const FLUSH_TO_ZERO: u64 = 1 << 24;
        let mut mode: u64;
        // SAFETY: reads and writes this thread's FPCR; the bit changes rounding of denormals and nothing else.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", out(reg) mode, options(nomem, nostack));
            std::arch::asm!("msr fpcr, {}", in(reg) mode | FLUSH_TO_ZERO, options(nomem, nostack));
        }
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    #[test]
    fn denormals_become_zero() {
        let half = std::hint::black_box(0.5f32);
        let flushed = std::thread::spawn(move || {
            super::flush();
            std::hint::black_box(f32::MIN_POSITIVE) * half
        });
        assert_eq!(flushed.join().expect("the thread ends"), 0.0);
        assert!(std::hint::black_box(f32::MIN_POSITIVE) * half > 0.0);
    }
}
