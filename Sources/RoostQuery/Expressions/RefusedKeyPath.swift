// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A key path that names no stored property, such as one of a computed property, which no store can evaluate.
///
/// Typed conditions, sort orders and prefetching cannot throw when they are built. They carry this value, and the
/// request throws ``error`` when it is executed.
///
/// ```swift
/// let request = Person.where { $0.uppercasedName == "ADA" }  // computed from `name`
/// _ = try context.fetch(request)  // throws invalidRequest
/// ```
public struct RefusedKeyPath: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the key path's root class.
  public let rootName: String
  /// The name of its value type.
  public let valueName: String
  /// The key path as Swift prints it; without property names where the runtime does not keep them.
  public let keyPathDescription: String
  /// The stored properties that were read when the key path was evaluated.
  public let readProperties: [String]
  /// The reason for which a condition is refused whose key path a store could evaluate; nil otherwise.
  private let reason: String?

  /// Makes a description of a key path.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - readProperties: The stored properties that its getters read.
  public init(_ keyPath: AnyKeyPath, readProperties: [String]) {
    let keyPathType = type(of: keyPath)
    rootName = "\(keyPathType.rootType)"
    valueName = "\(keyPathType.valueType)"
    keyPathDescription = keyPath.debugDescription
    self.readProperties = readProperties
    reason = nil
  }

  /// Makes a refusal of a condition that cannot be asked with its key path.
  ///
  /// - Parameter reason: A sentence that says why, and what to do instead.
  init(because reason: String) {
    rootName = ""
    valueName = ""
    keyPathDescription = ""
    readProperties = []
    self.reason = reason
  }

  /// A textual description of the key path.
  public var description: String {
    if let reason { return reason }
    let reads = readProperties.map { "“\($0)”" }.joined(separator: ", ")
    return "key path of \(rootName) with values of type \(valueName)"
      + (reads.isEmpty ? " that reads no stored property" : " that is computed from \(reads)")
  }

  /// The error of a request with the key path: `invalidRequest`, with alternatives.
  public var error: PersistenceError {
    if let reason { return PersistenceError(.invalidRequest, reason) }
    return PersistenceError(
      .invalidRequest,
      "The \(description) (\(keyPathDescription)) names no stored property, so no store can answer for it. Name a "
        + "stored property, write the computation with the operators of queries, keep it in a derived attribute, or "
        + "fetch first and filter or sort the objects.",
      entityName: rootName, key: readProperties.first)
  }
}
