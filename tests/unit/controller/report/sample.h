/*
 * sample: models to render: a whole run as the lab gives it, the same with hostile names, and runs with nothing in
 * them.
 */
#ifndef NL_TESTS_REPORT_SAMPLE_H
#define NL_TESTS_REPORT_SAMPLE_H

#include "controller/reconcile/model.h"

struct nl_model *nl_sample_run(void);     /* 1 Gbit/s link, pool at 40 MB/s, NFS and SMB */
struct nl_model *nl_sample_hostile(void); /* the same, every name and text an attack on a renderer */
struct nl_model *nl_sample_failed(void);  /* a run that failed before its first figure, every text NULL or empty */
struct nl_model *nl_sample_broken(void);  /* figures of NaN, infinity and unknowns */
void nl_sample_free(struct nl_model *model);

#define NL_SAMPLE_ATTACK "</script><script>alert(\"1\")</script>|`*_x_*`'&amp;\x1b[31m\xff\n# no heading"

#endif
