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
      references.map { reference in
        if let number = content.number(of: reference) { return number }
        content.foreign.append(reference)
        return Int64(content.foreign.count)
      }
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
    where numbers.contains(Int64(place) + 1) {
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

  private func requireWritable() throws {
    guard store.isReadOnly else { return }
    throw PersistenceError(
      .readOnlyStore, "The store is read-only.", store: store.identity.identifier)
  }
}

extension ReferencePlace.Content {
  fileprivate func number(of reference: ForeignReference) -> Int64? {
    foreign.firstIndex { $0.namesSameRecord(as: reference) }.map { Int64($0) + 1 }
  }
}
