// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostStore

extension PersistentStore {
  /// The backend's settings with which the store was added; nil for none.
  public var options: [AnyHashable: Any]? {
    let options = description.options
    return options.isEmpty ? nil : options.mapValues(\.option)
  }
}

extension StoreMetadata {
  /// What the metadata have under a key of Core Data's, as `NSStoreUUIDKey`, or of the program's.
  public subscript(key: String) -> Any? { keyed[key] }
}
