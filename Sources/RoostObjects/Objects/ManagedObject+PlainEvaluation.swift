// SPDX-License-Identifier: Apache-2.0

import RoostQuery

// A managed object in an array or a dictionary: conditions on these look into it by its keys.
extension ManagedObject: KeyedValues {
  package final func plainValue(forKey key: String) throws -> Any? { try value(forKey: key) }
}
