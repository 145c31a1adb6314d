// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Applies the steps of a walk to a store and to plain values, and throws where the two differ.
final class Walker {
  let stack: ConformanceStack
  let faults: FaultSwitch
  let isReopenable: Bool
  /// The model version of the store.
  var version = GardenVersion()
  /// The expected state of the store.
  var stored = OracleState()
  /// The expected state of the context.
  var current = OracleState()
  /// The attributes that were set since the last save, also to equal values.
  var touched: [Int: Set<String>] = [:]
  /// The records whose relationships were touched since the last save, on either side.
  var related: Set<Int> = []
  /// The records whose position in an order may have changed since the last save.
  var moved: Set<Int> = []
  /// The version that each stored record has.
  var versions = WalkVersions()
  /// The ID of each record.
  var ids: [Int: ObjectID] = [:]
  /// The expected undo and redo history.
  var history = WalkHistory()
  /// Whether there was an undo since the last save.
  var hasTravelled = false
  let undoManager = ChangeUndoManager()
  /// Live results that are kept up to date beside the walk.
  var live = WalkLive()
  /// Whether the store keeps a history, and moments from which it is read.
  let keepsHistory: Bool
  var moments = WalkMoments()
  /// Where records lie.
  let layout: WalkLayout
  /// The number of steps that were taken.
  var stepCount = 0
  /// The child contexts that are open, the innermost last.
  var frames: [ChildFrame] = []
  /// Saved child contexts, kept until the root is saved.
  var learners: [ManagedObjectContext] = []
  private var nextSerial = 1
  /// The objects that were used last: some stay alive between steps, others do not.
  private var kept: [ManagedObject] = []

  init(stage: ConformanceStage, layout: WalkLayout = .together) throws {
    self.layout = layout
    isReopenable = stage.harness.isReopenable
    faults = FaultSwitch()
    var plain = try stage.makeStore()
    // A random difference may lead back to an earlier version.
    plain.evolution = .automatic.allowEarlierVersion(true)
    var store = plain.interposed(faults)
    if layout.isAcrossStores {
      var other = try stage.makeStore().interposed(faults)
      other.evolution = store.evolution
      layout.configure(&store, &other)
      (stack, keepsHistory) = try Self.open([store, other], layout.makeModel(version), stage)
    } else {
      (stack, keepsHistory) = try Self.open([store], version.makeModel(), stage)
      if stage.harness.allowsSecondHandle { live.remoteStore = plain }
    }
    stack.context.undoManager = undoManager
  }

  /// Opens stores with a history, or without one where they keep none.
  private static func open(
    _ stores: [PersistentStoreDescription], _ model: ManagedObjectModel, _ stage: ConformanceStage
  ) throws -> (ConformanceStack, keepsHistory: Bool) {
    let tracking = try stores.map { store in
      var tracking = store
      try tracking.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      return tracking
    }
    do {
      return (try stage.open(model, on: tracking), true)
    } catch let error as PersistenceError
      where error.code == .persistentStoreUnsupportedRequestType
    {
      return (try stage.open(model, on: stores), false)
    }
  }

  /// Takes a step, and checks the result.
  func take(_ step: WalkStep) throws {
    let (before, idsBefore, groups) = (current, ids, undoManager.undoCount)
    let wasInChild = !frames.isEmpty
    // No other handle may have the store open then.
    if step.kind == .migrate || step.kind == .reopen { live.remote = nil }
    try carryOut(step)
    try checkAlways()
    try checkLive(after: step)
    try checkHistory(after: step)
    switch step.kind {
    case .undo, .redo: break
    // Steps in a child context are not in the parent's undo history.
    case _ where wasInChild || !frames.isEmpty: forgetHistory()
    default: noteHistory(before, idsBefore, groups: groups)
    }
  }

  private func carryOut(_ step: WalkStep) throws {
    switch step.kind {
    case .insert: try insert(step)
    case .set: try set(step)
    case .refuse: try refuse(step)
    case .toOne: try setToOne(step)
    case .add, .remove, .replace, .move: try setToMany(step)
    case .delete: try delete(step)
    case .save: if frames.isEmpty { try save() } else { try saveChild() }
    case .failedSave: if frames.isEmpty { try failedSave(step) }
    case .obtainIDs: try obtainIDs()
    case .rollback: try rollback()
    case .reset: try reset()
    case .openChild: openChild()
    case .closeChild: try closeChild(step)
    case .merge: try merge(step)
    case .policySave: try policySave(step)
    case .refresh: try refresh(step)
    case .refreshAll: try refreshAll()
    case .interfere: if frames.isEmpty { try interfere(step) }
    case .fetch: try fetch(step, pending: true)
    case .fetchStored: try fetch(step, pending: false)
    case .count: try count(step)
    case .aggregate: try aggregate(step)
    case .migrate: try migrate(step)
    case .reopen: if frames.isEmpty { try reopen() }
    case .compare: try compareGraph()
    case .undo: if frames.isEmpty { try undo() }
    case .redo: if frames.isEmpty { try redo() }
    case .undoInChild: try undoInChild(step)
    case .deleteElsewhere: try deleteElsewhere(step)
    case .updateInBatch: try updateInBatch(step)
    case .deleteInBatch: try deleteInBatch(step)
    }
  }

  /// Takes a step as a part of another one, without the checks.
  func takeInChild(_ step: WalkStep) throws {
    try carryOut(step)
  }

  /// Ends a walk: everything is saved, read anew and compared.
  func finish() throws {
    try compareGraph()
    while !frames.isEmpty { try saveChild() }
    try save()
    try live.remote?.check()
    live.remote = nil
    try reopen()
    try compareGraph()
    try compareStore()
  }

  // MARK: - Choosing

  /// Chooses a member of a list; nil when it is empty.
  func pick<T>(_ list: [T], _ number: Int) -> T? {
    list.isEmpty ? nil : list[number % list.count]
  }

  /// The object of a record: the registered one, or a fault.
  func object(_ serial: Int) throws -> ManagedObject {
    let object = context.object(with: try require(ids[serial], "the ID of \(serial)"))
    kept.append(object)
    if kept.count > 16 { kept.removeFirst(8) }
    return object
  }

  /// The serial number of an object.
  func serial(of object: ManagedObject) throws -> Int {
    Int(try require(try object.number("serial"), "the serial number of \(object)"))
  }

  /// Whether a record certainly differs from the stored one, so that a save writes it.
  func isWritten(_ serial: Int) -> Bool {
    guard let old = stored.records[serial] else { return true }
    guard let new = current.records[serial] else { return true }
    return old != new
      || OracleState.toOneKeys(of: old.entity).contains {
        stored.toOne($0.key, of: serial) != current.toOne($0.key, of: serial)
      }
  }

  // MARK: - Single objects

  private func insert(_ step: WalkStep) throws {
    guard current.records.count < 40 else { return }
    let entity = GardenModel.entities[step.first % GardenModel.entities.count]
    let serial = nextSerial
    nextSerial += 1
    if step.third % 8 == 0 { approachNumber(endingLike: step.second % 8) }
    let object = try context.insert(entity)
    if layout == .mixed {
      try context.assign(object, to: stack.coordinator.persistentStores[step.third % 2])
    }
    try object.set("serial", serial)
    ids[serial] = object.objectID
    var record = OracleState.Record(entity: entity, values: [:])
    record.set("serial", .integer(Int64(serial)))
    for (index, key) in ["name", "number"].enumerated() {
      let values = GardenModel.values(of: key)
      let value = values[(index == 0 ? step.second : step.third) % values.count]
      try object.set(key, value.native)
      record.set(key, value)
    }
    version.fill(&record)
    current.records[serial] = record
    touched[serial] = ["serial", "name", "number"]
    // Most nodes get a group, so that relationships have destinations.
    if current.isNode(serial), step.third % 3 != 0 {
      try setToOne(serial, "group", to: pick(current.serials("Group"), step.second))
    }
  }

  /// Uses up temporary IDs until the next number ends like the key of a record. Concurrent walks take numbers too, so
  /// it may be missed.
  private func approachNumber(endingLike code: Int) {
    let entity = EntityDescription()
    while RecordKey.entityCode(of: IDScope.makeTemporaryID(for: entity).key - 1) != code {}
  }

  private func set(_ step: WalkStep) throws {
    guard let serial = pick(current.all, step.first), let record = current.records[serial] else {
      return
    }
    let keys = GardenModel.keys(of: record.entity) + version.lateKeys(of: record.entity)
    let key = keys[step.second % keys.count]
    let values = version.values(of: key)
    let value = values[step.third % values.count]
    let name = version.name(of: key)
    try object(serial).set(name, value.native)
    current.records[serial]?.set(key, value)
    touched[serial, default: []].insert(key)
    try expectExact(try object(serial).get(name), value, "\(key) of \(serial) after it was set")
  }

  /// Tries a value that no store can hold: the save fails, and nothing is lost.
  private func refuse(_ step: WalkStep) throws {
    guard let serial = pick(current.all, step.first) else { return }
    let (key, value) = GardenModel.refused[step.second % GardenModel.refused.count]
    let old = current.value(key, of: serial)
    try expectError(.invalidValue, "a refused value") {
      try object(serial).set(key, value.native)
      try context.save()
    }
    try object(serial).set(key, old.native)
    touched[serial, default: []].insert(key)
    try compareGraph()
  }

  private func obtainIDs() throws {
    let new = current.all.filter { stored.records[$0] == nil }.prefix(3)
    try context.obtainPermanentIDs(for: try new.map(object))
    for serial in new {
      let id = try object(serial).objectID
      try expect(!id.isTemporaryID, "the ID of \(serial) is permanent (I7)")
      ids[serial] = id
    }
  }
}
