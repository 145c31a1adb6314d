// SPDX-License-Identifier: Apache-2.0

/// One promise, and how it is put to the test.
///
/// ```swift
/// ConformanceCase(.identity, "mine", "an unsaved object has a temporary ID (B24)") { stage in
///   let stack = try stage.open(CompanyModel.make())
///   let person = try stack.insert("Person")
///   try expect(person.objectID.isTemporaryID, "the ID is temporary")
/// }
/// ```
public struct ConformanceCase: Sendable, Identifiable {
  /// The name by which reports and lists of known defects know the case: `topic.name`. It does not change.
  public let id: String
  /// What the case is about.
  public let topic: ConformanceTopic
  /// The promise, a sentence that cites the numbers of the behaviours.
  public let title: String
  /// The abilities that a store must have for it.
  public let needs: Set<ConformanceFacet>
  package let body: @Sendable (ConformanceStage) throws -> Void

  /// Makes a case.
  ///
  /// - Parameters:
  ///   - topic: What it is about.
  ///   - name: A name that is unique in the topic.
  ///   - title: The promise.
  ///   - needs: The abilities that a store must have for it.
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
