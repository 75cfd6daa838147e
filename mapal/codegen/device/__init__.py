"""Code for the accelerator of a GPU profile: kernels for the bulk operations of a program."""

from mapal.codegen.device.kernels import Accelerator, block_size, emit_device

__all__ = ["Accelerator", "block_size", "emit_device"]
