// SPDX-License-Identifier: Apache-2.0

public import Foundation

// What `error as NSError` shows: Core Data's domain, its numbers and its keys.
extension PersistenceError: CustomNSError {
  /// The domain that all errors share, which is Core Data's.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// The number of the code.
  public var errorCode: Int { code.rawValue }

  /// What is known of the error, by Core Data's keys.
  public var errorUserInfo: [String: Any] {
    var result: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? message]
    if !underlyingErrors.isEmpty {
      result[Self.detailedErrorsKey] = underlyingErrors.map { $0 as NSError }
    }
    if let key { result[Self.validationKeyKey] = key }
    if let value = value?.anyValue { result[Self.validationValueKey] = value }
    if let predicateFormat { result[Self.validationPredicateKey] = predicateFormat }
    if let id = objectIDs.first { result[Self.validationObjectKey] = id }
    if !objectIDs.isEmpty { result[Self.affectedObjectsKey] = objectIDs }
    if let store { result[Self.affectedStoresKey] = [store] }
    if let underlying { result[NSUnderlyingErrorKey] = underlying as NSError }
    return result
  }

  /// The errors that one sums up: `[NSError]`.
  public static let detailedErrorsKey = "NSDetailedErrors"
  /// The ID of the object that was refused.
  public static let validationObjectKey = "NSValidationErrorObject"
  /// The name of the property that was refused.
  public static let validationKeyKey = "NSValidationErrorKey"
  /// The format of the predicate that refused a value.
  public static let validationPredicateKey = "NSValidationErrorPredicate"
  /// The value that was refused.
  public static let validationValueKey = "NSValidationErrorValue"
  /// The names of the stores concerned.
  public static let affectedStoresKey = "NSAffectedStoresErrorKey"
  /// The IDs of the objects concerned.
  public static let affectedObjectsKey = "NSAffectedObjectsErrorKey"
}
