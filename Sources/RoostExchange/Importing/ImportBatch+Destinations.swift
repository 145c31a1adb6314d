// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

// The destinations of a batch's records.
extension ImportBatch {
  /// Finds destinations that already exist.
  mutating func findDestinations() throws {
    var keys = Set<RecordKeyValues>()
    var candidates: [String: [ObjectID]] = [:]
    for entry in entries {
      for (relationship, references) in entry.links {
        for reference in references {
          switch reference {
          case .key(let key): if byKey[key] == nil { keys.insert(key) }
          case .id(let id):
            guard byID[id] == nil, candidates[id] == nil else { continue }
            if let object = unsaved(id) {
              byID[id] = object
              continue
            }
            candidates[id] = try self.candidates(id, relationship, entry)
          }
        }
      }
    }
    byKey.merge(try finder.objects(with: keys)) { known, _ in known }
    let found = try finder.objects(with: Set(candidates.values.joined()))
    for (id, candidates) in candidates {
      if let object = candidates.lazy.compactMap({ found[$0] }).first { byID[id] = object }
    }
  }

  /// Returns the stored IDs that an ID of the files may refer to.
  ///
  /// - Throws: `invalidRequest` for an ID that no line has.
  private func candidates(
    _ id: String, _ relationship: RelationshipDescription, _ entry: ImportEntry
  ) throws -> [ObjectID] {
    if let known = keyedIDs[id] { return [known] }
    guard let named = ids[id] else {
      if target.options.missing == .skip { return [] }
      throw missingFault(relationship, .id(id)).error(
        at: entry.place, entityName: entry.plan.name)
    }
    return numbers.candidates(named.number, named.entity)
  }

  private func missingFault(
    _ relationship: RelationshipDescription, _ reference: RecordReference
  ) -> ExchangeFault {
    let destination = relationship.destinationEntity?.name ?? ""
    switch reference {
    case .id(let id):
      return ExchangeFault(
        "“\(relationship.name)” leads to an ID that no line of the files has",
        code: .invalidRequest,
        key: relationship.name, value: .string(id),
        remedy: "Add the line of “\(destination)” with this “@id”, or have what is missing skipped."
      )
    case .key(let key):
      return ExchangeFault(
        "“\(relationship.name)” leads to a record of “\(destination)” that is neither in the files "
          + "nor in the store", code: .invalidRequest, key: relationship.name,
        value: .list(key.values),
        remedy: "Add the record to the files or the store, or have missing destinations skipped.")
    }
  }

  /// Postpones new records that require a destination which does not exist yet, and later lines of these records.
  mutating func postpone() throws {
    var comingKeys: [RecordKeyValues: Set<Int>] = [:]
    var comingIDs: [String: Int] = [:]
    for entry in entries {
      for key in entry.keys { comingKeys[key, default: []].insert(entry.number) }
      if let id = entry.id { comingIDs[id] = entry.number }
    }
    var waiting = Set<Int>()
    var isStable = false
    while !isStable {
      isStable = true
      for (index, entry) in entries.enumerated()
      where !waiting.contains(entry.number) {
        if waits.follows(entry) {
          if !isLinking { try requireUpdating(entry) }
          // The record exists where an interrupted import has written an earlier one of the postponed lines.
          objects[index] = nil
          postpone(entry)
          waiting.insert(entry.number)
          isStable = false
          continue
        }
        guard objects[index] == nil else { continue }
        // An earlier line of the batch makes the record.
        if let key = entry.key, let lines = comingKeys[key],
          lines.contains(where: { $0 < entry.number && !waiting.contains($0) })
        {
          continue
        }
        let needed = entry.links.filter { $0.relationship.needsDestinations }
        let lacking = needed.first { link in
          link.references.contains { reference in
            switch reference {
            case .id(let id):
              byID[id] == nil && (comingIDs[id].map(waiting.contains) ?? true)
            case .key(let key):
              byKey[key] == nil && (comingKeys[key].map { $0.isSubset(of: waiting) } ?? true)
            }
          }
        }
        guard let lacking else { continue }
        try postpone(entry, for: lacking)
        waiting.insert(entry.number)
        isStable = false
      }
    }
  }

  private mutating func postpone(
    _ entry: ImportEntry,
    for link: (relationship: RelationshipDescription, references: [RecordReference])
  ) throws {
    switch missing {
    case .wait: postpone(entry)
    case .skip: outcomes[entry.number] = .skipped
    case .refuse:
      let reference = link.references.first { destination($0) == nil } ?? link.references[0]
      throw missingFault(link.relationship, reference).error(
        at: entry.place, entityName: entry.plan.name)
    }
  }

  private mutating func postpone(_ entry: ImportEntry) {
    outcomes[entry.number] = .postponed
    unresolved.append(entry)
    waits.postpone(entry)
  }

  private func destination(_ reference: RecordReference) -> ManagedObject? {
    switch reference {
    case .id(let id): byID[id]
    case .key(let key): byKey[key]
    }
  }

  mutating func link(_ index: Int) throws {
    let entry = entries[index]
    guard let object = objects[index] else { return }
    var isWaiting = false
    for (relationship, references) in entry.links
    where !waits.isSuperseded(relationship, of: entry.number) {
      var destinations: [ManagedObject] = []
      var isComplete = true
      for reference in references {
        if let destination = destination(reference) {
          try check(destination, relationship, entry)
          destinations.append(destination)
          continue
        }
        switch missing {
        case .wait: isComplete = false
        case .skip: skippedReferences += 1
        case .refuse:
          throw missingFault(relationship, reference).error(
            at: entry.place, entityName: entry.plan.name)
        }
      }
      guard isComplete else {
        isWaiting = true
        openLinks.append(index)
        continue
      }
      do {
        if try set(destinations, relationship, object) { noteChange(index) }
      } catch let error as PersistenceError {
        throw error.placed(entry.place)
      }
    }
    if isWaiting { unresolved.append(entry) }
  }

  private func check(
    _ destination: ManagedObject, _ relationship: RelationshipDescription, _ entry: ImportEntry
  ) throws {
    guard let entity = relationship.destinationEntity, !destination.entity.isKindOf(entity: entity)
    else { return }
    throw ExchangeFault(
      "“\(relationship.name)” leads to “\(entity.name ?? "")”, and the line names a record of "
        + "“\(destination.entity.name ?? "")”", key: relationship.name
    ).error(at: entry.place, entityName: entry.plan.name)
  }

  /// Sets destinations, if they differ.
  ///
  /// - Returns: Whether they differ.
  private func set(
    _ destinations: [ManagedObject], _ relationship: RelationshipDescription,
    _ object: ManagedObject
  ) throws -> Bool {
    let name = relationship.name
    switch try object.value(forKey: name) {
    case let known as [ManagedObject] where relationship.isToMany:
      var seen = Set<ObjectIdentifier>()
      let wanted = destinations.filter { seen.insert(ObjectIdentifier($0)).inserted }
      if known.elementsEqual(wanted, by: ===) { return false }
      try object.setValue(wanted, forKey: name)
    case let known as Set<ManagedObject> where relationship.isToMany:
      if known == Set(destinations) { return false }
      try object.setValue(Set(destinations), forKey: name)
    case let known:
      if known as? ManagedObject === destinations.first { return false }
      try object.setValue(destinations.first, forKey: name)
    }
    return true
  }

  /// Notes, after the batch was saved, which relationships its lines have named. All those of a line that waits are
  /// set when it is processed again.
  mutating func noteLinks() {
    let open = Set(openLinks)
    for (index, entry) in entries.enumerated() where entry.key != nil {
      guard let object = objects[index] else { continue }
      for (relationship, _) in entry.links
      where !waits.isSuperseded(relationship, of: entry.number) {
        waits.note(
          relationship, of: object.objectID, in: entry.number,
          waits: open.contains(index))
      }
    }
  }

  /// Records the IDs of saved records that have a key.
  mutating func noteSavedIDs() {
    for (index, entry) in entries.enumerated() where entry.key != nil {
      if let id = entry.id, let object = objects[index] { keyedIDs[id] = object.objectID }
    }
  }
}
