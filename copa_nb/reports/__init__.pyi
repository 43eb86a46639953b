from .record import Answer as Answer
from .record import Record as Record
from .report import Report as Report
from .report import ReportFailedError as ReportFailedError
from .report import read_table as read_table
