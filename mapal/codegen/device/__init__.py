"""Code for the accelerator of a GPU profile: kernels for the bulk operations of a program."""

from mapal.codegen.device.kernels import Accelerator, emit_device

__all__ = ["Accelerator", "emit_device"]
