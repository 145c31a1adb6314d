// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// What ISO 3166 gives a code to.
@Entity(isAbstract: true) class Place: ManagedObject {
  @Attribute(.unique, .length(2...6)) var code: String
  @Attribute(.indexed, .length(1...)) var name: String
}

/// A country of ISO 3166-1.
@Entity final class Country: Place {
  @Attribute(.length(3...3)) var alpha3: String
  @Attribute(.range(1...999)) var numeric: Int16
  var officialName: String?
  var flag: String = ""
  @Relationship(deleteRule: .cascade, inverse: \Subdivision.country)
  var subdivisions: Set<Subdivision>
  @Relationship(deleteRule: .deny, inverse: \Currency.country)
  var currencies: Set<Currency>
}

/// A part of a country, of ISO 3166-2; many are parts of other parts.
@Entity final class Subdivision: Place {
  @Attribute(.indexed) var kind: String
  @Relationship(inverse: \Country.subdivisions) var country: Country
  @Relationship(inverse: \Subdivision.children) var parent: Subdivision?
  @Relationship(deleteRule: .cascade, inverse: \Subdivision.parent) var children: Set<Subdivision>
}

/// A currency of ISO 4217. The first two letters of most codes are the country's.
@Entity final class Currency: ManagedObject {
  @Attribute(.unique, .length(3...3)) var code: String
  var name: String
  @Attribute(.range(0...999)) var numeric: Int16
  @Relationship(inverse: \Country.currencies) var country: Country?
}

/// A language of ISO 639-3.
@Entity final class Language: ManagedObject {
  @Attribute(.unique, .length(3...3)) var code: String
  var shortCode: String?
  @Attribute(.indexed) var name: String
  var scope: Scope
  @Attribute(.indexed) var vitality: Vitality

  /// What a code stands for.
  enum Scope: String, Codable, AttributeValue {
    case individual = "I"
    case macrolanguage = "M"
    case special = "S"
  }

  /// Whether and since when nobody speaks it.
  enum Vitality: String, Codable, AttributeValue {
    case living = "L"
    case extinct = "E"
    case ancient = "A"
    case historic = "H"
    case constructed = "C"
    case special = "S"
  }
}

/// A script of ISO 15924.
@Entity final class Script: ManagedObject {
  @Attribute(.unique, .length(4...4)) var code: String
  var name: String
  @Attribute(.range(0...999)) var numeric: Int16
}

/// A journey, with its stops in order.
@Entity final class Trip: ManagedObject {
  @Attribute(.length(1...80)) var name: String
  var begins: Date?
  @Attribute(.range(0...)) var budget: Decimal = 0
  @Relationship(deleteRule: .cascade, ordered: true, inverse: \Stop.trip) var stops: [Stop]
  @Relationship(inverse: \Traveller.trips) var travellers: Set<Traveller>
  @Relationship(deleteRule: .cascade, inverse: \Note.trip) var notes: Set<Note>
}

/// A place where a trip halts, by its ISO code: a relationship cannot leave its store, a code can.
@Entity final class Stop: ManagedObject {
  var placeCode: String
  @Attribute(.range(0...365)) var nights: Int16 = 1
  @Relationship(inverse: \Trip.stops) var trip: Trip?
}

/// Somebody who comes along.
@Entity final class Traveller: ManagedObject {
  var name: String
  @Relationship(inverse: \Trip.travellers) var trips: Set<Trip>
}

/// A remark on a place. Both stores can hold notes: some are kept in the file, some live as long as the program.
@Entity final class Note: ManagedObject {
  @Attribute(.indexed) var placeCode: String
  @Attribute(.length(1...280)) var text: String
  @Attribute(.range(1...5)) var stars: Int16 = 3
  @Relationship(inverse: \Trip.notes) var trip: Trip?
}

/// The two parts of the model, each held by a store of its own.
enum Configuration {
  static let reference = "Reference"
  static let travel = "Travel"
}

func makeModel() throws -> ManagedObjectModel {
  let model = ManagedObjectModel(
    Place.self, Country.self, Subdivision.self, Currency.self, Language.self, Script.self,
    Trip.self, Stop.self, Traveller.self, Note.self)
  let reference = ["Place", "Country", "Subdivision", "Currency", "Language", "Script", "Note"]
  let travel = ["Trip", "Stop", "Traveller", "Note"]
  try model.setEntities(
    reference.compactMap { model[$0] }, forConfigurationName: Configuration.reference)
  try model.setEntities(travel.compactMap { model[$0] }, forConfigurationName: Configuration.travel)
  return model
}
