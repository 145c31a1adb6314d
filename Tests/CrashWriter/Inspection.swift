// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Inspects a store after a crash: acknowledged saves are present, no save is incomplete, and all kinds of requests
/// return consistent results.
struct Inspection {
  let kind: StoreKind
  let url: URL

  /// A description of what is wrong with a store.
  struct Finding: Error, CustomStringConvertible {
    let description: String
  }

  /// Inspects the store.
  ///
  /// - Parameter acknowledged: The last save that the writer acknowledged; nil for none.
  /// - Returns: The last save in the store.
  func run(acknowledged: Int64?) throws -> Int64 {
    let last = try inspect(acknowledged: acknowledged)
    if let damage = kind.findDamage(url) {
      throw Finding(description: "the file is damaged: \(damage)")
    }
    return last
  }

  private func inspect(acknowledged: Int64?) throws -> Int64 {
    let container = try kind.open(at: url)
    let context = container.newBackgroundContext()
    defer { close(container) }
    guard let counter = try context.fetch(Counter.where { $0.name == "parcels" }).first else {
      try require(acknowledged == nil, "everything is lost")
      return 0
    }
    let last = counter.last
    if let acknowledged {
      try require(
        last == acknowledged || last == acknowledged + 1,
        "\(acknowledged) was acknowledged, and \(last) is the last save that is there")
    }
    try inspectParcels(to: last, context)
    try inspectTags(context)
    if kind.keepsHistory { try inspectHistory(to: last, context) }
    try inspectUniqueness(last, container)
    return last
  }

  private func inspectParcels(to last: Int64, _ context: ManagedObjectContext) throws {
    let parcels = try context.fetch(Parcel.where { $0.number > 0 }.sorted(by: \.number))
    let expected = Array(max(1, last - ParcelPlan.kept + 1)..<(last + 1))
    try require(parcels.map(\.number) == expected, "the parcels are \(parcels.map(\.number))")
    var pieceCount = 0
    for parcel in parcels {
      let plan = ParcelPlan(parcel.number)
      pieceCount += plan.sizes.count
      try require(
        parcel.pieceCount == plan.sizes.count && parcel.pieces.count == plan.sizes.count,
        "parcel \(parcel.number) has \(parcel.pieces.count) of \(plan.sizes.count) pieces")
      let found = try context.fetch(Piece.where { $0.parcel == parcel })
      try require(
        Set(found.map(\.objectID)) == Set(parcel.pieces.map(\.objectID)),
        "the index and the relationship of parcel \(parcel.number) differ")
      for position in plan.sizes.indices { try inspect(plan, position, parcel, context) }
    }
    try require(
      try context.count(for: Piece.fetchRequest()) == pieceCount, "there are pieces of no parcel")
    for limit in [0, 300, 20_000] as [Int64] {
      let indexed = try context.fetch(Piece.where { $0.size >= limit }).map(\.objectID)
      let scanned = parcels.flatMap(\.pieces).filter { $0.size >= limit }.map(\.objectID)
      try require(Set(indexed) == Set(scanned), "the index of sizes is not that of the pieces")
    }
  }

  private func inspect(
    _ plan: ParcelPlan, _ position: Int, _ parcel: Parcel, _ context: ManagedObjectContext
  ) throws {
    let code = plan.code(position)
    let pieces = try context.fetch(Piece.where { $0.code == code })
    guard pieces.count == 1, let piece = pieces.first else {
      throw Finding(description: "\(pieces.count) pieces have the code \(code)")
    }
    try require(
      piece.content == plan.content(position) && piece.size == plan.sizes[position],
      "the content of piece \(code) is another one")
    try require(piece.parcel === parcel, "piece \(code) is in another parcel")
    try require(
      piece.tags.map(\.name) == [plan.tagName(position)], "piece \(code) has other tags")
  }

  private func inspectTags(_ context: ManagedObjectContext) throws {
    for tag in try context.fetch(Tag.fetchRequest()) {
      let tagged = try context.fetch(Piece.fetchRequest()).filter { $0.tags.contains(tag) }
      try require(Set(tagged) == tag.pieces, "the two sides of tag \(tag.name) differ")
    }
  }

  /// Checks that a unique value in the store cannot be inserted again.
  private func inspectUniqueness(_ last: Int64, _ container: PersistentContainer) throws {
    guard last > 0 else { return }
    let context = container.newBackgroundContext()
    Parcel(context: context).number = last
    do {
      try context.save()
    } catch let error as PersistenceError where error.code == .managedObjectConstraintMerge {
      return
    }
    throw Finding(description: "number \(last) was taken twice")
  }

  private func close(_ container: PersistentContainer) {
    for store in container.persistentStoreCoordinator.persistentStores {
      try? container.persistentStoreCoordinator.remove(store)
    }
  }

  func require(_ truth: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard truth else { throw Finding(description: otherwise()) }
  }
}
