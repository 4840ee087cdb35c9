/* SPDX-License-Identifier: MIT */
/* life.c - says which life its cluster lives, then stays. */
#include <amalgam/calls.h>
#include <amalgam/clusters.h>
#include <stdio.h>

int main(void)
{
    printf("life %lld, dropped %lld\n", (long long)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_LIFE),
           (long long)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_DROPPED));
    amalgam_sleep_until(AMALGAM_NEVER);
    return 1;
}
