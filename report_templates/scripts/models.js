// The entry point of the page of several models.

import { makeCommandsCopyable } from "./copy.js";
import { makeTablesSortable } from "./sort.js";

makeTablesSortable(document);
makeCommandsCopyable();
