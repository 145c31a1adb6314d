// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL

/// Where libpq connects to when nobody says it: what the variables `PGHOST`, `PGHOSTADDR` and `PGSERVICE` and the file
/// of services make of it.
struct LibpqDefaults: Sendable {
  var host = ""
  var hostAddress = ""

  /// What holds for this process now.
  ///
  /// A service that cannot be read is an error when it is connected, so it says nothing here.
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
