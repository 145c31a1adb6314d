// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The two parts of the model, each held by a store of its own.
enum Configuration {
  static let reference = "Reference"
  static let travel = "Travel"
}

// MARK: - Reference: what the ISO tables say

/// What ISO 3166 gives a code to.
@Entity(abstract: true, configurations: [Configuration.reference])
class Place: ManagedObject {
  @Attribute(.unique, minimum: 2, maximum: 6) var code: String
  @Attribute(.indexed, minimum: 1) var name: String
  /// What travellers say of it, in whichever store they keep that.
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

  /// What a code stands for.
  enum Scope: String {
    case individual = "I"
    case macrolanguage = "M"
    case special = "S"
  }

  /// Whether it is spoken, and if not, since when.
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

// MARK: - Travel: what somebody does with it

/// A journey, with its stops in order.
@Entity(configurations: [Configuration.travel])
final class Trip: ManagedObject {
  @Attribute(minimum: 1, maximum: 80) var name: String
  @Attribute(minimum: Decimal(0)) var budget: Decimal = 0
  @Relationship(deleteRule: .cascade, inverse: \.trip) var stops: [Stop]
  @Relationship(inverse: \.trips) var travellers: Set<Traveller>
  @Relationship(deleteRule: .cascade, inverse: \.trip) var notes: Set<Note>
}

/// A place where a trip halts, by its ISO code: a code also says it where the other store is not there.
@Entity(configurations: [Configuration.travel])
final class Stop: ManagedObject {
  var placeCode: String
  @Attribute(originalName: "days", minimum: 0, maximum: 365) var nights: Int16 = 1
  @Relationship(inverse: \.stops) var trip: Trip?
}

/// Somebody who comes along. Version 1 had one `name`.
@Entity(configurations: [Configuration.travel])
final class Traveller: ManagedObject {
  var givenName: String = ""
  var familyName: String?
  @Relationship(inverse: \.travellers) var trips: Set<Trip>
}

// MARK: - Both

/// A remark on a place. Both stores can hold notes: some are kept in the file, some live as long as the program.
@Entity(configurations: [Configuration.reference, Configuration.travel])
final class Note: ManagedObject {
  @Attribute(.indexed) var placeCode: String
  @Attribute(minimum: 1, maximum: 280) var text: String
  @Attribute(minimum: 1, maximum: 5) var stars: Int16 = 3
  @Relationship(inverse: \.notes) var trip: Trip?
  @Relationship(.crossesStores, inverse: \.notes) var place: Place?
}

extension ManagedObjectModel {
  /// The model of this program; its configurations are those that the classes name.
  static func atlas() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Place.self, Country.self, Subdivision.self, Currency.self, Language.self, Script.self,
      Trip.self, Stop.self, Traveller.self, Note.self)
  }
}
