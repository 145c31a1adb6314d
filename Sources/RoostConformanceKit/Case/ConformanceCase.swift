// SPDX-License-Identifier: Apache-2.0

/// One promise, and its test.
///
/// ```swift
/// ConformanceCase(.identity, "mine", "an unsaved object has a temporary ID (B24)") { stage in
///   let stack = try stage.open(CompanyModel.make())
///   let person = try stack.insert("Person")
///   try expect(person.objectID.isTemporaryID, "the ID is temporary")
/// }
/// ```
public struct ConformanceCase: Sendable, Identifiable {
  /// The identifier of the case in reports and lists of known defects: `topic.name`. It never changes.
  public let id: String
  /// The topic of the case.
  public let topic: ConformanceTopic
  /// The promise, a sentence that cites the numbers of the behaviours.
  public let title: String
  /// The facets that a store must claim for it.
  public let needs: Set<ConformanceFacet>
  package let body: @Sendable (ConformanceStage) throws -> Void

  /// Makes a case.
  ///
  /// - Parameters:
  ///   - topic: The topic.
  ///   - name: A name that is unique in the topic.
  ///   - title: The promise.
  ///   - needs: The facets that a store must claim for it.
  ///   - body: Returns when the promise is kept, throws otherwise.
  public init(
    _ topic: ConformanceTopic, _ name: String, _ title: String,
    needs: Set<ConformanceFacet> = [], body: @escaping @Sendable (ConformanceStage) throws -> Void
  ) {
    id = "\(topic.rawValue).\(name)"
    self.topic = topic
    self.title = title
    self.needs = needs
    self.body = body
  }
}

extension ConformanceCase: CustomStringConvertible {
  /// The ID and the promise.
  public var description: String { "\(id): \(title)" }
}
