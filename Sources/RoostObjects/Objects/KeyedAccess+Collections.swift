// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension KeyedAccess {
  /// Throws the error that setting the value would throw.
  func checkSettable(_ value: Any, forKey key: String) throws {
    if let relationship = owner.binding.relationship(named: key) {
      try check(ManagedObject.objects(in: value, for: relationship, of: owner), for: relationship)
      return
    }
    guard let attribute = owner.binding.attribute(named: key) else { throw unknownKey(key) }
    guard let exchange = Value(any: value, type: attribute.type) else {
      throw unfit(value, forKey: key)
    }
    _ = try attribute.parts(of: exchange)
  }

  func unfit(_ value: Any?, forKey key: String) -> PersistenceError {
    PersistenceError(
      .invalidValue, "\(key) takes no value of type \(TypeName.of(value)).",
      entityName: owner.entity.name, key: key, objectIDs: [owner.identity])
  }
}
