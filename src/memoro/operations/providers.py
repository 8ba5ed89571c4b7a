"""Models on other machines and in other programs: whether they answer, and what is out there."""

from memoro.operations import batch_jobs

OPERATIONS = (*batch_jobs.OPERATIONS,)
