// SPDX-License-Identifier: Apache-2.0

import RoostQuery

// A managed object in an array or a dictionary: predicates on these read its properties by key.
extension ManagedObject: KeyedValues {
  package final func plainValue(forKey key: String) throws -> Any? { try value(forKey: key) }
}
