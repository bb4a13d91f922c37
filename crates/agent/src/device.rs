//! The devices that hold tensors, by name.

use burn::tensor::Device;

/// The names of devices, and whether this build supports each.
pub const DEVICES: [(&str, bool); 4] = [
    ("cpu", true),
    ("wgpu", cfg!(feature = "wgpu")),
    ("vulkan", cfg!(feature = "vulkan")),
    ("cuda", cfg!(feature = "cuda")),
];

/// Why a device can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The name is unknown.
    #[error("unknown device {0:?}: expected cpu, wgpu, vulkan or cuda")]
    Unknown(String),
    /// This build doesn't support the device.
    #[error("this build has no {0} device: build with --features {0}")]
    NotBuilt(String),
}

/// Returns the device with this name: `cpu` (burn's flex backend, no system library) or, with the
/// cargo feature of the same name, `wgpu`, `vulkan` or `cuda` (the first such GPU).
///
/// # Errors
/// Fails if this build has no such device.
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
