"""Matplotlib styles: ``plt.style.use("copa_nb.styles.paper")``."""
