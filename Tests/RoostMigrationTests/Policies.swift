// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostObjects
import Synchronization

/// A log of the calls of policies.
final class CallLog {
  var calls: [String] = []
  var isCurrentAlways = true
  var progress: [Float] = []
  var most = 0
}

extension MigrationManager {
  var log: CallLog? { userInfo?["log"] as? CallLog }
}

/// Logs its calls.
final class Recorder: EntityMigrationPolicy {
  private func note(_ call: String, _ mapping: EntityMapping, _ manager: MigrationManager) {
    manager.log?.calls.append("\(call) \(mapping.name)")
    if manager.currentEntityMapping !== mapping { manager.log?.isCurrentAlways = false }
  }

  override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    note("begin", mapping, manager)
  }

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    note("create", mapping, manager)
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  }

  override func endInstanceCreation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {
    note("endCreate", mapping, manager)
  }

  override func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    note("connect", mapping, manager)
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
  }

  override func endRelationshipCreation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {
    note("endConnect", mapping, manager)
  }

  override func performCustomValidation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {
    note("validate", mapping, manager)
  }

  override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
    note("end", mapping, manager)
  }
}

/// Declares migration functions.
final class Functions: EntityMigrationPolicy {
  override var functions: [String: MigrationFunction] {
    [
      "join:": { arguments in
        arguments.map { "\($0 ?? "nil")" }.joined(separator: "/")
      },
      "twice:": { arguments in (arguments[0] as? Int).map { $0 * 2 } },
      "count:": { arguments in "\((arguments[0] as? [Any])?.count ?? -1)" },
    ]
  }
}

/// Makes 0, 1 or 3 objects from one.
final class Splitter: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let age = try sInstance.value(forKey: "age") as? Int ?? 0
    guard age % 3 > 0 else { return }
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    precondition(made.count == 1)
    precondition(
      manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: made)
        == [sInstance])
    guard age % 3 == 2, let name = mapping.destinationEntityName else { return }
    for suffix in ["b", "c"] {
      let other = try EntityDescription.insertNewObject(
        forEntityName: name, into: manager.destinationContext)
      try other.setValue("P\(age)\(suffix)", forKey: "fullName")
      try other.setValue(age, forKey: "age")
      if suffix == "c" { continue }
      manager.associate(sourceInstance: sInstance, withDestinationInstance: other, for: mapping)
    }
  }
}

/// Throws at the second object.
final class Thrower: EntityMigrationPolicy {
  struct Failure: Error {}

  private var count = 0

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    count += 1
    if count == 2 { throw Failure() }
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  }
}

/// Breaks the lock of the migration when it begins.
final class LockBreaker: EntityMigrationPolicy {
  struct Breaking {
    var body: (@Sendable () throws -> Void)?
  }

  static let breakLock = Mutex(Breaking())

  override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    try Self.breakLock.withLock { $0.body }?()
  }
}

/// Cancels at the 700th object.
final class Canceller: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    manager.log?.calls.append("create")
    if manager.log?.calls.count == 700 { manager.cancelMigrationWithError(Thrower.Failure()) }
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  }
}

/// Counts the objects that are in memory.
final class Watcher: EntityMigrationPolicy {
  private func watch(_ manager: MigrationManager) {
    let count =
      manager.sourceContext.registeredObjects.count
      + manager.destinationContext.registeredObjects.count
    manager.log?.most = max(manager.log?.most ?? 0, count)
    manager.log?.progress.append(manager.migrationProgress)
  }

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    if sInstance.objectID.key % 64 == 0 { watch(manager) }
  }

  override func endInstanceCreation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {
    watch(manager)
  }

  override func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    if Int.random(in: 0..<50) == 0 { watch(manager) }
  }
}
