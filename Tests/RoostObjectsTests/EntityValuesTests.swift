// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Roost
import RoostInMemory
import Testing

@Suite("The attributes of an object as a value") struct EntityValuesTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    TransformableCodec.register("Passage.note", String.self)
    container = try PersistentContainer(
      name: "Passages",
      model: ManagedObjectModel(
        Passage.self, Crossing.self, Detour.self, Shortcut.self, Surcharge.self, Stamp.self),
      stores: [.inMemory()])
    try container.loadPersistentStores()
    context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  private func full() -> Passage.Values {
    Passage.Values(
      ticket: "T1", passenger: "Ada", ship: "Vasa", number: 3, age: 36, paid: true, price: 12.5,
      ratio: 0.3, distance: 2, code: Data([1, 2]), id: UUID(), page: URL(string: "https://a.b/c"),
      booked: Date(timeIntervalSinceReferenceDate: 5), tier: .second, berth: .cabin,
      otherBerth: .deck, tags: ["a"], weight: Weight(kilograms: 70), luggage: Weight(),
      note: "seen", default: 4)
  }

  @Test("values have the initial values of the class where nothing else is given")
  func initialValues() {
    let values = Passage.Values(ticket: "T", tier: .first)
    #expect(values.ticket == "T" && values.passenger == "" && values.ship == nil)
    #expect(values.ratio == 0.1 && values.berth == .deck && values.otherBerth == nil)
    #expect(values.luggage == Weight(kilograms: 20) && values.weight == nil)
    #expect(values.booked == Date(timeIntervalSinceReferenceDate: 100))
    #expect(values.note == "none" && values.default == 3 && values.tags == [])
    #expect(values.id != Passage.Values(ticket: "T", tier: .first).id)
  }

  @Test("an object is made of values, and has them")
  func objects() throws {
    let values = full()
    let passage = Passage(values, context: context)
    #expect(passage.ticket == "T1" && passage.price == 12.5 && passage.tier == .second)
    #expect(passage.page == URL(string: "https://a.b/c") && passage.code == Data([1, 2]))
    #expect(passage.weight == Weight(kilograms: 70) && passage.note == "seen")
    #expect(passage.default == 4 && passage.ratio == 0.3 && passage.otherBerth == .deck)
    #expect(passage.hasChanges && passage.values == values)
    try context.save()
    let other = container.newBackgroundContext()
    try other.performAndWait {
      let stored = try #require(try other.fetch(Passage.fetchRequest()).first)
      #expect(stored.values == values)
      #expect(stored.values.hashValue == values.hashValue)
      #expect(stored.values.weight == Weight(kilograms: 70))
    }
  }

  @Test("an object is made of its attributes")
  func memberwise() throws {
    let passage = Passage(ticket: "T", passenger: "Bo", tier: .second, context: context)
    #expect(passage.passenger == "Bo" && passage.berth == .deck && passage.values.number == nil)
    try context.save()
    #expect(Passage(context: context).ticket == "")
  }

  @Test("values are copies: changes of one reach nobody else")
  func copies() throws {
    let passage = Passage(full(), context: context)
    var values = passage.values
    values.passenger = "Eve"
    values.tags.append("b")
    #expect(values != passage.values)
    #expect(passage.passenger == "Ada" && passage.tags == ["a"])
    passage.passenger = "Eve"
    passage.tags.append("b")
    #expect(values == passage.values)
  }

  @Test("values are encoded by the names of the attributes, and decoded again")
  func coding() throws {
    let values = full()
    let json = try JSONEncoder().encode(values)
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(object["ticket"] as? String == "T1")
    #expect(object["tier"] as? Int == 1)
    #expect(object["berth"] as? String == "cabin")
    #expect((object["weight"] as? [String: Double]) == ["kilograms": 70])
    #expect(object["default"] as? Int == 4)
    #expect(object["secret"] as? Int == 7)
    #expect(object["isShown"] == nil && object["folded"] == nil && object["partner"] == nil)
    let decoded = try JSONDecoder().decode(Passage.Values.self, from: json)
    #expect(decoded == values)
    #expect(decoded.weight == Weight(kilograms: 70) && decoded.tier == .second)
  }

  @Test("what is not encoded is nil or has its initial value, and what is required is asked for")
  func decoding() throws {
    func decode(_ text: String) throws -> Passage.Values {
      try JSONDecoder().decode(Passage.Values.self, from: Data(text.utf8))
    }
    let values = try decode(#"{"ticket": "T", "tier": 0, "more": 1}"#)
    #expect(values.default == 3 && values.ship == nil && values.luggage.kilograms == 20)
    #expect(try decode(#"{"ticket": "T", "tier": 0, "ship": null}"#).ship == nil)
    for text in [
      #"{"tier": 0}"#, #"{"ticket": null, "tier": 0}"#, #"{"ticket": 1, "tier": 0}"#,
      #"{"ticket": "T", "tier": 0, "age": 100000}"#, #"{"ticket": "T", "tier": 0, "weight": 1}"#,
      "[]",
    ] {
      #expect(throws: DecodingError.self, "\(text)") { try decode(text) }
    }
  }

  @Test("what is private, and what is not known to be an attribute, is carried along")
  func hidden() throws {
    let passage = Passage(full(), context: context)
    passage.secretValue = 9
    let copy = Passage(passage.values, context: context)
    #expect(copy.secretValue == 9)
  }

  @Test("the values of a subentity have those of its superentity")
  func subentities() throws {
    var values = Crossing.Values(full(), crew: 5)
    #expect(values.passenger == "Ada" && values.crew == 5)
    values.passenger += "!"
    values.tags.append("b")
    #expect(values.passenger == "Ada!" && values.tags == ["a", "b"])
    let crossing = Crossing(values, context: context)
    #expect(crossing.passenger == "Ada!" && crossing.crew == 5)
    #expect(Crossing.Values(crossing) == values)
    #expect(crossing.values.passenger == "Ada!")
    #expect(Crossing(full(), crew: 2, context: context).crew == 2)
    let json = try JSONEncoder().encode(values)
    #expect(try JSONDecoder().decode(Crossing.Values.self, from: json) == values)
    #expect(try JSONDecoder().decode(Passage.Values.self, from: json).passenger == "Ada!")
  }

  @Test("a class below one without values has those of the next class above")
  func gap() throws {
    let shortcut = Shortcut(Crossing.Values(full(), crew: 5), saved: 8, context: context)
    #expect(shortcut.passenger == "Ada" && shortcut.crew == 5 && shortcut.saved == 8)
    #expect(shortcut.reason == nil)
    #expect(Shortcut.Values(shortcut).crew == 5)
    #expect(Surcharge.Values(.init(label: "Fuel")).label == "Fuel")
  }

  @Test("what a class declares itself is called")
  func ownInitializers() throws {
    #expect(Stamp(label: "a", count: 1, context: context).isOwn)
    #expect(Stamp(Stamp.Values(label: "a", count: 1), context: context).count == 1)
  }

  @Test("observers hear of what values read and write")
  func observation() throws {
    context.allowsObservation = true
    let passage = Passage(full(), context: context)
    let changed = Changed()
    withObservationTracking {
      _ = passage.values
    } onChange: {
      changed.set()
    }
    passage.passenger = "Bo"
    #expect(changed.isSet)
  }

  private final class Changed: @unchecked Sendable {
    // Sendable: the test runs on one thread.
    private(set) var isSet = false
    func set() { isSet = true }
  }
}
