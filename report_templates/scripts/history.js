// The entry point of the page of a history.

import { makeModelsLive } from "./history/models.js";
import { unfoldForPrint } from "./print.js";
import { makeTablesSortable } from "./sort.js";

unfoldForPrint();
makeTablesSortable(document);
makeModelsLive();
