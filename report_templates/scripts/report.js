// The entry point of the page of a report.

import { makeCommandsCopyable } from "./copy.js";
import { makeSectionsLive } from "./live.js";
import { unfoldForPrint } from "./print.js";

unfoldForPrint();
makeCommandsCopyable();
makeSectionsLive();
