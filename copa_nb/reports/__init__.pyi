from .answers import Answer as Answer
from .own_tables import read_table as read_table
from .record import Record as Record
from .report import Report as Report
from .report import ReportFailedError as ReportFailedError
