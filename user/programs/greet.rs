// SPDX-License-Identifier: MIT
// greet.rs - Rust without its standard library: uses `core` and the C library.
#![no_std]
#![no_main]

use core::fmt::{self, Write};

extern "C" {
    fn putchar(character: i32) -> i32;
    fn abort() -> !;
}

struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // SAFETY: putchar() takes any byte.
            unsafe { putchar(i32::from(byte)) };
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(information: &core::panic::PanicInfo) -> ! {
    let _ = writeln!(Console, "greet: {information}");
    // SAFETY: abort() takes no argument and ends the process.
    unsafe { abort() }
}

fn fibonacci() -> impl Iterator<Item = u64> {
    let mut pair = (0, 1);
    core::iter::from_fn(move || {
        pair = (pair.1, pair.0 + pair.1);
        Some(pair.0)
    })
}

/// With an argument it reads behind the end of the array, and Rust panics.
#[no_mangle]
pub extern "C" fn main(count: i32, _arguments: *const *const u8) -> i32 {
    let mut numbers = [0; 10];
    for (place, number) in numbers.iter_mut().zip(fibonacci()) {
        *place = number;
    }
    let _ = writeln!(Console, "greet: {numbers:?}, {:.3}", numbers[9] as f64 / numbers[8] as f64);
    let place = if count > 1 { count as usize * 10 } else { 0 };
    i32::from(numbers[place] != 1)
}
