// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Synchronization

/// The placeholder entity of path recorders.
enum RecorderEntity {
  static let entity: EntityDescription = {
    let entity = EntityDescription()
    entity.name = "PathRecorder"
    let model = ManagedObjectModel()
    model.entities = [entity]
    do {
      try model.freeze()
    } catch {
      preconditionFailure("A model of one empty entity is consistent: \(error)")
    }
    models.withLock { $0.append(model) }
    return entity
  }()

  // Entities do not keep their model alive.
  private static let models = Mutex<[ManagedObjectModel]>([])
}
