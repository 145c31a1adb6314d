// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL

/// libpq's default host: the result of the variables `PGHOST`, `PGHOSTADDR` and `PGSERVICE` and of the service file.
struct LibpqDefaults: Sendable {
  var host = ""
  var hostAddress = ""

  /// Returns the defaults of this process.
  ///
  /// A service that cannot be read is an error of the connection attempt, so it is ignored here.
  static var current: LibpqDefaults {
    var defaults = LibpqDefaults()
    guard let options = PQconndefaults() else { return defaults }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      let value = option.pointee.val.map { String(cString: $0) } ?? ""
      switch String(cString: keyword) {
      case "host": defaults.host = value
      case "hostaddr": defaults.hostAddress = value
      default: break
      }
      option += 1
    }
    return defaults
  }
}
