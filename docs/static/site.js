// What scrolls sideways can be reached by the keyboard, and the sidebar shows where one is.
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper, .cell_output, div.math, .twice")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
  const sidebar = document.querySelector(".sidebar-scroll");
  const here = document.querySelector(".sidebar-tree .current-page");
  if (sidebar && here) {
    sidebar.scrollTop += here.getBoundingClientRect().top - sidebar.getBoundingClientRect().top - sidebar.clientHeight / 3;
  }
});
