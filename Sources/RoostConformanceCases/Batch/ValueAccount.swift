// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// An entity class with its values, as `@Entity` writes them.
final class ValueAccount: ManagedObject {
  override class var _entityDeclaration: EntityDeclaration? { declaration }

  private static let declaration = EntityDeclaration(
    "Account", class: ValueAccount.self, uniqueness: [["realm", "number"]],
    properties: [
      .property("name", .of(String.self, default: "unnamed")),
      .property("email", .of(String?.self), .unique), .property("realm", .of(String?.self)),
      .property("number", .of(Int64?.self)), .property("owner", .of(ValueAccount?.self)),
    ])

  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var email: String? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var realm: String? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var number: Int64? {
    get { _get(3) }
    set { _set(3, newValue) }
  }
  var owner: ValueAccount? {
    get { _get(4) }
    set { _set(4, newValue) }
  }

  struct Values: EntityValues {
    typealias _Object = ValueAccount
    var _list: AttributeValueList

    init(_list: AttributeValueList) { self._list = _list }

    init(_ name: String, email: String?, realm: String? = nil, number: Int64? = nil) {
      _list = AttributeValueList(ValueAccount.self)
      _set(0, name)
      _set(1, email)
      _set(2, realm)
      _set(3, number)
    }
  }
}
