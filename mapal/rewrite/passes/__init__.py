"""The passes, one file each. A pass fills a `PlanMaker` and does nothing else."""
