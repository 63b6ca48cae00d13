//! Descriptions of devices as JSON: what the runtime reports of a device that is there, and those of devices that
//! need not be.

use crate::target::Target;

/// A device whose description comes with the compiler.
#[derive(Debug)]
pub struct Described {
    /// The word that names it.
    pub name: &'static str,
    /// The card and its driver.
    pub meaning: &'static str,
    json: &'static str,
}

impl Described {
    /// The device.
    ///
    /// # Errors
    /// The description cannot be read; a unit test reads them all.
    pub fn target(&self) -> Result<Target, String> {
        Target::from_json(self.json)
    }
}

macro_rules! described {
    ($($name:literal: $meaning:literal,)+) => {
        /// Real devices, as their drivers report them with the findings of start-up probes on such cards.
        /// `PUMICE_BLESS=1 cargo xtask test shim -- descriptions` writes the files of Mesa's drivers, `test boards` those of boards;
        /// the H100's is from a card.
        pub const DESCRIBED: &[Described] = &[$(Described {
            name: $name,
            meaning: $meaning,
            json: include_str!(concat!("../devices/", $name, ".json")),
        },)+];
    };
}

described! {
    "polaris10": "AMD Radeon RX 480 (GCN 4) by RADV",
    "vega10": "AMD Radeon RX Vega (GCN 5) by RADV",
    "navi21": "AMD Radeon RX 6900 (RDNA 2) by RADV",
    "navi31": "AMD Radeon RX 7900 (RDNA 3) by RADV",
    "gfx1201": "AMD Radeon RX 9070 (RDNA 4) by RADV",
    "nvk": "NVIDIA GeForce RTX 30 (Ampere) by NVK",
    "h100": "NVIDIA H100 (Hopper) by NVIDIA's driver",
    "turnip": "Qualcomm Adreno 730 by Turnip",
    "honeykrisp": "Apple M1 by Honeykrisp",
    "hsw": "Intel HD Graphics 4600 (Gen 7.5) by hasvk",
    "bdw": "Intel HD Graphics 5500 (Gen 8) by hasvk",
    "skl": "Intel HD Graphics 530 (Gen 9) by ANV",
    "tgl": "Intel Iris Xe (Xe-LP) by ANV",
    "dg2": "Intel Arc A770 (Xe-HPG) by ANV",
    "bmg": "Intel Arc B580 (Xe2) by ANV",
    "ptl": "Intel Panther Lake (Xe3) by ANV",
    "pi4": "Broadcom VideoCore 6 (Raspberry Pi 4) by V3DV",
    "pi5": "Broadcom VideoCore 7 (Raspberry Pi 5) by V3DV",
    "g610": "Arm Mali-G610 by PanVK",
    "bxs": "Imagination BXS-4-64 by PowerVR",
}

impl Target {
    /// The device as JSON on one line, without what programs and contexts wish of it.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`Target::to_json`] wrote, with any white space. A field that lacks is [`Target::reference`]'s.
    ///
    /// # Errors
    /// A message with the place in the text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::DESCRIBED;
    use crate::{QuirkKind, Quirks, Target};

    #[test]
    fn devices_survive_their_description() {
        let soft = Target {
            quirks: Quirks::all().without(QuirkKind::RunsInOrder),
            ..Target::reference().with_soft_doubles()
        };
        for target in [Target::reference(), soft] {
            assert_eq!(Target::from_json(&target.to_json()), Ok(target));
        }
        assert_eq!(Target::from_json("{}"), Ok(Target::reference()));
        let wrong = Target::from_json("{\"float17\": true}").unwrap_err();
        assert!(wrong.starts_with("unknown field `float17`"), "{wrong}");
        let quirk = Target::from_json("{\"quirks\": \"Ghosts\"}").unwrap_err();
        assert!(quirk.starts_with("no quirk is called 'Ghosts'"), "{quirk}");
    }

    #[test]
    fn all_descriptions_can_be_read() {
        for device in DESCRIBED {
            let target = device.target();
            let target = target.unwrap_or_else(|error| panic!("{}: {error}", device.name));
            assert_ne!(target, Target::reference(), "{}", device.name);
        }
    }
}
