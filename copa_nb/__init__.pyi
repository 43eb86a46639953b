# Written by `make generate`; do not edit.
__version__: str

from . import datasets as datasets
from . import errors as errors
from . import plots as plots
from . import results as results
from .accessor.of_frames import moo as moo
from .claims.check import check as check
from .control_panel.panel import panel as panel
from .ranking.populations import Reference as Reference
from .reports.report import report as report
from .results.citing import citations as citations
from .run_options import options as options
from .significance.power import power as power
from .sources.amlb import from_amlb as from_amlb
from .sources.cv_results import from_cv_results as from_cv_results
from .sources.cv_results import refit as refit
from .sources.deepeval import from_deepeval as from_deepeval
from .sources.every_eval_ever import from_every_eval_ever as from_every_eval_ever
from .sources.inspect_ai import from_inspect as from_inspect
from .sources.ioh import from_ioh as from_ioh
from .sources.lm_eval import from_lm_eval as from_lm_eval
from .sources.long import from_long as from_long
from .sources.mlflow import from_mlflow as from_mlflow
from .sources.optuna import from_optuna as from_optuna
from .sources.parse_numbers import parse_numbers as parse_numbers
from .sources.promptfoo import from_promptfoo as from_promptfoo
from .sources.read import read as read
from .sources.swe_bench import from_swe_bench as from_swe_bench
from .sources.wandb import from_wandb as from_wandb
from .streams.scan import scan as scan
