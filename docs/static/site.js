// What scrolls sideways can be reached by the keyboard, and the sidebar shows where one is.
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper, .cell_output, div.math, .twice")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
  // What the theme, the pages of code and pandas leave without a name, or give another one than is seen.
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Pages of this site");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "On this page");
  for (const summary of document.querySelectorAll("summary[aria-label]")) summary.removeAttribute("aria-label");
  for (const reference of document.querySelectorAll("[role=doc-biblioentry]")) reference.setAttribute("role", "listitem");
  for (const head of document.querySelectorAll("th")) {
    if (!head.textContent.trim()) head.outerHTML = head.outerHTML.replace(/^<th/, "<td").replace(/th>$/, "td>");
  }
  // A link to what is folded away unfolds it.
  const unfold = () => {
    for (let part = document.getElementById(decodeURIComponent(location.hash.slice(1))); part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
  };
  addEventListener("hashchange", unfold);
  unfold();
  const sidebar = document.querySelector(".sidebar-scroll");
  const here = document.querySelector(".sidebar-tree .current-page");
  if (sidebar && here) {
    sidebar.scrollTop += here.getBoundingClientRect().top - sidebar.getBoundingClientRect().top - sidebar.clientHeight / 3;
  }
});
