/*
 * reference_file: where the generated part of docs/campaign.md begins.
 */
#ifndef TESTS_REFERENCE_FILE_H
#define TESTS_REFERENCE_FILE_H

#define REFERENCE_MARK "<!-- From here on made by nl_campaign_reference; a test keeps it so. -->\n"
#define REFERENCE_MAX  (256u * 1024u)

#endif
