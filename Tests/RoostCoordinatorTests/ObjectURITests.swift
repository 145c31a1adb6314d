// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostCoordinator

@Suite("URIs of objects")
struct ObjectURITests {
  @Test("an ID survives the way through its URI, at another launch too (B25)")
  func roundTrip() throws {
    let (stack, store) = try Stack.withStore()
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    let uri = id.uriRepresentation()
    #expect(uri.absoluteString == "roost://\(store.identity.identifier)/Person/p1")
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == id)

    try stack.coordinator.remove(store)
    let later = try Stack(company: stack.company, driver: stack.driver)
    try later.addStore("all")
    let found = try #require(later.coordinator.managedObjectID(forURIRepresentation: uri))
    #expect(found == id)
    #expect(found.hashValue == id.hashValue)
    #expect(found.entity === later.company.person)
  }

  @Test("a URI of a store that is not attached resolves to nothing (B26)")
  func unattachedStore() throws {
    let (stack, store) = try Stack.withStore()
    let uri = try stack.insertPeople([("Ada", 36)], into: store)[0].uriRepresentation()
    try stack.coordinator.remove(store)
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == nil)
    let other = try Stack.withStore().stack
    #expect(other.coordinator.managedObjectID(forURIRepresentation: uri) == nil)
  }

  @Test("whether the record exists is not looked up (B27)")
  func unknownRecord() throws {
    let (stack, store) = try Stack.withStore()
    let before = stack.coordinator.counters
    let id = stack.coordinator.managedObjectID(
      for: "roost://\(store.identity.identifier)/Person/p4711")
    #expect(id.map { RecordKey.sequence(of: $0.key) } == 4711)
    #expect(stack.coordinator.counters == before)
  }

  @Test("the URI of an unsaved object is for reading only (B29)")
  func temporaryID() throws {
    let (stack, _) = try Stack.withStore()
    let id = IDScope.makeTemporaryID(for: stack.company.person)
    let text = id.stringRepresentation()
    #expect(text.hasPrefix("roost:///Person/t"))
    #expect(id.uriRepresentation().absoluteString == text)
    #expect(stack.coordinator.managedObjectID(for: text) == nil)
    #expect(id.persistentStore == nil)
  }

  @Test("an ID that became permanent prints its permanent URI (B24)")
  func forwardedID() throws {
    let (stack, store) = try Stack.withStore()
    let temporary = IDScope.makeTemporaryID(for: stack.company.person)
    let permanent = try stack.coordinator.obtainPermanentIDs(
      for: NewRecords([(stack.company.person, stack.attached(store))]))[0]
    temporary.becamePermanent(permanent)
    #expect(temporary.uriRepresentation() == permanent.uriRepresentation())
    #expect(temporary.persistentStore === store)
  }

  @Test("an ID knows its store until that is removed (B24)")
  func persistentStore() throws {
    let (stack, store) = try Stack.withStore()
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    #expect(id.persistentStore === store)
    try stack.coordinator.remove(store)
    #expect(id.persistentStore == nil)
  }

  @Test("the ID names the concrete entity; an abstract or foreign one is refused (B301, B26)")
  func entities() throws {
    let (stack, store) = try Stack.withStore()
    let prefix = "roost://\(store.identity.identifier)/"
    let coordinator = stack.coordinator
    #expect(coordinator.managedObjectID(for: prefix + "Employee/p1")?.entity.name == "Employee")
    #expect(coordinator.managedObjectID(for: prefix + "Nobody/p1") == nil)
    try coordinator.remove(store)
    let notes = try stack.addStore("notes", configuration: "NotesOnly")
    let other = "roost://\(notes.identity.identifier)/"
    #expect(coordinator.managedObjectID(for: other + "Note/p1") != nil)
    #expect(coordinator.managedObjectID(for: other + "Person/p1") == nil)
  }

  static let malformed = [
    "", "roost:", "roost://", "roost:///", "roost:///Person/p1", "Roost://S/Person/p1",
    "roost://S/Person", "roost://S/Person/", "roost://S/Person/p", "roost://S/Person/p0",
    "roost://S/Person/p01", "roost://S/Person/p-1", "roost://S/Person/p+1", "roost://S/Person/p1/",
    "roost://S/Person/p1/x", "roost://S/Person/p1?x", "roost://S/Person/p1#x",
    "roost://S/Person/P1", "roost://S/Person/t1", "roost://S/Person/p1 ", " roost://S/Person/p1",
    "roost://S/Person/p2251799813685248", "roost://S/Person/p9223372036854775807",
    "roost://S/Person/p99999999999999999999999999", "roost://S/Person/p١", "roost://S//p1",
    "roost://S/Per%/p1", "roost://S/Per%4/p1", "roost://S/Per%zz/p1", "roost://S/Per%FF/p1",
    "roost://S/Per son/p1", "roost://user@S/Person/p1", "roost://S:80/Person/p1",
    "roost://S%2F/Person/p1", "x-coredata://S/Person/p1", "http://S/Person/p1",
    "roost://S/Person/p1\0", "roost://S/../Person/p1", "roost://S/Person/p1\u{301}",
  ]

  @Test("what is not exactly of our form is no URI of ours (B26)", arguments: malformed)
  func malformedURIs(_ text: String) {
    #expect(ObjectURI(text) == nil)
  }

  @Test(
    "any entity name survives, quotes, slashes and other scripts included (B25)",
    arguments: ["A", "Straße", "a/b", "a\"b'c", "%41", "名前", "e\u{301}", "..", "p1", "x y"])
  func entityNames(_ name: String) throws {
    let uri = ObjectURI(store: "S-1", entity: name, sequence: 7)
    let read = try #require(ObjectURI(uri.text))
    #expect(Array(read.entity.utf8) == Array(name.utf8))
    #expect(URL(string: uri.text)?.absoluteString == uri.text)
  }

  @Test("reading any text never traps, and what is read is written the same (B26)")
  func fuzz() {
    var random = TestRandom(seed: 2024)
    let alphabet = Array("roost://SPerson/p1234567890%/-_.t?#@é🂡\0 ".unicodeScalars)
    let seeds = ["roost://S-1/Person/p42", "roost://S-1/A%2FB/p9007199254740"]
    for _ in 0..<50_000 {
      var scalars = Array(seeds[random.next(below: 2)].unicodeScalars)
      for _ in 0...random.next(below: 4) {
        let place = random.next(below: scalars.count + 1)
        switch random.next(below: 3) {
        case 0: scalars.insert(alphabet[random.next(below: alphabet.count)], at: place)
        case 1: if place < scalars.count { scalars.remove(at: place) }
        default:
          if place < scalars.count { scalars[place] = alphabet[random.next(below: alphabet.count)] }
        }
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      if let uri = ObjectURI(String(text)) {
        #expect(ObjectURI(uri.text) == uri)
      }
    }
  }

  @Test("a text of a megabyte is refused without being read through")
  func longText() {
    #expect(ObjectURI("roost://S/" + String(repeating: "a", count: 1_000_000) + "/p1") == nil)
  }
}

/// A generator of random numbers that are the same in every run.
struct TestRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func next(below bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }
}
