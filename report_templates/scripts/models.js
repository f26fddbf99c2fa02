// What runs on the page of several models.

import { makeTablesSortable } from "./sort.js";

makeTablesSortable();
