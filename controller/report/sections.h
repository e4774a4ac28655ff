/*
 * sections: the parts of the report in their order, and the tables they are made of.
 */
#ifndef NL_CONTROLLER_REPORT_SECTIONS_H
#define NL_CONTROLLER_REPORT_SECTIONS_H

#include "controller/report/document.h"
#include "controller/reconcile/model.h"

/* Each adds its heading and blocks; nothing when the model has nothing for it. */
void nl_section_settings(struct nl_document *document, const struct nl_model *model);
void nl_section_ceilings(struct nl_document *document, const struct nl_model *model);
void nl_section_paths(struct nl_document *document, const struct nl_model *model);
void nl_section_ledger(struct nl_document *document, const struct nl_model *model);
void nl_section_limits(struct nl_document *document, const struct nl_model *model);
void nl_section_comparisons(struct nl_document *document, const struct nl_model *model);
void nl_section_unquotable(struct nl_document *document, const struct nl_model *model);

#endif
