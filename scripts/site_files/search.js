// SPDX-License-Identifier: MIT
// Finds sections of the documents. Every word of a query has to be there, whole or as a beginning; words in a heading count
// most, whole words more than beginnings. The address keeps the query: #q=word.
"use strict";

const box = document.getElementById("search");
const results = document.getElementById("results");
const article = document.querySelector("article");
const SHOWN = 40;

function escapeHtml(text) {
    return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

function wordsOf(text) {
    return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
}

// How often each word of an entry is there, made when it is needed first.
function countsOf(entry) {
    if (!entry.counts) {
        entry.counts = new Map();
        const add = (text, weight) => wordsOf(text).forEach((word) => entry.counts.set(word, (entry.counts.get(word) || 0) + weight));
        add(entry[1], 4);
        add(entry[2], 12);
        add(entry[3], 1);
    }
    return entry.counts;
}

// How often each word is there for the length of the section, and whether the words stand beside each other.
function score(entry, words) {
    const length = 1 + entry[3].length / 600, together = words.join(" ");
    let sum = 0;
    if (words.length > 1 && entry[2].toLowerCase().includes(together)) sum += 6;
    if (words.length > 1 && entry[3].toLowerCase().includes(together)) sum += 3;
    for (const word of words) {
        let best = 0;
        for (const [there, count] of countsOf(entry)) {
            if (there === word) best = Math.max(best, 3 * count + 3);
            else if (there.startsWith(word)) best = Math.max(best, count);
            else if (word.length > 3 && there.includes(word)) best = Math.max(best, count / 4);
        }
        if (!best) return 0;
        sum += Math.log(1 + best / length);
    }
    return sum;
}

function find(query) {
    const words = wordsOf(query);
    if (!words.length) return [];
    return searchIndex.map((entry) => [score(entry, words), entry]).filter(([value]) => value > 0)
        .sort((a, b) => b[0] - a[0]).slice(0, SHOWN).map(([, entry]) => entry);
}

function excerpt(text, words) {
    const lower = text.toLowerCase();
    const together = lower.indexOf(words.join(" "));
    const places = together >= 0 ? [together] : words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
    const from = Math.max(0, Math.min(...(places.length ? places : [0])) - 60);
    let shown = escapeHtml((from ? "... " : "") + text.slice(from, from + 220) + (text.length > from + 220 ? " ..." : ""));
    for (const word of words) shown = shown.replace(new RegExp("(" + word + ")", "gi"), "<mark>$1</mark>");
    return shown;
}

function show() {
    const query = box.value.trim();
    const top = document.body.dataset.top;
    results.hidden = !query;
    article.hidden = !!query;
    document.querySelector(".contents")?.toggleAttribute("hidden", !!query);
    if (!query) {
        if (location.hash.startsWith("#q=")) history.replaceState(null, "", location.pathname);
        return;
    }
    history.replaceState(null, "", "#q=" + encodeURIComponent(query));
    const found = find(query), words = wordsOf(query);
    results.innerHTML = "<h1>" + (found.length ? found.length + (found.length === SHOWN ? " or more" : "") : "No") +
        " sections with \u201c" + escapeHtml(query) + "\u201d</h1><ol>" + found.map(([address, title, heading, text]) =>
            '<li><a href="' + top + "/" + escapeHtml(address) + '">' + escapeHtml(heading) + "</a>" +
            (heading === title ? "" : ' <span class="where">' + escapeHtml(title) + "</span>") +
            "<p>" + excerpt(text, words) + "</p></li>").join("") + "</ol>";
}

function readAddress() {
    if (!location.hash.startsWith("#q=")) return;
    box.value = decodeURIComponent(location.hash.slice(3));
    show();
}

box.addEventListener("input", show);
addEventListener("hashchange", readAddress);
addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) {
        event.preventDefault();
        box.focus();
    }
});
readAddress();
