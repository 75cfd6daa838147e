"""Target machines: profiles in files, detection of the host, and what the host can run."""

from mapal.target.library import (
    host_architecture,
    list_profiles,
    load_profile,
    profile_files,
    targets_directory,
)
from mapal.target.profile import (
    NATIVE,
    CacheGeometry,
    Device,
    Policy,
    SharedCache,
    TargetProfile,
)
from mapal.target.schema import parse_profile

__all__ = [
    "NATIVE",
    "CacheGeometry",
    "Device",
    "Policy",
    "SharedCache",
    "TargetProfile",
    "host_architecture",
    "list_profiles",
    "load_profile",
    "parse_profile",
    "profile_files",
    "targets_directory",
]
