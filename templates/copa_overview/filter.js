// Search and filters of the index and the ledger. They stand in the address, behind the #, and so survive Back.
(function () {
  "use strict";
  var form = document.querySelector("form.filter");
  var items = Array.prototype.slice.call(document.querySelectorAll("[data-text]"));
  var plain = function (text) {
    return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  };
  var texts = items.map(function (item) { return plain(item.dataset.text + " " + (form && item.matches("tr") ? item.textContent : "")); });

  // Reports link to their neighbors through the index, which lists all reports.
  var moved = function (given) {
    var step = given.has("after") ? 1 : -1;
    var from = given.get("after") || given.get("before");
    var places = items.map(function (item) { return item.dataset.name; });
    var here = places.indexOf(from);
    var next = here < 0 ? null : items[here + step];
    if (!next) { return false; }
    window.location.replace(next.querySelector("h3 a").href);
    return true;
  };

  var apply = function () {
    var words = plain(form.elements.q.value).split(/\s+/).filter(Boolean);
    var shown = 0;
    items.forEach(function (item, place) {
      var fits = ["paper", "verdict"].every(function (name) {
        var field = form.elements[name];
        return !field || !field.value || item.dataset[name].split("|").indexOf(field.value) >= 0;
      }) && words.every(function (word) { return texts[place].indexOf(word) >= 0; });
      item.hidden = !fits;
      shown += fits;
    });
    document.querySelectorAll(".filtered").forEach(function (section) {
      section.hidden = !section.querySelector("[data-text]:not([hidden])");
    });
    var all = shown === items.length;
    document.documentElement.classList.toggle("filtering", !all);
    form.querySelector("output").textContent = all ? "" : shown + " of " + items.length;
  };

  var remember = function () {
    var chosen = new URLSearchParams();
    Array.prototype.forEach.call(form.elements, function (field) {
      if (field.name && field.value) { chosen.set(field.name, field.value); }
    });
    var text = chosen.toString();
    if (text || window.location.hash.indexOf("=") >= 0) {
      window.history.replaceState(null, "", "#" + text);
    }
  };

  var recall = function () {
    var hash = window.location.hash.slice(1);
    var given = new URLSearchParams(hash.indexOf("=") >= 0 ? hash : "");
    if ((given.has("after") || given.has("before")) && moved(given)) { return; }
    ["q", "paper", "verdict"].forEach(function (name) {
      if (form.elements[name]) { form.elements[name].value = given.get(name) || ""; }
    });
    apply();
    var place = given.get("report") || given.get("after") || given.get("before");
    var card = place && items.filter(function (item) { return item.dataset.name === place; })[0];
    if (card) { card.scrollIntoView({ block: "center" }); }
    // A link to a claim opens it.
    var folded = hash && hash.indexOf("=") < 0 && document.getElementById(hash);
    folded = folded && folded.querySelector("details");
    if (folded) { folded.open = true; }
  };

  if (!form) { return; }
  form.hidden = false;
  form.addEventListener("input", function () { apply(); remember(); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.addEventListener("reset", function () {
    window.setTimeout(function () { apply(); remember(); }, 0);
  });
  window.addEventListener("hashchange", recall);
  window.addEventListener("pageshow", recall);
})();
