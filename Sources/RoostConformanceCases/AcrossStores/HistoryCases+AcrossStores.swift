// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Undo of saves over several stores.
extension HistoryCases {
  /// Photos and albums in two stores that keep values, in both orders of the stores.
  private static func twoStores(
    _ name: String, _ title: String, _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> [ConformanceCase] {
    [false, true].map { isReversed in
      ConformanceCase(
        .history, "\(name)-\(isReversed ? "back" : "out")", title, needs: [.history]
      ) { stage in
        var stores = try ["Device", "Server"].map { configuration in
          var store = try stage.makeStore()
          try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
          store.configuration = configuration
          return store
        }
        if isReversed { stores.reverse() }
        try body(try stage.open(try AcrossStoresCases.model(), on: stores))
      }
    }
  }

  static let acrossStores: [ConformanceCase] = [
    twoStores("undo.across-deletion", "a deletion is undone with its links across (L21, L20, X42)")
    { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      let rome = try stack.context.make("Album", ["name": "Rome"])
      let photos = try ["p", "q"].map { try stack.context.make("Photo", ["name": $0]) }
      try rome.set("listed", photos)
      try rome.set("slides", photos)
      try rome.set("cover", photos[0])
      for photo in photos { try photo.set("album", rome) }
      try photos[0].add(rome, to: "mentions")
      try stack.context.save()
      let before = try stack.facts()
      stack.context.delete(photos[0])
      try stack.context.save()
      let after = try stack.facts()
      stack.context.delete(try stack.context.named("Photo", "q"))
      stack.context.delete(rome)
      try stack.context.save()
      let last = try stack.facts()
      for state in [after, before] {
        undo.undo()
        try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
        try expect(undo.lastReport?.isComplete == true, "\(String(describing: undo.lastReport))")
        try expectEqual(try stack.facts(), state)
      }
      for state in [after, last] {
        undo.redo()
        try expectEqual(try stack.facts(), state, "done again")
      }
    },
    twoStores("undo.across-one", "both ends of a one-to-one are undone as one (L21, X42)") {
      stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      let rome = try stack.context.make("Album", ["name": "Rome"])
      let photos = try ["p", "q"].map { try stack.context.make("Photo", ["name": $0]) }
      try rome.set("cover", photos[1])
      try stack.context.save()
      try rome.set("name", "Roma")
      try stack.context.save()
      let before = try stack.facts()
      try rome.set("cover", photos[0])
      try stack.context.save()
      let after = try stack.facts()
      undo.undo()
      try expectEqual(undo.lastReport?.conflicts.map(\.property), [])
      try expectEqual(try stack.facts(), before)
      undo.redo()
      try expectEqual(undo.lastReport?.conflicts.map(\.property), [])
      try expectEqual(try stack.facts(), after)
      for _ in 0..<2 { undo.undo() }
      try expectEqual(try rome.text("name"), "Rome", "the save before it")
      try expectEqual(try rome.one("cover")?.text("name"), "q")
    },
  ].flatMap(\.self)
}
