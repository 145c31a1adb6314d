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
    // Every member is a T, and a T is hashed as the object that it is: the set is one of Ts as it is. Made as such it
    // would be made by code for any type, which takes ten times as long.
    return unsafeBitCast(result, to: Set<T>.self)
  }

  /// Whether this object comes before another where nothing else decides: saved ones by their keys, then new ones in
  /// the order of creation.
  func isBefore(_ other: ManagedObject) -> Bool {
    switch (owner.identity.isTemporaryID, other.identity.isTemporaryID) {
    case (false, false): owner.identity.key < other.identity.key
    case (true, true): owner.identity.key > other.identity.key
    case (let isTemporary, _): !isTemporary
    }
  }
}
