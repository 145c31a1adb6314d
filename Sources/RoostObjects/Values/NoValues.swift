// SPDX-License-Identifier: Apache-2.0

/// Empty values, for ``ManagedObject`` itself and for classes declared without values.
///
/// ```swift
/// @Entity(values: false) class Party: ManagedObject { var name: String }
/// @Entity final class Company: Party { var size: Int = 0 }
/// let values = Company.Values(NoValues(), size: 3)
/// ```
public struct NoValues: EntityValues {
  /// The class.
  public typealias _Object = ManagedObject
  /// The empty storage.
  public var _list: AttributeValueList

  /// Creates the empty values.
  public init() { _list = AttributeValueList(ManagedObject.self) }

  /// Creates the empty values.
  public init(_list: AttributeValueList) { self._list = _list }
}

extension ManagedObject {
  /// The values of the class, or of the nearest superclass that has values.
  public typealias _OwnValues = NoValues
}
