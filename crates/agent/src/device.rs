//! Where tensors live, by name.

use burn::tensor::Device;

/// The names of devices, and whether this build has them.
pub const DEVICES: [(&str, bool); 4] = [
    ("cpu", true),
    ("wgpu", cfg!(feature = "wgpu")),
    ("vulkan", cfg!(feature = "vulkan")),
    ("cuda", cfg!(feature = "cuda")),
];

/// Why a device can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no such device.
    #[error("unknown device {0:?}: expected cpu, wgpu, vulkan or cuda")]
    Unknown(String),
    /// This build lacks it.
    #[error("this build has no {0} device: build with --features {0}")]
    NotBuilt(String),
}

/// The device of a name: `cpu` (burn's flex backend, no system library), or with the cargo feature
/// of that name `wgpu`, `vulkan`, `cuda` (the first such GPU).
///
/// # Errors
/// When there is no such device in this build.
pub fn device(name: &str) -> Result<Device, DeviceError> {
    match name {
        "cpu" => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(feature = "vulkan")]
        "vulkan" => Ok(Device::vulkan(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(0)),
        _ if DEVICES.iter().any(|(known, _)| *known == name) => {
            Err(DeviceError::NotBuilt(name.to_owned()))
        }
        _ => Err(DeviceError::Unknown(name.to_owned())),
    }
}
