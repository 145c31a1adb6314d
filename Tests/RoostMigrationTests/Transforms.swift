// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Synchronization
import Testing

/// The new version: names are split, the age is a number, a citizen is in one club only and has a separate home
/// object.
@Entity final class Citizen: ManagedObject {
  var firstName: String
  var lastName: String?
  var age: Int32?
  var note: String?
  @Relationship(inverse: \.members) var club: Club?
  @Relationship(deleteRule: .cascade, inverse: \.citizen) var home: Home?
}

@Entity final class Club: ManagedObject {
  var title: String?
  @Relationship(inverse: \.club) var members: Set<Citizen>
}

@Entity final class Home: ManagedObject {
  var street: String
  @Relationship(inverse: \.home) var citizen: Citizen?
}

/// Citizens in two versions, and stores of them.
enum Citizens {
  /// Citizen(name, age as a text, note, street, club to many), Club(title, members).
  static func old() -> ManagedObjectModel {
    let citizen = EntityDescription(name: "Citizen")
    let club = EntityDescription(name: "Club")
    let clubs = RelationshipDescription(name: "club", destination: club)
    let members = RelationshipDescription(name: "members", destination: citizen)
    clubs.inverseRelationship = members
    members.inverseRelationship = clubs
    citizen.properties =
      ["name", "age", "note", "street"].map { AttributeDescription(name: $0, type: .string) }
      + [clubs]
    club.properties = [AttributeDescription(name: "title", type: .string), members]
    return ManagedObjectModel(entities: [citizen, club])
  }

  static func new() throws -> ManagedObjectModel {
    try ManagedObjectModel(Citizen.self, Club.self, Home.self)
  }

  /// Citizens 0 to `count` in the clubs of their number modulo 3 and of the next; every tenth has no name.
  static func fill(_ description: PersistentStoreDescription, count: Int) throws -> [URL] {
    try Staff.withStore(description, old()) { context, _ in
      let clubs = try (0..<3).map { number in
        let club = try EntityDescription.insertNewObject(forEntityName: "Club", into: context)
        try club.setValue("C\(number)", forKey: "title")
        return club
      }
      let citizens = try (0..<count).map { number in
        let citizen = try EntityDescription.insertNewObject(forEntityName: "Citizen", into: context)
        if number % 10 != 9 { try citizen.setValue("F\(number) L\(number)", forKey: "name") }
        try citizen.setValue("\(number)", forKey: "age")
        try citizen.setValue("note \(number)", forKey: "note")
        if number % 2 == 0 { try citizen.setValue("S\(number)", forKey: "street") }
        try citizen.setValue(Set([clubs[number % 3], clubs[(number + 1) % 3]]), forKey: "club")
        return citizen
      }
      try context.save()
      return citizens.map { $0.objectID.uriRepresentation() }
    }
  }

  /// Returns a transform that splits names, parses ages, makes homes, skips citizens without a name, and keeps the
  /// first club by title.
  static func transform(
    replacing: Set<String> = ["name", "street"],
    setting: Set<String> = ["firstName", "age", "club"], calls: CallCount = CallCount()
  ) -> EntityTransform {
    EntityTransform("Citizen", to: Citizen.self, replacing: replacing, setting: setting) {
      old, new, step in
      calls.add()
      guard let name: String = try old["name"] else { return step.drop() }
      let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
      new.firstName = parts[0]
      new.lastName = parts.count > 1 ? parts[1] : nil
      new.age = (try old["age"] as String?).flatMap { Int32($0) }
      if let street: String = try old["street"] {
        let home = try step.insert(Home.self)
        home.street = street
        new.home = home
      }
    } connecting: { old, new, step in
      let clubs = try old.records("club")
      let first = try clubs.min { (try $0["title"] ?? "") < (try $1["title"] ?? "") }
      new.club = first.flatMap { step.object(of: $0, as: Club.self) }
    }
  }

  /// Returns the content of the new version: `F3 L3 3 note 3 C0 -` is names, age, note, club and street.
  static func lines(_ context: ManagedObjectContext) throws -> [String] {
    let request: FetchRequest<Citizen> = Citizen.fetchRequest()
    request.sortDescriptors = [SortOrdering("age")]
    return try context.fetch(request).map { one in
      let parts = [
        one.firstName, one.lastName ?? "-", "\(one.age ?? -1)", one.note ?? "-",
        one.club?.title ?? "-", one.home?.street ?? "-",
      ]
      return parts.joined(separator: " ")
    }
  }

  static func expected(_ count: Int) -> [String] {
    (0..<count).filter { $0 % 10 != 9 }.map { number in
      let club = min(number % 3, (number + 1) % 3)
      let street = number % 2 == 0 ? "S\(number)" : "-"
      return "F\(number) L\(number) \(number) note \(number) C\(club) \(street)"
    }
  }
}

/// Counts calls on any thread.
final class CallCount: Sendable {
  private let calls = Mutex(0)

  func add() { calls.withLock { $0 += 1 } }

  var value: Int { calls.withLock { $0 } }
}
