// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSQLite

/// A train that leaves.
@Entity final class Departure: ManagedObject {
  var line: String = ""
  var destination: String = ""
  var minute: Int32 = 0
  var platform: Int32 = 1
  var isCancelled: Bool = false
}

/// The file that both programs have open.
enum Station {
  static func open(_ file: URL) throws -> PersistentContainer {
    var store = PersistentStoreDescription.sqlite(at: file)
    // The history records each write, so that the board reads only the changed records.
    try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    let container = try PersistentContainer(
      name: "station", model: ManagedObjectModel(Departure.self), stores: [store])
    try container.loadPersistentStores()
    return container
  }
}
