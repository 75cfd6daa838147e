from mapal.dodo import *  # noqa: F403
