// SPDX-License-Identifier: Apache-2.0

package import RoostQuery

extension SQLQuery {
  /// Returns the readers of the statement's records, by entity code.
  ///
  /// The result is empty for a statement whose results are not records.
  ///
  /// - Parameter make: Makes a reader of an entity and the indexes of the result's columns for its stored slots.
  package func readers<Reader>(
    of request: ResolvedFetch, _ mapping: SQLSchema, _ make: (SQLEntity, [Int32]) -> Reader
  ) -> [Reader?] {
    guard case .rows(let columns) = shape else { return [] }
    // The key and the version come first.
    let numbers = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($1.name, Int32($0 + 2)) })
    let entities = request.entities.compactMap { mapping.entity($0) }
    var readers = [Reader?](repeating: nil, count: (entities.map(\.code).max() ?? 0) + 1)
    for entity in entities {
      let places = entity.storedSlots.map { slot in
        guard let number = entity.column(slot).flatMap({ numbers[$0.name] }) else {
          preconditionFailure("A result has the columns of all entities that were asked for.")
        }
        return number
      }
      readers[entity.code] = make(entity, places)
    }
    return readers
  }
}
