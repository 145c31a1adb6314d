// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// A model stores predicates without parsing them, some as plain text. They are parsed before the model is used: a
// predicate that cannot be parsed would be a rule that is never enforced.
extension ManagedObjectModel {
  /// Parses the model's textual predicates: validation predicates are replaced by the parsed ones, index predicates
  /// are only checked.
  ///
  /// - Throws: `invalidModel` with a fault for each that cannot be parsed; the model is unchanged then. A model that
  ///   is in use was parsed before.
  func parsePredicates() throws {
    guard !isFrozen else { return }
    var faults: [PersistenceError] = []
    var parsed: [(property: PropertyDescription, predicates: [FetchPredicate])] = []
    for entity in entities {
      for property in entity.declaredProperties.flatMap(\.withElements)
      where property.validationPredicates.contains(where: { !($0 is FetchPredicate) }) {
        let predicates = property.validationPredicates.compactMap {
          parse($0, "validation predicate", entity, property.name, &faults)
        }
        parsed.append((property, predicates))
      }
      for index in entity.indexes {
        guard let condition = index.partialIndexPredicate else { continue }
        _ = parse(condition, "condition of an index", entity, index.name, &faults)
      }
    }
    guard faults.isEmpty else {
      throw PersistenceError(
        .invalidModel, "The model has \(faults.count) fault\(faults.count == 1 ? "" : "s").",
        underlyingErrors: faults)
    }
    for (property, predicates) in parsed {
      try property.setValidationPredicates(
        predicates, withValidationWarnings: property.validationWarnings)
    }
  }

  private func parse(
    _ predicate: any ModelPredicate, _ what: String, _ entity: EntityDescription, _ key: String,
    _ faults: inout [PersistenceError]
  ) -> FetchPredicate? {
    do {
      return try FetchPredicate(predicate)
    } catch {
      faults.append(
        PersistenceError(
          .invalidModel, "A \(what) cannot be parsed: “\(predicate.predicateFormat)”.",
          entityName: entity.name, key: key, underlying: error))
      return nil
    }
  }
}

extension PropertyDescription {
  /// The property, and the elements of a composite.
  fileprivate var withElements: [PropertyDescription] {
    [self] + ((self as? CompositeAttributeDescription)?.allElements ?? [])
  }
}
