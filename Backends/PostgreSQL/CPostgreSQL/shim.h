// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_CPOSTGRESQL_SHIM_H
#define ROOST_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

#endif
