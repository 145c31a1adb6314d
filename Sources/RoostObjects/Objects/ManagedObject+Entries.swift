// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// What the product with Core Data's names builds on: its own methods are called like ours and hide them.
extension ManagedObject {
  /// What `value(forKey:)` does.
  package final func keyedValue(forKey key: String) throws -> Any? {
    try value(forKey: key)
  }

  /// What `setValue(_:forKey:)` does.
  package final func setKeyedValue(_ value: Any?, forKey key: String) throws {
    try setValue(value, forKey: key)
  }

  /// What `primitiveValue(forKey:)` does.
  package final func keyedPrimitiveValue(forKey key: String) throws -> Any? {
    try primitiveValue(forKey: key)
  }

  /// What `setPrimitiveValue(_:forKey:)` does.
  package final func setKeyedPrimitiveValue(_ value: Any?, forKey key: String) throws {
    try setPrimitiveValue(value, forKey: key)
  }

  /// What `committedValues(forKeys:)` does.
  package final func keyedCommittedValues(forKeys keys: [String]?) throws -> [String: Any] {
    try committedValues(forKeys: keys)
  }
}

extension EntityDescription {
  /// What `insertNewObject(forEntityName:into:)` does.
  package static func insertObject(
    ofEntityNamed name: String, into context: ManagedObjectContext
  ) throws -> ManagedObject {
    try insertNewObject(forEntityName: name, into: context)
  }
}
