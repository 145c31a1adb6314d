// SPDX-License-Identifier: Apache-2.0

import RoostStore

@testable import RoostPostgreSQL

extension ConnectionPool {
  /// The number of waiting callers.
  var waiterCount: Int { connections.waiting }

  /// The number of connections that exist, or are being made.
  var connectionCount: Int {
    let connections = connections
    return connections.idle + connections.inUse
  }
}
