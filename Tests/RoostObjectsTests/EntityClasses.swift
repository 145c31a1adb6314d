// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

// Classes that use every way to declare an entity, for `EntityClassTests`.

enum Membership: String, Codable { case guest, member, none }

enum Level: Int16 { case low = 1, high }

/// A class with the name of a codec that is never registered.
@Entity final class Orphan: ManagedObject {
  @Attribute(transformer: "test.nobody") var words: [String]?
}

/// A class whose values are stored encoded.
@Entity final class Secret: ManagedObject {
  @Attribute(transformer: "test.backwards") var word: String = "abc"
  @Attribute(transformer: "test.backwards") var second: String?
  var plain: [String]?
  var address: Address?
  @Unmodeled var judged: [String] = []

  func validateWord(_ word: inout String) throws {
    judged.append(word)
    if word == "fix" { word = "fixed" }
  }
}

struct Address: Codable, Sendable, Equatable {
  var street = ""
  var lines: [String] = []
}

@Entity(
  name: "Contact", originalName: "Person", versionHashModifier: "2",
  uniqueness: [["name", "age"]], indexes: [["age", "name"]], configurations: ["Cloud", "Local"],
  userInfo: ["colour": "red"],
) class ContactCard: ManagedObject {
  #Unique<ContactCard>([\.nick, \.age], [\ContactCard.title])
  #Index<ContactCard>([\.nick, \.name])
  @Attribute(.unique, .preservesValueOnDeletion, originalName: "mail", matching: #".+@.+"#)
  var email: String
  @Attribute(minimum: 1, maximum: 40) var name: String = "\("A" + "da") \("\(1 + 1)")"  // , b: Int
  @Attribute(.indexed, minimum: 0, maximum: 150, userInfo: ["unit": "years"])
  var age: Int32 = { () -> Int32 in
    let ages: [Int32] = [30, 6]
    return ages.reduce(0, +)
  }()
  var nick: String? = nil
  var title: String! = "Dr"
  var `default`: Double = 1.5
  @Attribute(.externalStorage, .optional) var picture: Data = Data([1, 2])
  @Attribute(.transient) var draft: Int = 7
  @Attribute(minimum: 0.5) var weight: Double = 60
  @Attribute(derivation: "lowercase:(name)") var folded: String?
  /// Cases of an enum are kept as their raw values.
  var membership: Membership = .none
  var earlier: Membership?
  var level: Level
  var address: Address = Address(street: "Main", lines: ["1"])
  var summer: Address?
  var tags: [String] = ["a"]
  var scores: [String: Int] = [:]
  #if DEBUG
  var debugNote: String = "debug"
  #else
  var releaseNote: String = "release"
  #endif
  var born: Date = Date(timeIntervalSinceReferenceDate: 1)
  var counter: Int = 0
  var token: UUID = UUID()

  @Unmodeled var observed: Int = 0 { didSet { changes += 1 } }
  @Unmodeled lazy var changes = 0
  let constant = 3
  static let shared = 4
  var computed: String { "\(name) \(age)" }
}

@Entity final class Business: ContactCard {
  var size: Int64 = 3
  @Relationship(inverse: \Order.seller) var orders: [Order] = []
}

@Entity final class Order: ManagedObject {
  var number: Int64 = 0
  // Named by `Business.orders`, and required.
  var seller: Business
  @Relationship(deleteRule: .deny, inverse: \.orders, minCount: 1, maxCount: 5)
  var items: Set<Item>
  @Relationship(ordered: true, transient: true) var hints: Set<Item>
  var unrelated: Item? = nil
}

enum Shop {
  @Entity final class Shelf: ManagedObject {
    @Relationship(deleteRule: .cascade, inverse: \.shelf) var items: Set<Item> = []
  }
}

@Entity final class Item: ManagedObject {
  var label: String = ""
  @Relationship(inverse: \.items) var orders: Set<Order>
  @Relationship(inverse: \.items) var shelf: Shop.Shelf?
  @Relationship(inverse: \.parts) var whole: Item?
  @Relationship(inverse: \.whole) var parts: [Item]
}
