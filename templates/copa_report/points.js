// What lies under the pointer, or under a finger: the name and both values of the nearest mark.
(function () {
  "use strict";
  var REACH = 28;
  document.querySelectorAll("figure.plot").forEach(function (figure) {
    var source = figure.querySelector("script.points");
    if (!source) { return; }
    var known = JSON.parse(source.textContent);
    var canvas = figure.querySelector(".canvas");
    var image = canvas.querySelector("img");
    var phone = canvas.querySelector("source");
    var tip = document.createElement("div");
    var ring = document.createElement("div");
    tip.className = "tip";
    ring.className = "ring";
    tip.setAttribute("role", "status");
    tip.hidden = ring.hidden = true;
    canvas.appendChild(ring);
    canvas.appendChild(tip);
    var hide = function () { tip.hidden = ring.hidden = true; };
    var say = function (label, value) { return label ? label + ": " + value : value; };
    canvas.addEventListener("pointermove", function (event) {
      var box = image.getBoundingClientRect();
      var narrow = known.narrow && phone && window.matchMedia(phone.media).matches;
      var marks = narrow ? known.narrow : known.wide;
      if (!marks) { return; }
      var best = null, least = REACH * REACH;
      marks.points.forEach(function (point) {
        var dx = box.left + box.width * point[0] / 1000 - event.clientX;
        var dy = box.top + box.height * point[1] / 1000 - event.clientY;
        // Of two marks as near, the one with a name.
        var far = dx * dx + dy * dy + (point[3] ? 0 : 16);
        if (far < least) { least = far; best = point; }
      });
      if (!best) { hide(); return; }
      var labels = marks.axes[best[2]];
      tip.textContent = "";
      if (best[3]) {
        var name = document.createElement("strong");
        name.textContent = best[3];
        tip.appendChild(name);
      }
      [say(labels[0], best[4]), say(labels[1], best[5])].filter(Boolean).forEach(function (line) {
        var row = document.createElement("span");
        row.textContent = line;
        tip.appendChild(row);
      });
      var place = canvas.getBoundingClientRect();
      var x = box.left - place.left + box.width * best[0] / 1000;
      var y = box.top - place.top + box.height * best[1] / 1000;
      tip.hidden = ring.hidden = false;
      ring.style.left = x + "px";
      ring.style.top = y + "px";
      tip.style.left = Math.max(0, Math.min(x + 12, place.width - tip.offsetWidth)) + "px";
      tip.style.top = (y > tip.offsetHeight + 16 ? y - tip.offsetHeight - 12 : y + 14) + "px";
    });
    canvas.addEventListener("pointerleave", hide);
  });
  // What is to be pasted elsewhere.
  document.querySelectorAll("button.copy").forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var selection = window.getSelection();
      selection.selectAllChildren(button.previousElementSibling);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    });
  });
})();
