// SPDX-License-Identifier: Apache-2.0

/// The values of a class that has none: of ``ManagedObject`` itself, and of classes that want none.
///
/// ```swift
/// @Entity(values: false) class Party: ManagedObject { var name: String }
/// @Entity final class Company: Party { var size: Int = 0 }
/// let values = Company.Values(NoValues(), size: 3)
/// ```
public struct NoValues: EntityValues {
  /// The class.
  public typealias _Object = ManagedObject
  /// Nothing.
  public var _list: AttributeValueList

  /// Makes them.
  public init() { _list = AttributeValueList(ManagedObject.self) }

  /// Makes them.
  public init(_list: AttributeValueList) { self._list = _list }
}

extension ManagedObject {
  /// The values of the class, or of the next one above it that has values.
  public typealias _OwnValues = NoValues
}
