// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Bridging to `NSError`, with Core Data's domain, codes and keys.
extension PersistenceError: CustomNSError {
  /// The domain of all errors, which is Core Data's.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// The number of the code.
  public var errorCode: Int { code.rawValue }

  /// The details of the error, under Core Data's keys.
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
    if !affectedStores.isEmpty { result[Self.affectedStoresKey] = affectedStores }
    if let underlying { result[NSUnderlyingErrorKey] = underlying as NSError }
    return result
  }

  /// The combined errors: `[NSError]`.
  public static let detailedErrorsKey = "NSDetailedErrors"
  /// The ID of the refused object.
  public static let validationObjectKey = "NSValidationErrorObject"
  /// The name of the refused property.
  public static let validationKeyKey = "NSValidationErrorKey"
  /// The format of the predicate that refused a value.
  public static let validationPredicateKey = "NSValidationErrorPredicate"
  /// The refused value.
  public static let validationValueKey = "NSValidationErrorValue"
  /// The names of the affected stores.
  public static let affectedStoresKey = "NSAffectedStoresErrorKey"
  /// The IDs of the affected objects.
  public static let affectedObjectsKey = "NSAffectedObjectsErrorKey"
}
