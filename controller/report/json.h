/*
 * json: the JSON form of a model as a value, for report.json and for the data inside the HTML page.
 */
#ifndef NL_CONTROLLER_REPORT_JSON_H
#define NL_CONTROLLER_REPORT_JSON_H

#include <jansson.h>

#include "controller/reconcile/model.h"

/* nl_report_json_object makes the whole of report.json; the caller drops it with json_decref. NULL when memory is
 * short. */
json_t *nl_report_json_object(const struct nl_model *model);

#endif
