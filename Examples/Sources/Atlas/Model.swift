// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The two parts of the model, each held by a store of its own.
enum Configuration {
  static let reference = "Reference"
  static let travel = "Travel"
}

// MARK: - Reference data of the ISO tables

/// A country or subdivision with a code of ISO 3166.
@Entity(abstract: true, configurations: [Configuration.reference])
class Place: ManagedObject {
  @Attribute(.unique, minimum: 2, maximum: 6) var code: String
  @Attribute(.indexed, minimum: 1) var name: String
  /// The travellers' notes on the place, in either store.
  @Relationship(.crossesStores, inverse: \.place) var notes: Set<Note>
}

/// A country of ISO 3166-1.
@Entity(configurations: [Configuration.reference])
final class Country: Place {
  @Attribute(matching: "[A-Z]{3}") var alpha3: String
  @Attribute(minimum: 1, maximum: 999) var numeric: Int16
  var officialName: String?
  var flag: String = ""
  @Relationship(deleteRule: .cascade, inverse: \.country) var subdivisions: Set<Subdivision>
  @Relationship(deleteRule: .deny, inverse: \.country) var currencies: Set<Currency>
}

/// A part of a country, of ISO 3166-2; some are parts of other parts.
@Entity(configurations: [Configuration.reference])
final class Subdivision: Place {
  @Attribute(.indexed) var kind: String
  @Relationship(inverse: \.subdivisions) var country: Country
  @Relationship(inverse: \.children) var parent: Subdivision?
  @Relationship(deleteRule: .cascade, inverse: \.parent) var children: Set<Subdivision>
}

/// A currency of ISO 4217. The first two letters of most codes are the country's.
@Entity(configurations: [Configuration.reference])
final class Currency: ManagedObject {
  @Attribute(.unique, matching: "[A-Z]{3}") var code: String
  var name: String
  @Attribute(minimum: 0, maximum: 999) var numeric: Int16
  @Relationship(inverse: \.currencies) var country: Country?
}

/// A language of ISO 639-3.
@Entity(configurations: [Configuration.reference])
final class Language: ManagedObject {
  @Attribute(.unique, matching: "[a-z]{3}") var code: String
  var shortCode: String?
  @Attribute(.indexed) var name: String
  var scope: Scope
  @Attribute(.indexed) var vitality: Vitality

  /// The scope of a language code.
  enum Scope: String {
    case individual = "I"
    case macrolanguage = "M"
    case special = "S"
  }

  /// The vitality of the language: living, or since when it is not.
  enum Vitality: String, CaseIterable {
    case living = "L"
    case extinct = "E"
    case ancient = "A"
    case historic = "H"
    case constructed = "C"
    case special = "S"
  }
}

/// A script of ISO 15924.
@Entity(configurations: [Configuration.reference])
final class Script: ManagedObject {
  @Attribute(.unique, matching: "[A-Z][a-z]{3}") var code: String
  var name: String
  @Attribute(minimum: 0, maximum: 999) var numeric: Int16
}

// MARK: - Travel data

/// A journey, with its stops in order.
@Entity(configurations: [Configuration.travel])
final class Trip: ManagedObject {
  @Attribute(minimum: 1, maximum: 80) var name: String
  @Attribute(minimum: Decimal(0)) var budget: Decimal = 0
  @Relationship(deleteRule: .cascade, inverse: \.trip) var stops: [Stop]
  @Relationship(inverse: \.trips) var travellers: Set<Traveller>
  @Relationship(deleteRule: .cascade, inverse: \.trip) var notes: Set<Note>
}

/// A stop of a trip, by the ISO code of its place: a code is valid even where the other store is not attached.
@Entity(configurations: [Configuration.travel])
final class Stop: ManagedObject {
  var placeCode: String
  @Attribute(originalName: "days", minimum: 0, maximum: 365) var nights: Int16 = 1
  @Relationship(inverse: \.stops) var trip: Trip?
}

/// A person on the journey. Version 1 had one `name`.
@Entity(configurations: [Configuration.travel])
final class Traveller: ManagedObject {
  var givenName: String = ""
  var familyName: String?
  @Relationship(inverse: \.travellers) var trips: Set<Trip>
}

// MARK: - Both

/// A remark on a place. Both stores can hold notes: some are kept in the file, some only in memory.
@Entity(configurations: [Configuration.reference, Configuration.travel])
final class Note: ManagedObject {
  @Attribute(.indexed) var placeCode: String
  @Attribute(minimum: 1, maximum: 280) var text: String
  @Attribute(minimum: 1, maximum: 5) var stars: Int16 = 3
  @Relationship(inverse: \.notes) var trip: Trip?
  @Relationship(.crossesStores, inverse: \.notes) var place: Place?
}

extension ManagedObjectModel {
  /// The model of this program; its configurations are declared by the classes.
  static func atlas() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Place.self, Country.self, Subdivision.self, Currency.self, Language.self, Script.self,
      Trip.self, Stop.self, Traveller.self, Note.self)
  }
}
