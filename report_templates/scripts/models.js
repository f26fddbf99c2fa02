// The entry point of the page of several models.

import { makeTablesSortable } from "./sort.js";

makeTablesSortable();
