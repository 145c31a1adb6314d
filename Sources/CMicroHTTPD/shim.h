// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_CMICROHTTPD_SHIM_H
#define ROOST_CMICROHTTPD_SHIM_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

/* Cases of enumerations, whose names in Swift depend on how a release of the library declares them. */
static const enum MHD_Result roost_http_yes = MHD_YES;
static const enum MHD_Result roost_http_no = MHD_NO;
static const enum MHD_ValueKind roost_http_header = MHD_HEADER_KIND;
static const enum MHD_ValueKind roost_http_argument = MHD_GET_ARGUMENT_KIND;

/* A response with a copy of some bytes. */
static inline struct MHD_Response *roost_http_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/* Starts a server on 127.0.0.1 alone, with a thread for each connection. Swift has no way to call a function whose
 * arguments are not all declared, which the one that starts it is.
 *
 * Port 0 takes any that is free. */
static inline struct MHD_Daemon *roost_http_start(
    unsigned short port, MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, void *owner) {
  struct sockaddr_in place;
  memset(&place, 0, sizeof(place));
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC, port, NULL, NULL, answer, owner,
      MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&place, MHD_OPTION_NOTIFY_COMPLETED, completed, owner,
      MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_PER_IP_CONNECTION_LIMIT, 32u,
      /* In seconds: who is not let in keeps a connection no longer. */
      MHD_OPTION_CONNECTION_TIMEOUT, 20u,
      /* What a request line may take: the place where a page ends is part of it. */
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(256 * 1024), MHD_OPTION_END);
}

/* Lets a connection wait for its answer, for some seconds. */
static inline void roost_http_wait(struct MHD_Connection *connection, unsigned int seconds) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/* The port that a server listens at; 0 when it is not known. */
static inline unsigned short roost_http_port(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT);
  return info == NULL ? 0 : info->port;
}

#endif
