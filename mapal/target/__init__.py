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
    profile_from,
)
from mapal.target.schema import TUNING_SUFFIX, Tuning, parse_profile, parse_tuning
from mapal.target.tiles import Tiles

__all__ = [
    "NATIVE",
    "TUNING_SUFFIX",
    "CacheGeometry",
    "Device",
    "Policy",
    "SharedCache",
    "TargetProfile",
    "Tiles",
    "Tuning",
    "host_architecture",
    "list_profiles",
    "load_profile",
    "parse_profile",
    "parse_tuning",
    "profile_files",
    "profile_from",
    "targets_directory",
]
