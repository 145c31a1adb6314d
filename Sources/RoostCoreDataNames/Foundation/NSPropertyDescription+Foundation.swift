// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
import RoostQuery

extension PropertyDescription {
  /// Sets the predicates that a value must satisfy, and their warnings: strings or numbers. Different counts, or a
  /// model that is in use, stop the program.
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
