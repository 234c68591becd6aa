//! Flags for clang that cannot do here what they are for, or would leave files behind, and those that ask for warnings.

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

/// Names and exceptions of other languages would be met somewhere behind, in words that nobody understands.
pub fn refuse_other_languages(flags: &[String]) -> Result<(), LoadError> {
    for (i, flag) in flags.iter().enumerate() {
        let (name, shown) = match (flag.as_str(), flags.get(i + 1)) {
            ("-x", Some(next)) => (next.as_str(), format!("-x {next}")),
            _ => match flag.strip_prefix("-x").or_else(|| flag.strip_prefix("--language=")) {
                Some(name) => (name, flag.clone()),
                None => continue,
            },
        };
        let language = match name {
            name if name.starts_with("c++") => "C++",
            name if name.starts_with("objective-c++") => "Objective-C++",
            name if name.starts_with("objective-c") => "Objective-C",
            "cl" | "clcpp" => "OpenCL",
            "cuda" | "hip" => "CUDA",
            _ => continue,
        };
        return Err(LoadError::Language { flag: shown, language });
    }
    Ok(())
}

/// Without those that ask for files beside the code: dependencies, coverage, statistics. Nobody builds anything here, and
/// they would be left in the user's folder.
pub fn without_other_files(flags: &[String]) -> Vec<&String> {
    const ALONE: [&str; 8] = ["-MD", "-MMD", "-MP", "-MG", "-MV", "--coverage", "-fprofile-arcs", "-ftest-coverage"];
    const BEGINNINGS: [&str; 6] =
        ["-ftime-trace", "-save-temps", "--save-temps", "-save-stats", "-fsave-optimization-record", "-gsplit-dwarf"];
    // What they name stands behind them, or is the next word.
    const WITH_NAME: [&str; 6] = ["-MF", "-MT", "-MQ", "-MJ", "--serialize-diagnostics", "-serialize-diagnostics"];
    let mut kept = Vec::with_capacity(flags.len());
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        if WITH_NAME.contains(&flag.as_str()) {
            words.next();
        } else if !(ALONE.contains(&flag.as_str())
            || BEGINNINGS.iter().chain(&WITH_NAME).any(|beginning| flag.starts_with(beginning)))
        {
            kept.push(flag);
        }
    }
    kept
}

/// Whoever wants warnings says which. To the others, who have seen them in their own build, they are lines that stand before
/// every verdict. What clang takes for an error is told in any case.
pub fn ask_for_warnings(flags: &[String]) -> bool {
    let asks = |flag: &String| flag.starts_with("-W") && !flag.starts_with("-Wno-") && !flag.starts_with("-Wl,");
    flags.iter().any(|flag| asks(flag) || flag.starts_with("-pedantic"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_make_other_files_are_left_out() {
        let kept = |flags: &str| {
            let flags: Vec<String> = flags.split(' ').map(str::to_string).collect();
            without_other_files(&flags).into_iter().cloned().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kept("-DA=1 -MMD -MP -MF x.d -Iinc --coverage"), "-DA=1 -Iinc");
        assert_eq!(kept("-MFx.d -MT a.o -O2 -save-temps=obj"), "-O2");
        assert_eq!(kept("-MF"), "");
    }
}
