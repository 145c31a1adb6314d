// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// A composite within another one, as `@Composite` writes it.
struct Coordinates: CompositeValue, Equatable {
  var latitude: Double = 0
  var longitude: Double?

  static let _composite = CompositeDeclaration(
    Coordinates.self,
    elements: [
      .property("latitude", .of(Double.self, default: 0)),
      .property("longitude", .of(Double?.self)),
    ])
}

extension Coordinates {
  init(_elements: inout CompositeReader) {
    latitude = _elements.read(or: 0)
    longitude = _elements.read()
  }

  func _write(to elements: inout CompositeWriter) {
    elements.write(latitude)
    elements.write(longitude)
  }
}

/// An address of a composite attribute.
struct Residence: CompositeValue, Equatable {
  enum Kind: String { case home, office }

  var street: String = "Main"
  var city: String?
  var zip: Int32 = 1000
  var kind: Kind = .home
  var place: Coordinates?

  static let _composite = CompositeDeclaration(
    Residence.self,
    elements: [
      .property("street", .of(String.self, default: "Main"), maximum: 8),
      .property("city", .of(String?.self), .indexed),
      .property("zip", .of(Int32.self, default: 1000)),
      .property("kind", .of(Kind.self, default: .home)),
      .property("place", .of(Coordinates?.self)),
    ])
}

extension Residence {
  init(_elements: inout CompositeReader) {
    street = _elements.read(or: "Main")
    city = _elements.read()
    zip = _elements.read(or: 1000)
    kind = _elements.read(or: .home)
    place = _elements.read()
  }

  func _write(to elements: inout CompositeWriter) {
    elements.write(street)
    elements.write(city)
    elements.write(zip)
    elements.write(kind)
    elements.write(place)
  }
}

/// A class with addresses.
final class Resident: ManagedObject {
  override class var _entityDeclaration: EntityDeclaration? { declaration }

  private static let declaration = EntityDeclaration(
    "Resident", class: Resident.self,
    properties: [
      .property("name", .of(String.self, default: "")),
      .property(
        "address", .of(Residence.self, default: Residence(city: "Bern")), renewsDefault: true),
      .property("billing", .of(Residence?.self)), .property("friend", .of(Resident?.self)),
    ])

  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var address: Residence {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var billing: Residence? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var friend: Resident? {
    get { _get(3) }
    set { _set(3, newValue) }
  }

  struct Values: EntityValues {
    typealias _Object = Resident
    var _list: AttributeValueList

    init(_list: AttributeValueList) { self._list = _list }

    init(_ name: String, address: Residence, billing: Residence? = nil) {
      _list = AttributeValueList(Resident.self)
      _set(0, name)
      _set(1, address)
      _set(2, billing)
    }
  }

  var values: Values { Values(self) }
}

/// The class in an earlier version of the model, whose addresses had fewer elements.
final class EarlierResident: ManagedObject {
  struct Address: CompositeValue {
    var street: String
    var city: String?

    static let _composite = CompositeDeclaration(
      Address.self,
      elements: [.property("street", .of(String.self)), .property("city", .of(String?.self))])
  }

  override class var _entityDeclaration: EntityDeclaration? { declaration }

  private static let declaration = EntityDeclaration(
    "Resident", class: EarlierResident.self,
    properties: [
      .property("name", .of(String.self, default: "")),
      .property("address", .of(Address.self)), .property("billing", .of(Address?.self)),
      .property("friend", .of(EarlierResident?.self)),
    ])

  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var address: Address {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var billing: Address? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
}

extension EarlierResident.Address {
  init(_elements: inout CompositeReader) {
    street = _elements.read()
    city = _elements.read()
  }

  func _write(to elements: inout CompositeWriter) {
    elements.write(street)
    elements.write(city)
  }
}
