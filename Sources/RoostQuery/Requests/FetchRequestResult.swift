// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A type that a fetch can return: managed objects, object IDs, dictionaries, numbers.
///
/// ```swift
/// let ids = try context.fetch(FetchRequest<ObjectID>(entityName: "Person"))
/// ```
public protocol FetchRequestResult {
  /// The default result type of requests for this type.
  static var fetchRequestResultType: FetchRequestResultType { get }
}

extension FetchRequestResult {
  /// Objects, by default.
  public static var fetchRequestResultType: FetchRequestResultType { .managedObjectResultType }
}

extension ObjectID: FetchRequestResult {
  /// IDs.
  public static var fetchRequestResultType: FetchRequestResultType { .managedObjectIDResultType }
}

extension Dictionary: FetchRequestResult where Key == String {
  /// Dictionaries.
  public static var fetchRequestResultType: FetchRequestResultType { .dictionaryResultType }
}

extension Int: FetchRequestResult {
  /// A number.
  public static var fetchRequestResultType: FetchRequestResultType { .countResultType }
}

/// The form of a request's results, with Core Data's numbers.
///
/// ```swift
/// let request = FetchRequest<any FetchRequestResult>(entityName: "Person")
/// request.resultType = .managedObjectIDResultType
/// ```
public struct FetchRequestResultType: OptionSet, Sendable, Hashable {
  /// Core Data's number.
  public let rawValue: UInt

  /// Makes a type from its number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Managed objects.
  public static let managedObjectResultType: FetchRequestResultType = []
  /// Object IDs.
  public static let managedObjectIDResultType = FetchRequestResultType(rawValue: 1)
  /// Dictionaries of the properties to fetch.
  public static let dictionaryResultType = FetchRequestResultType(rawValue: 2)
  /// The number of objects.
  public static let countResultType = FetchRequestResultType(rawValue: 4)
}
