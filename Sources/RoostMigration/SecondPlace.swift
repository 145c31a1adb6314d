// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
package import RoostStore

extension PersistentStoreDescription {
  /// A place beside a store, where its next content is built: the file `NAME.migrating`, or the driver's own choice.
  ///
  /// - Throws: `migration` for a store that is not a file and whose driver has no such place.
  package func secondPlace() throws -> PersistentStoreDescription {
    var place = self
    place.migration = nil
    if let driver = type.driver as? any StagingLocationDriver {
      place = try driver.secondPlace(of: place)
    } else if let url, url.isFileURL || url.scheme == nil {
      place.url = url.deletingLastPathComponent()
        .appending(path: url.lastPathComponent + ".migrating", directoryHint: .notDirectory)
    } else {
      throw PersistenceError(
        .migration,
        "A store of the type \(type.rawValue) cannot be migrated in its place with a mapping model: "
          + "migrate it to another place with MigrationManager.migrateStore.", store: displayName)
    }
    return place
  }
}
