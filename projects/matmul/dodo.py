from mapal.dodo import *
