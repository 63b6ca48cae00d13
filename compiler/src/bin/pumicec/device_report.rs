//! The report of `pumice-info --json`, which describes the devices of a machine.

use pumice_compiler::Target;
use serde_json::Value;

/// The target of the first device that the report describes.
pub fn target(text: &str) -> Result<Target, String> {
    let report: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let devices = report["driver"]["answer"]["devices"].as_array();
    let mut targets = devices
        .into_iter()
        .flatten()
        .map(|device| &device["target"]);
    match targets.find(|target| target.is_object()) {
        Some(target) => Target::from_json(&target.to_string()),
        None => Err(
            "it describes no device that could be opened; `pumice-info --json` writes a report"
                .to_string(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::target;
    use pumice_compiler::Target;

    #[test]
    fn the_first_open_device_counts() {
        let small = Target {
            max_work_group_size: 128,
            ..Target::reference()
        };
        let devices = format!("[{{\"open\": false}}, {{\"target\": {}}}]", small.to_json());
        let report = format!("{{\"driver\": {{\"answer\": {{\"devices\": {devices}}}}}}}");
        assert_eq!(target(&report), Ok(small));
        let wrong = |text: &str| target(text).unwrap_err();
        assert!(wrong("{\"driver\": null}").starts_with("it describes no device"));
        assert!(wrong("word").starts_with("expected value at line 1"));
    }
}
