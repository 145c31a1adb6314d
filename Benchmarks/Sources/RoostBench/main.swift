// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
let rounds = 5
let folder = FileManager.default.temporaryDirectory.appending(path: "roost-bench-\(getpid())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let samples = (0..<count).map(Sample.init)
print(
  "\(count) objects of ten properties, \(rounds) rounds, medians; the first line of each is 1.\n")

try measureAccess()
try measureInsert()
try measureFetch()

func makeContainer(_ description: PersistentStoreDescription) throws -> PersistentContainer {
  let container = try PersistentContainer(
    name: "bench", model: ManagedObjectModel(Person.self, Department.self), stores: [description])
  try container.loadPersistentStores()
  return container
}

func insert(into context: ManagedObjectContext) throws {
  for sample in samples {
    let person = Person(context: context)
    person.name = sample.name
    person.email = sample.email
    person.age = sample.age
    person.score = sample.score
    person.created = Date(timeIntervalSinceReferenceDate: sample.created)
    person.active = sample.active
    person.uuid = sample.uuid
    person.bio = sample.bio
    person.visits = sample.visits
  }
  try context.save()
}

/// Reading a property: a stored one, and one through the accessor that the macro writes.
func measureAccess() throws {
  let raw = RawSQLite(path: folder.appending(path: "access-raw.sqlite").path)
  raw.makeTable()
  raw.insert(Array(samples.prefix(1000)))
  let plain = raw.fetch()
  let container = try makeContainer(.inMemory())
  let context = container.newBackgroundContext()
  let people = samples.prefix(1000).map { sample in
    let person = Person(context: context)
    person.age = sample.age
    return person
  }
  var comparison = Comparison("read one Int32, 20,000,000 times", rounds: rounds)
  try comparison.run([
    ("stored property", { readPlain(plain) }),
    ("macro accessor", { readManaged(people) }),
  ])
}

@inline(never) func readPlain(_ people: [PlainPerson]) -> Int {
  var sum = 0
  for _ in 0..<20_000 { for person in people { sum &+= Int(person.age) } }
  return sum
}

@inline(never) func readManaged(_ people: [Person]) -> Int {
  var sum = 0
  for _ in 0..<20_000 { for person in people { sum &+= Int(person.age) } }
  return sum
}

/// W1: insert all in one durable save.
func measureInsert() throws {
  var round = 0
  var comparison = Comparison("insert all in one save, SQLite, durable", rounds: rounds)
  try comparison.run([
    (
      "raw prepared inserts",
      {
        round += 1
        let raw = RawSQLite(path: folder.appending(path: "raw-\(round).sqlite").path)
        raw.makeTable()
        raw.insert(samples)
        return count
      }
    ),
    (
      "Roost",
      {
        let url = folder.appending(path: "roost-\(round).sqlite")
        let container = try makeContainer(.sqlite(at: url))
        try insert(into: container.newBackgroundContext())
        return count
      }
    ),
  ])
}

/// W2: fetch all as objects and read every property.
func measureFetch() throws {
  let raw = RawSQLite(path: folder.appending(path: "raw-1.sqlite").path)
  let container = try makeContainer(.sqlite(at: folder.appending(path: "roost-1.sqlite")))
  var comparison = Comparison("fetch all and read every property, SQLite", rounds: rounds)
  try comparison.run([
    ("sqlite3_step, objects, dictionary", { checksum(raw.fetch()) }),
    (
      "Roost",
      {
        let context = container.newBackgroundContext()
        return checksum(try context.fetch(FetchRequest<Person>(entityName: "Person")))
      }
    ),
  ])
}

func checksum(_ people: [PlainPerson]) -> Int {
  people.reduce(0) { sum, person in
    sum &+ person.name.utf8.count &+ person.email.utf8.count &+ Int(person.age)
      &+ Int(person.score) &+ Int(person.created.timeIntervalSinceReferenceDate)
      &+ (person.active ? 1 : 0) &+ Int(person.uuid.uuid.0) &+ person.bio.utf8.count
      &+ Int(person.visits)
  }
}

func checksum(_ people: [Person]) -> Int {
  people.reduce(0) { sum, person in
    sum &+ person.name.utf8.count &+ person.email.utf8.count &+ Int(person.age)
      &+ Int(person.score) &+ Int(person.created.timeIntervalSinceReferenceDate)
      &+ (person.active ? 1 : 0) &+ Int(person.uuid?.uuid.0 ?? 0) &+ person.bio.utf8.count
      &+ Int(person.visits)
  }
}
