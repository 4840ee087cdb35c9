/* SPDX-License-Identifier: MIT */
/* ircce_flags.c - iRCCE's names of RCCE's tagged flags, which may have any value. */
#include <iRCCE.h>

#undef RCCE_flag_write_tagged
#undef RCCE_flag_read_tagged
#undef RCCE_wait_tagged
#undef RCCE_test_tagged

int iRCCE_flag_alloc(RCCE_FLAG *flag) { return RCCE_flag_alloc(flag); }

int iRCCE_flag_alloc_tagged(RCCE_FLAG *flag) { return RCCE_flag_alloc(flag); }

int iRCCE_flag_free_tagged(RCCE_FLAG *flag) { return RCCE_flag_free(flag); }

int iRCCE_flag_write_tagged(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue, void *tag, int length)
{
    return RCCE_flag_write_tagged(flag, value, ue, tag, length);
}

int iRCCE_flag_read_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue, void *tag, int length)
{
    return RCCE_flag_read_tagged(flag, value, ue, tag, length);
}

int iRCCE_wait_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, void *tag, int length)
{
    return RCCE_wait_tagged(flag, value, tag, length);
}

int iRCCE_test_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result, void *tag, int length)
{
    return RCCE_test_tagged(flag, value, result, tag, length);
}

int iRCCE_flag_write(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue)
{
    return RCCE_flag_write_tagged(flag, value, ue, NULL, 0);
}

int iRCCE_flag_read(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue)
{
    return RCCE_flag_read_tagged(flag, value, ue, NULL, 0);
}

int iRCCE_wait_until(RCCE_FLAG flag, RCCE_FLAG_STATUS value) { return RCCE_wait_tagged(flag, value, NULL, 0); }

int iRCCE_test_flag(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result)
{
    return RCCE_test_tagged(flag, value, result, NULL, 0);
}

int iRCCE_get_max_tagged_len(void) { return iRCCE_MAX_TAGGED_LEN; }
