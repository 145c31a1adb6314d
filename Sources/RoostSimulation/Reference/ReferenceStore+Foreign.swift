// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension ReferenceStore {
  /// The store's references to other stores: a list.
  public var foreignReferences: (any StoreForeignReferences)? { ReferenceForeign(store: self) }
}

private struct ReferenceForeign: StoreForeignReferences {
  let store: ReferenceStore

  func intern(_ references: [ForeignReference]) throws -> [Int64] {
    try requireWritable()
    return store.place.change { content in
      references.map { content.number(of: $0) ?? content.assign($0) }
    }
  }

  func numbers(of references: [ForeignReference]) throws -> [Int64?] {
    let content = store.place.content
    return references.map(content.number)
  }

  func forEachReference(
    in numbers: ClosedRange<Int64>, _ body: (Int64, ForeignReference) throws -> Void
  ) throws {
    for (place, reference) in store.place.content.foreign.enumerated()
    where numbers.contains(Int64(place) + 1) && reference != .removed {
      try body(Int64(place) + 1, reference)
    }
  }

  func rewrite(_ changes: [(number: Int64, reference: ForeignReference)]) throws {
    try requireWritable()
    store.place.change { content in
      for (number, reference) in changes where content.foreign.indices.contains(Int(number) - 1) {
        content.foreign[Int(number) - 1] = reference
      }
    }
  }

  func remove(_ unused: () throws -> [Int64]) throws -> Int {
    try requireWritable()
    while true {
      let commits = store.place.content.commitCount
      let numbers = try unused()
      guard !numbers.isEmpty else { return 0 }
      let isDone = store.place.change { content in
        // A commit that came between may refer to one of the numbers.
        guard content.commitCount == commits else { return false }
        let mark = content.number(of: .removalMark).map { [$0] } ?? []
        for number in numbers + mark { content.foreign[Int(number) - 1] = .removed }
        _ = content.assign(.removalMark)
        return true
      }
      if isDone { return numbers.count }
    }
  }

  private func requireWritable() throws {
    guard store.isReadOnly else { return }
    throw PersistenceError(
      .readOnlyStore, "The store is read-only.", store: store.identity.identifier)
  }
}

extension ReferencePlace.Content {
  /// Assigns the next number.
  fileprivate mutating func assign(_ reference: ForeignReference) -> Int64 {
    foreign.append(reference)
    return Int64(foreign.count)
  }

  /// Whether all of the numbers mean records.
  func lists(_ numbers: [Int64]) -> Bool {
    numbers.allSatisfy {
      foreign.indices.contains(Int($0) - 1) && foreign[Int($0) - 1] != .removed
    }
  }

  fileprivate func number(of reference: ForeignReference) -> Int64? {
    foreign.firstIndex { $0.namesSameRecord(as: reference) }.map { Int64($0) + 1 }
  }
}

extension ForeignReference {
  /// Takes the place of a reference whose number was removed.
  fileprivate static let removed = ForeignReference(store: "", key: -1, entity: "")
}
