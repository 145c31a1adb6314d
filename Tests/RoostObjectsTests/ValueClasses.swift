// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory

enum Berth: String, Codable { case deck, cabin }

struct Weight: Codable, Sendable, Hashable {
  var kilograms = 0.0
}

/// Each kind of attribute, for the tests of values.
@Entity(uniqueness: [["ship", "number"]]) class Passage: ManagedObject {
  enum Tier: Int16 { case first, second }

  @Attribute(.unique) var ticket: String
  var passenger: String = ""
  var ship: String?
  var number: Int64?
  var age: Int16?
  var paid: Bool = false
  var price: Decimal = 0
  var ratio: Float = 0.1
  var distance: Double = 1.5
  var code: Data?
  var id: UUID = UUID()
  var page: URL?
  var booked: Date = Date(timeIntervalSinceReferenceDate: 100)
  var tier: Tier
  var berth: Berth = .deck
  @Attribute var otherBerth: Berth?
  var tags: [String] = []
  @Attribute var weight: Weight?
  var luggage: Weight = Weight(kilograms: 20)
  @Attribute(transformer: "Passage.note") var note: String = "none"
  var `default`: Int32 = 3
  private var secret: Int = 7
  @Attribute(.transient) var isShown: Bool = false
  @Attribute(derivation: "lowercase:(passenger)") var folded: String?
  @Relationship var partner: Passage?
  var plain: Passage?

  var secretValue: Int {
    get { secret }
    set { secret = newValue }
  }
}

@Entity class Crossing: Passage {
  var crew: Int32 = 1
}

@Entity(values: false) class Detour: Crossing {
  var reason: String?
}

@Entity final class Shortcut: Detour {
  var saved: Int64?
}

@Entity(abstract: true) class Fare: ManagedObject {
  var label: String
}

@Entity final class Surcharge: Fare {
  var percent: Double = 10
}

/// A class that declares initializers itself.
@Entity final class Stamp: ManagedObject {
  var label: String
  var count: Int32 = 0
  @Unmodeled var isOwn: Bool = false

  convenience init(label: String, count: Int32, context: ManagedObjectContext) {
    self.init(context: context)
    self.label = label
    isOwn = true
  }

  required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
    super.init(overriding: entity, insertInto: context)
  }
}
