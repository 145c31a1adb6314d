// SPDX-License-Identifier: Apache-2.0

import RoostObjects

/// Makes the objects of a mapping as inference would, and then calls the program's transform.
final class TransformPolicy: EntityMigrationPolicy {
  private var transform: EntityTransform?

  required init() {
    super.init()
  }

  convenience init(_ transform: EntityTransform) {
    self.init()
    self.transform = transform
  }

  override var readsSourcesToConnect: Bool { transform?.connecting != nil }

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let run = try manager.requireRun()
    guard let transform, let object = try run.makeInstance(of: sInstance, in: mapping) else {
      return
    }
    let step = TransformStep(run)
    try transform.body(MigrationRecord(sInstance), object, step)
    if step.isDropped {
      manager.destinationContext.delete(object)
    } else {
      try run.keep(object, of: sInstance, in: mapping)
    }
  }

  override func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    guard let connecting = transform?.connecting else { return }
    let run = try manager.requireRun()
    guard let source = run.sources(ofMapping: mapping.name, [dInstance]).first else { return }
    try connecting(MigrationRecord(source), dInstance, TransformStep(run))
  }
}
