// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  func typedSet<T: ManagedObject>(
    _ members: ContiguousArray<ManagedObject>, of type: T.Type
  ) -> Set<T> {
    var result = Set<ManagedObject>(minimumCapacity: members.count)
    var knownClass: ManagedObject.Type?
    for member in members {
      let memberClass = Swift.type(of: member)
      if memberClass != knownClass {
        guard member is T else { return Set(members.lazy.compactMap { $0 as? T }) }
        knownClass = memberClass
      }
      result.insert(member)
    }
    // Every member is a T, and hashes as the object that it is, so the set can be reinterpreted. Creating a typed set
    // runs unspecialised generic code, which takes ten times as long.
    return unsafeBitCast(result, to: Set<T>.self)
  }

  /// The default order of objects: saved ones by their keys, then new ones in the order of creation.
  func isBefore(_ other: ManagedObject) -> Bool {
    switch (owner.identity.isTemporaryID, other.identity.isTemporaryID) {
    case (false, false): owner.identity.key < other.identity.key
    case (true, true): owner.identity.key > other.identity.key
    case (let isTemporary, _): !isTemporary
    }
  }
}
