//! Flags for clang that cannot do here what they are for, and those that ask for warnings.

use super::LoadError;

/// Sanitizers put calls of a library into the code that the machine does not have, and most look for what it finds by
/// itself. Those that only end the program where it goes wrong need none.
pub fn refuse_sanitizers(flags: &[String]) -> Result<(), LoadError> {
    let traps = flags.iter().any(|flag| flag.starts_with("-fsanitize-trap"));
    let names = flags.iter().filter_map(|flag| flag.strip_prefix("-fsanitize=")).flat_map(|names| names.split(','));
    for name in names {
        let advice = match name {
            "thread" => "`threadbare check` finds data races by itself, and so does `run --races error`",
            "address" | "hwaddress" | "memory" | "leak" => {
                "the machine checks every access by itself, and looks for leaks with --leaks"
            }
            // The others have no such form: clang says so.
            _ if traps => continue,
            _ => "those of undefined behaviour work with -fsanitize-trap=undefined beside them",
        };
        return Err(LoadError::Sanitizer { name: name.into(), advice });
    }
    Ok(())
}

/// Whoever wants warnings says which. To the others, who have seen them in their own build, they are lines that stand before
/// every verdict. What clang takes for an error is told in any case.
pub fn ask_for_warnings(flags: &[String]) -> bool {
    let asks = |flag: &String| flag.starts_with("-W") && !flag.starts_with("-Wno-") && !flag.starts_with("-Wl,");
    flags.iter().any(|flag| asks(flag) || flag.starts_with("-pedantic"))
}
