// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// What a fetch can return: managed objects, object IDs, dictionaries, numbers.
///
/// ```swift
/// let ids = try context.fetch(FetchRequest<ObjectID>(entityName: "Person"))
/// ```
public protocol FetchRequestResult {
  /// The result type that a new request for this type has.
  static var fetchRequestResultType: FetchRequestResultType { get }
}

extension FetchRequestResult {
  /// Objects, unless a type says otherwise.
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

/// What a request asks of each record, with Core Data's numbers.
///
/// ```swift
/// let request = FetchRequest<any FetchRequestResult>(entityName: "Person")
/// request.resultType = .managedObjectIDResultType
/// ```
public struct FetchRequestResultType: OptionSet, Sendable, Hashable {
  /// Core Data's number.
  public let rawValue: UInt

  /// Makes a type of its number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Managed objects.
  public static let managedObjectResultType: FetchRequestResultType = []
  /// Object IDs.
  public static let managedObjectIDResultType = FetchRequestResultType(rawValue: 1)
  /// Dictionaries of the properties to fetch.
  public static let dictionaryResultType = FetchRequestResultType(rawValue: 2)
  /// How many objects there are.
  public static let countResultType = FetchRequestResultType(rawValue: 4)
}
