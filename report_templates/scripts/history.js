// The entry point of the page of a history.

import { makeTablesSortable } from "./sort.js";

makeTablesSortable(document);
