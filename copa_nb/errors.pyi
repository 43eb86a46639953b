# Written by `make generate`; do not edit.
from .arrays.compiled import NotCompiledWarning as NotCompiledWarning
from .datasets.registry import DataCorruptedError as DataCorruptedError
from .datasets.registry import DataUnavailableError as DataUnavailableError
from .ranking.arrays.normalization import DegenerateColumnError as DegenerateColumnError
from .reports.folder import FolderError as FolderError
from .reports.pdf import PdfUnavailableError as PdfUnavailableError
from .reports.report import ReportFailedError as ReportFailedError
from .results.note import NothingToShowError as NothingToShowError
from .selection.preferences import ConflictError as ConflictError
from .sources.items import LogsDifferWarning as LogsDifferWarning
from .sources.margins import MarginWarning as MarginWarning
from .sources.placeholders import PlaceholderWarning as PlaceholderWarning
from .streams.batches import WholeTableNeededError as WholeTableNeededError
from .tables.columns import ItemsOmittedWarning as ItemsOmittedWarning
from .tables.objectives import RowsOmittedWarning as RowsOmittedWarning
from .tables.objectives import RunsWarning as RunsWarning
