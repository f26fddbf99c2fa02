// The entry point of the page that lists many reports.

import { makeSearchable } from "./search.js";
import { makeTablesSortable } from "./sort.js";

const table = document.querySelector("table");
const place = document.getElementById("search");
makeTablesSortable(document);
if (table && place) makeSearchable(place, table, "reports");
document.documentElement.dataset.ready = "true";
