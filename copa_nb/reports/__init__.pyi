from .interactive import Report as Report
from .interactive import ReportFailedError as ReportFailedError
from .own_tables import read_table as read_table
from .record import Record as Record
