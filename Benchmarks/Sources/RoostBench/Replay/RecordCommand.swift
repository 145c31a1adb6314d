// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostRecording

/// `--record`: records a typical session of a program, on the data of the run, to a file.
struct RecordCommand {
  let file: String
  let engine: any Engine
  let objects: Int

  /// - Throws: ``RecordingError`` when the file cannot be written completely.
  func run() throws {
    // Before the data is made, which takes long, so that an error appears at once.
    let recording = try RecordingFile(URL(filePath: file))
    let data = SampleData(ScaleRun.extent(objects))
    let stage = try Stage(engine, data)
    try stage.fill()
    try stage.close()
    let container = try PersistentContainer(
      name: "recorded", model: BenchModel.make(),
      stores: [try engine.storeDescription.recorded(in: recording)])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try SampleSession(context: context, data: data).run()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    if let failure = recording.failure { throw failure }
  }
}

/// A sample of the requests of a typical program: lists, look-ups, relationships, sums, changes.
struct SampleSession {
  let context: ManagedObjectContext
  let data: SampleData

  /// Runs the parts one after the other, until all are done or the run is interrupted.
  func run() throws {
    for part in [look, follow, insert, change] where !Interruption.isRequested { try part() }
  }

  private func look() throws {
    let ids = try context.fetch(FetchRequest<ObjectID>(entityName: "Person"))
    for index in 0..<20 { try readList(index) }
    for number in data.lookups.prefix(100) { _ = try context.existingObject(with: ids[number]) }
  }

  private func departments() throws -> [Department] {
    try context.fetch(FetchRequest<Department>(entityName: "Department").limit(20))
  }

  private func follow() throws {
    let departments = try departments()
    for department in departments { _ = department.people.reduce(0) { $0 + $1.age } }
    _ = try context.count(
      for: FetchRequest<Person>(entityName: "Person").where { $0.active == true })
    _ = try context.fetch(
      FetchRequest<Person>(entityName: "Person")
        .filter("department IN %@ AND name BEGINSWITH %@", departments, "Person"))
  }

  private func insert() throws {
    let departments = try departments()
    for index in 0..<20 {
      let sample = data.latecomer(index)
      Stage.person(sample, in: context).department =
        departments.isEmpty ? nil : departments[index % departments.count]
      try context.save()
    }
  }

  private func change() throws {
    let some = try context.fetch(FetchRequest<Person>(entityName: "Person").limit(50))
    for (index, person) in some.enumerated() {
      if index.isMultiple(of: 5) { context.delete(person) } else { person.score += 1 }
    }
    try context.save()
  }

  private func readList(_ index: Int) throws {
    let (low, high) = data.ages(ofQuery: index)
    let request = FetchRequest<Person>(entityName: "Person")
      .where { $0.age >= Int32(low) && $0.age <= Int32(high) && $0.active == true }
      .sorted(by: \.score, ascending: false).limit(20).prefetching(\.department)
    for person in try context.fetch(request) { _ = person.department?.name }
  }
}
