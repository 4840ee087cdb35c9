/* SPDX-License-Identifier: MIT */
/*
 * sink.c - takes what comes by connections to port 5001 and says how much it was: the server's half of iperf 2, whose
 * client only sends. One connection after the other.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 5001

int main(void)
{
    static char data[16384];
    const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    int l = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(l, (const struct sockaddr *)&any, sizeof any) || listen(l, 4)) {
        perror("sink");
        return 1;
    }
    puts("sink: listens");
    fflush(stdout);
    for (;;) {
        int s = accept(l, NULL, NULL);
        unsigned long long all = 0;
        ssize_t n;
        while ((n = recv(s, data, sizeof data, 0)) > 0)
            all += (unsigned long long)n;
        printf("sink: %llu bytes%s\n", all, n ? ", then an error" : "");
        fflush(stdout);
        close(s);
    }
}
