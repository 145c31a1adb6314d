// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A key path that names no stored property, as one of a computed property: what a getter computes is known to no
/// store.
///
/// Typed conditions, orders and prefetching cannot throw when they are built. They carry what is wrong, and the request
/// throws ``error`` when it is executed.
///
/// ```swift
/// let request = Person.where { $0.uppercasedName == "ADA" }  // computed from `name`
/// _ = try context.fetch(request)  // throws invalidRequest
/// ```
public struct RefusedKeyPath: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the class that the key path begins at.
  public let rootName: String
  /// The name of the type of its values.
  public let valueName: String
  /// The key path as Swift prints it; without the names of properties where the system does not keep them.
  public let keyPathDescription: String
  /// The stored properties that were read when the key path was followed.
  public let readProperties: [String]

  /// Describes a key path.
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
  }

  /// The key path in words.
  public var description: String {
    let reads = readProperties.map { "“\($0)”" }.joined(separator: ", ")
    return "key path of \(rootName) with values of type \(valueName)"
      + (reads.isEmpty ? " that reads no stored property" : " that is computed from \(reads)")
  }

  /// What a request that has the key path throws: `invalidRequest`, with what can be done instead.
  public var error: PersistenceError {
    PersistenceError(
      .invalidRequest,
      "The \(description) (\(keyPathDescription)) names no stored property, so no store can answer for it. Name a "
        + "stored property, write the computation with the operators of queries, keep it in a derived attribute, or "
        + "fetch first and filter or sort the objects.",
      entityName: rootName, key: readProperties.first)
  }
}
