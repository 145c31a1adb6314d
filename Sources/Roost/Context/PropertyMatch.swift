// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects
import RoostQuery

/// A property with the value that an object must have, to find it or to insert it.
///
/// ```swift
/// let seat = try context.findOrCreate(Seat.self, matching: [.equal(\.row, 4), .equal(\.hall, hall)])
/// ```
public struct PropertyMatch<T: ManagedObject> {
  /// The condition that the object satisfies.
  let condition: FetchPredicate
  /// Gives the value to a new object.
  let assign: (T) -> Void

  /// An attribute with a value.
  public static func equal<Value: AttributeValue>(
    _ keyPath: ReferenceWritableKeyPath<T, Value>, _ value: Value
  ) -> PropertyMatch {
    PropertyMatch(condition: FetchPredicate(T.self) { $0[dynamicMember: keyPath] == value }) {
      $0[keyPath: keyPath] = value
    }
  }

  /// An attribute of a type with a raw value.
  @_disfavoredOverload
  public static func equal<Value: RawRepresentable>(
    _ keyPath: ReferenceWritableKeyPath<T, Value>, _ value: Value
  ) -> PropertyMatch where Value.RawValue: AttributeValue {
    PropertyMatch(condition: FetchPredicate(T.self) { $0[dynamicMember: keyPath] == value }) {
      $0[keyPath: keyPath] = value
    }
  }

  /// A to-one relationship with a destination; nil for none.
  @_disfavoredOverload
  public static func equal<Destination: ManagedObject>(
    _ keyPath: ReferenceWritableKeyPath<T, Destination?>, _ destination: Destination?
  ) -> PropertyMatch {
    PropertyMatch(condition: FetchPredicate(T.self) { $0[dynamicMember: keyPath] == destination }) {
      $0[keyPath: keyPath] = destination
    }
  }
}
