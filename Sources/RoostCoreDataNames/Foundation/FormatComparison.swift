// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects
import RoostQuery

#if !canImport(Darwin)
/// The initial class of a comparison; see ``FormatComparison``.
private class ComparisonSeed: NSPredicate {
  final var comparison: ComparisonPredicate

  init(_ comparison: ComparisonPredicate) {
    self.comparison = comparison
    super.init(value: false)
  }
}

/// A comparison of two expressions.
///
/// It has the stored properties of ``ComparisonSeed``, as ``FoundationInstances`` requires. It is marked deprecated
/// like its superclass, which only deprecated code can name without a warning; other files use ``FormatComparison``.
@available(*, deprecated)
final class MarkedComparison: Foundation.NSComparisonPredicate {
  final var comparison = ComparisonPredicate(.evaluatedObject, .equalTo, .evaluatedObject)

  static func make(_ comparison: ComparisonPredicate) -> MarkedComparison {
    FoundationInstances.turn(ComparisonSeed(comparison), into: MarkedComparison.self)
  }

  override var predicateFormat: String { FetchPredicate.comparison(comparison).predicateFormat }

  override var description: String { predicateFormat }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? MarkedComparison)?.comparison == comparison
  }

  override var hash: Int { comparison.hashValue }

  override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    orEnd {
      let condition = FetchPredicate.comparison(comparison)
      let filled = try bindings.map(condition.withSubstitutionVariables) ?? condition
      if let object = object as? ManagedObject { return try filled.evaluate(with: object) }
      return try PlainCondition(predicate: filled).isSatisfied(by: object)
    }
  }
}
/// Names the comparison class.
enum FormatComparisonName: FoundationName {
  @available(*, deprecated)
  static func named() -> MarkedComparison? { nil }
}

/// The comparison class.
typealias FormatComparison = FormatComparisonName.Named
#endif
