// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// A batch of records on their way into a context: identification, attributes and relationships.
struct ImportBatch {
  /// The outcome of a record.
  enum Outcome {
    case inserted, updated, unchanged, skipped
    /// The record waits for a required destination.
    case postponed
  }

  /// The handling of missing destinations.
  enum Missing {
    /// They may come later in the files.
    case wait
    case refuse
    case skip
  }

  let context: ManagedObjectContext
  let target: ImportTarget
  let ids: [String: ImportScan.Named]
  /// Whether only the lines that wait are processed: relationships are set, and postponed lines applied.
  let isLinking: Bool
  let missing: Missing
  var numbers: ImportNumbers
  /// Records with a key, by their IDs in the files.
  var keyedIDs: [String: ObjectID]
  /// The lines that wait for destinations.
  var waits: ImportWaits
  var outcomes: [Int: Outcome] = [:]
  /// The records with a destination that does not exist yet.
  var unresolved: [ImportEntry] = []
  /// The places of the lines in this batch with a relationship that waits for a destination.
  var openLinks: [Int] = []
  var skippedReferences = 0
  /// The number of leading records that an interrupted import has written.
  var ownCount = 0

  /// Whether this is a dry run, which reserves no numbers.
  private var isTrial: Bool { trial != nil }
  /// The unsaved records of a dry run.
  private var trial: TrialRecords?
  var entries: [ImportEntry] = []
  var objects: [ManagedObject?] = []
  var byKey: [RecordKeyValues: ManagedObject] = [:]
  var byID: [String: ManagedObject] = [:]

  init(
    _ context: ManagedObjectContext, _ target: ImportTarget, _ ids: [String: ImportScan.Named],
    _ numbers: ImportNumbers, _ keyedIDs: [String: ObjectID], _ waits: ImportWaits,
    isLinking: Bool, missing: Missing
  ) {
    self.context = context
    self.target = target
    self.ids = ids
    self.numbers = numbers
    self.keyedIDs = keyedIDs
    self.waits = waits
    self.isLinking = isLinking
    self.missing = missing
  }

  /// Sets the unsaved records of earlier batches.
  mutating func remember(_ made: TrialRecords) { trial = made }

  /// Returns the unsaved object that an earlier batch made for an ID.
  func unsaved(_ id: String) -> ManagedObject? { trial?.byID[id] }

  var finder: RecordFinder {
    RecordFinder(context: context, store: target.store.identity)
  }

  /// Brings records into the context.
  ///
  /// - Throws: The error of the first invalid record, with its place.
  mutating func take(_ entries: [ImportEntry]) throws {
    self.entries = entries
    try findRecords()
    try findDestinations()
    try postpone()
    for index in entries.indices { try makeObject(index) }
    for index in entries.indices { try setAttributes(index) }
    for index in entries.indices { try link(index) }
  }

  /// The objects of the batch with the places of their lines.
  var places: [(object: ManagedObject, place: RecordPlace)] {
    zip(objects, entries).compactMap { object, entry in object.map { ($0, entry.place) } }
  }
}

// MARK: - Identification

extension ImportBatch {
  /// Finds records that already exist.
  private mutating func findRecords() throws {
    objects = try storedRecords()
    for (entry, found) in zip(entries, objects) {
      try check(found, entry)
      note(found, entry)
    }
  }

  /// Returns the record of each line; nil for one that does not exist.
  func storedRecords() throws -> [ManagedObject?] {
    let keys = try finder.objects(with: Set(entries.compactMap(\.key)))
    var candidates: [Int: [ObjectID]] = [:]
    for entry in entries where entry.key == nil {
      candidates[entry.number] = numbers.candidates(entry.number, entry.plan.entity)
    }
    let made = try finder.objects(with: Set(candidates.values.joined()))
    return entries.map { entry in
      var found: ManagedObject?
      if let key = entry.key {
        found = keys[key]
        let owner = found?.objectID.storeIdentity?.identifier
        if owner != target.store.identity.identifier, found?.isInserted != true { found = nil }
      } else {
        found = trial?.byNumber[entry.number]
        found = found ?? candidates[entry.number]?.lazy.compactMap { made[$0] }.first
      }
      return found
    }
  }

  func check(_ object: ManagedObject?, _ entry: ImportEntry) throws {
    guard let object else { return }
    let name = entry.plan.name
    guard object.entity === entry.plan.entity else {
      throw ExchangeFault(
        "the key of the line is that of a record of “\(object.entity.name ?? "")”, not “\(name)”",
        code: .managedObjectConstraintMerge, key: entry.key?.names.first
      ).error(at: entry.place, entityName: name)
    }
    // Records that an interrupted import has written may be updated.
    guard isLinking || entry.number < ownCount else { return try requireUpdating(entry) }
  }

  /// Refuses a line whose record exists already, where only new ones are allowed.
  func requireUpdating(_ entry: ImportEntry) throws {
    guard target.options.existing != .update else { return }
    let name = entry.plan.name
    throw ExchangeFault(
      "there is a record of “\(name)” with the key of the line already",
      code: .managedObjectConstraintMerge, key: entry.key?.names.first,
      remedy: "Import with existing records being updated, or take the line out."
    ).error(at: entry.place, entityName: name)
  }

  /// Records the names of an object in the files.
  private mutating func note(_ object: ManagedObject?, _ entry: ImportEntry) {
    guard let object else { return }
    for key in entry.keys { byKey[key] = object }
    if let id = entry.id {
      byID[id] = object
      trial?.byID[id] = object
    }
    if entry.key == nil { trial?.byNumber[entry.number] = object }
  }

  /// Inserts a record that does not exist, unless an earlier line of the batch has inserted it.
  private mutating func makeObject(_ index: Int) throws {
    let entry = entries[index]
    guard objects[index] == nil, outcomes[entry.number] == nil else { return }
    if let key = entry.key, let earlier = byKey[key] {
      try check(earlier, entry)
      objects[index] = earlier
      note(earlier, entry)
      return
    }
    let object = try EntityDescription.insertNewObject(
      forEntityName: entry.plan.name, into: context)
    if entry.key == nil, !isTrial, let id = try numbers.newID(entry.number, entry.plan.entity) {
      context.makePermanent(object, as: id)
    } else {
      try context.assign(object, to: target.store.store)
    }
    objects[index] = object
    outcomes[entry.number] = .inserted
    note(object, entry)
  }
}

// MARK: - Attributes

extension ImportBatch {
  private mutating func setAttributes(_ index: Int) throws {
    let entry = entries[index]
    guard let object = objects[index], !isLinking || waits.isPostponed(entry.number) else { return }
    for (attribute, given) in entry.values {
      do {
        let known = FieldReader.filled(
          try object.exchangeValue(forKey: attribute.name), attribute)
        let value = FieldReader.merged(given, over: known, attribute)
        guard try !Self.isSame(known, value) else { continue }
        try object.setValue(value, forKey: attribute.name)
      } catch let error as PersistenceError {
        throw error.placed(entry.place)
      }
      noteChange(index)
    }
    if outcomes[entry.number] == nil { outcomes[entry.number] = .unchanged }
  }

  mutating func noteChange(_ index: Int) {
    let number = entries[index].number
    if outcomes[number] != .inserted { outcomes[number] = .updated }
  }

  private static func isSame(_ left: Value, _ right: Value) throws -> Bool {
    guard case .transformable(let left) = left, case .transformable(let right) = right else {
      return left == right
    }
    return try left.bytes() == right.bytes()
  }
}
