// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
import RoostQuery

extension PropertyDescription {
  /// Sets the predicates that a value must satisfy, and what is said when it does not: strings or numbers. Counts
  /// that differ, and a model that is in use end the program.
  public func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [Any]?
  ) {
    orEnd {
      let warnings = (validationWarnings ?? []).map { warning -> ValidationWarning in
        if let number = warning as? Int { return .code(number) }
        return .message("\(warning)")
      }
      try setValidationPredicates(
        (validationPredicates ?? []).map(FetchConditions.condition(of:)),
        withValidationWarnings: warnings)
    }
  }
}
