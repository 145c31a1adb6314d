// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

enum MarinerRank: String {
  case low = "L"
  case high = "H"
}

enum MarinerLevel: Int16, AttributeEnumeration {
  case first, second, third
}

struct MarinerFlags: OptionSet {
  let rawValue: Int32
}

struct MarinerBadge: Codable, Sendable, Equatable {
  var colour = "red"
  var number = 0
}

@Entity class Mariner: ManagedObject {
  var name: String = ""
  var nickname: String?
  var age: Int32 = 0
  var height: Double = 0
  var isNew: Bool = true
  var isAway: Bool = false
  var born: Date = Date(timeIntervalSinceReferenceDate: 0)
  var joined: Date?
  var rank: MarinerRank = MarinerRank.low
  var formerRank: MarinerRank?
  var level: MarinerLevel = MarinerLevel.first
  var flags: MarinerFlags = MarinerFlags(rawValue: 0)
  var rankRaw: String = "L"
  var levelRaw: Int16 = 0
  var badge: MarinerBadge = MarinerBadge()
  var tags: [String] = []
  var picture: Data?
  var code: UUID?
  var ship: Vessel?

  // Computed properties.
  var upper: String { name.uppercased() }
  var trimmed: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
  var initial: String { String(name.prefix(1)) }
  var shout: String { name + "!" }
  var called: String { nickname ?? name }
  var nicknameOrNothing: String { nickname ?? "" }
  var nicknameOrNone: String? { nickname ?? "none" }
  var forcedNickname: String { nickname! }
  var both: String { name + (nickname ?? "") }
  var either: String { isNew ? name : "" }
  var score: Int32 { age * 10 }
  var positiveAge: Int32 { max(age, 0) }
  var distance: Int32 { age == .min ? .max : abs(age) }
  var share: Int32 { 100 / age }
  var wideAge: Int { Int(age) }
  var wholeHeight: Double { height.rounded() }
  var isOld: Bool { !isNew }
  var isHere: Bool { isNew && !isAway }
  var isAdult: Bool { age > 17 }
  var always: Bool { true }
  var label: String { "sailor" }
  var day: Date {
    Date(timeIntervalSinceReferenceDate: born.timeIntervalSinceReferenceDate.rounded())
  }
  var joinedOrBorn: Date { joined ?? born }
  var highest: MarinerRank { rank == .low ? .high : rank }
  var levelAbove: MarinerLevel { MarinerLevel(rawValue: level.rawValue + 1) ?? .third }
  var noted: MarinerFlags { MarinerFlags(rawValue: flags.rawValue | 1) }
  var shipName: String { ship?.name ?? "" }
  var shipNameIfAny: String? { ship?.name }
  var captainName: String? { ship?.captain?.name }
  var flagship: Vessel? { ship?.fleet.first }
  var colour: String { badge.colour }
  var tagCount: Int { tags.count }
  var pictureSize: Int { picture?.count ?? 0 }
  var hasCode: Bool { code != nil }
  @Unmodeled lazy var remembered: String = name

  // Computed properties that return a stored property unchanged.
  var title: String { name }
  var home: Vessel? { ship }
  var otherNickname: String? { nickname }
  var status: MarinerRank { MarinerRank(rawValue: rankRaw)! }
  var grade: MarinerLevel { MarinerLevel(rawValue: levelRaw) ?? .first }
}

@Entity final class Skipper: Mariner {
  var medals: Int16 = 0
  var fullMedals: Int16 { medals + 1 }
}

@Entity final class Vessel: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \Mariner.ship) var crew: Set<Mariner>
  @Relationship(ordered: true) var decks: [VesselDeck]
  var captain: Skipper?
  var fleet: Set<Vessel>

  var adults: Set<Mariner> { crew.filter { $0.age > 17 } }
  var nobody: Set<Mariner> { Set(crew.dropFirst(9)) }
  var everybody: Set<Mariner> { crew }
  var upwards: [VesselDeck] { decks.reversed() }
  var crewSize: Int { crew.count }
  var isEmpty: Bool { crew.isEmpty }
  var crewNames: [String] { crew.map(\.name) }
  var anybody: Mariner? { crew.first }
  var leader: Mariner? { captain }
}

@Entity final class VesselDeck: ManagedObject {
  var number: Int16 = 0
}
