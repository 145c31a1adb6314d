// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Random concurrent saves of eight contexts, each on its own thread, checked against the result that each was given.
///
/// They insert, change, relate and delete the same records, compete for the same unique values, and read meanwhile.
/// In the end the stored rows, the cache and a context that merged notifications must match the acknowledged saves.
/// The thread schedule is not repeatable: a seed gives the same operations, not the same run.
///
/// ```swift
/// if let failure = CrowdRun(harness).failure(seed: 7, steps: 100) { print(failure) }
/// ```
public struct CrowdRun: Sendable {
  /// The store under test.
  public let harness: any ConformanceHarness
  private let mode: ConformanceMode
  static let writers = 8
  private static let pieces = 12
  static let boxes = ["a", "b", "c"]

  /// Prepares saves to a store.
  ///
  /// - Parameters:
  ///   - harness: The store under test.
  ///   - mode: The check after the run.
  public init(_ harness: any ConformanceHarness, mode: ConformanceMode = .plain) {
    self.harness = harness
    self.mode = mode
  }

  /// Runs the writers, and returns the first failure; nil when there is none.
  ///
  /// - Parameters:
  ///   - seed: The seed of the operations.
  ///   - steps: The number of operations of each writer.
  public func failure(seed: UInt64, steps: Int) -> String? {
    let stage = ConformanceStage(harness: harness, mode: mode)
    defer { stage.clear() }
    do {
      try Self.run(stage, seed: seed, steps: steps)
      try stage.finish()
      return nil
    } catch {
      return "seed \(seed), \(steps) steps: \(error)"
    }
  }

  package static func run(_ stage: ConformanceStage, seed: UInt64, steps: Int) throws {
    let stack = try stage.open(makeModel())
    let history = CrowdHistory()
    try fill(stack.context, history)
    let listener = stack.makeContext()
    let heard = try CrowdWriter.fetch("Piece", listener)
    for object in heard { _ = try CrowdWriter.piece(object) }
    listener.automaticallyMergesChangesFromParent = true
    let coordinator = stack.coordinator
    try Threads.run(writers) { number in
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      var writer = CrowdWriter(number: number, seed: seed, context: context, history: history)
      for _ in 0..<steps { try writer.step() }
      try writer.leaveSeat()
    }
    try expect(history.counts.saves > pieces, "some saves take place")
    listener.performAndWait {}
    let cached = try read(stack.makeContext())
    let learned = try heard.filter { $0.managedObjectContext != nil }.map(CrowdWriter.piece)
    try stack.readAnew()
    let stored = try read(stack.context)
    let seats = try CrowdWriter.fetch("Seat", stack.context).map { try $0.text("name") ?? "" }
    try history.check(final: stored, seats: seats.compactMap { Int($0) })
    try expectEqual(Set(cached), Set(stored), "what is cached")
    let old = Set(0..<Int64(pieces))
    try expectEqual(
      Set(learned), Set(stored.filter { old.contains($0.serial) }),
      "what a context has learned from the saves of others")
    withExtendedLifetime(listener) {}
  }

  private static func makeModel() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Piece", [.integer("serial"), .integer("mark"), .integer("number")])
    sketch.add("Box", [.string("name")])
    sketch.add("Seat", [.string("name")], unique: [["name"]])
    sketch.relate(.init("Piece", "box", .one), .init("Box", "pieces", .many))
    return sketch.make()
  }

  private static func fill(_ context: ManagedObjectContext, _ history: CrowdHistory) throws {
    let boxes = try boxes.map { try context.make("Box", ["name": $0]) }
    for serial in 0..<Int64(pieces) {
      let values: KeyValuePairs<String, Any?> = [
        "serial": serial, "mark": -serial - 1, "number": 0, "box": boxes[Int(serial) % 3],
      ]
      history.noteBirth(try CrowdWriter.piece(try context.make("Piece", values)))
    }
    try context.save()
  }

  /// Returns the pieces as a new context reads them one by one, from the cache where they are in it.
  private static func read(_ context: ManagedObjectContext) throws -> [CrowdPiece] {
    let ids = try context.fetch(FetchRequest<ObjectID>(entityName: "Piece"))
    return try withExtendedLifetime(context) {
      try ids.map { try CrowdWriter.piece(context.object(with: $0)) }
    }
  }
}
