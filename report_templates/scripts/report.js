// The entry point of the page of a report.

import { makeCommandsCopyable } from "./copy.js";
import { makeViewsLive } from "./live.js";
import { unfoldForPrint } from "./print.js";
import { makeTablesSortable } from "./sort.js";

makeTablesSortable();
unfoldForPrint();
makeCommandsCopyable();
makeViewsLive();
