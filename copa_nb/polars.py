"""The verbs on polars: ``import copa_nb.polars`` registers ``frame.moo`` on every DataFrame and LazyFrame.

Functions such as :func:`copa_nb.copa` take polars frames without it; so does :func:`copa_nb.moo`.
"""

from copa_nb.accessor import ForeignAccessor

try:
    import polars as _polars
except ImportError as error:
    raise ImportError("copa_nb.polars needs polars: pip install 'copa_nb[polars]'") from error

_polars.api.register_dataframe_namespace("moo")(ForeignAccessor)
# The query is read in pieces, and verbs that need all rows at once say so.
_polars.api.register_lazyframe_namespace("moo")(ForeignAccessor)
