// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

extension ManagedObjectClass {
  /// Returns a to-many relationship as a set that writes through.
  ///
  /// ```swift
  /// department.mutableSet(\.people).insert(ada)
  /// ```
  /// - Parameter property: A to-many relationship.
  public func mutableSet<Member: ManagedObject>(
    _ property: KeyPath<Self, Set<Member>>
  ) -> MutableObjectSet<Member> {
    MutableObjectSet(self, relationship(at: property))
  }

  /// Returns an ordered relationship as a list that writes through.
  ///
  /// ```swift
  /// album.mutableList(\.tracks).insert(bonus, at: 0)
  /// ```
  /// - Parameter property: An ordered to-many relationship.
  public func mutableList<Member: ManagedObject>(
    _ property: KeyPath<Self, [Member]>
  ) -> MutableObjectList<Member> {
    MutableObjectList(self, relationship(at: property))
  }
}
