// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostQuery

/// The position between two pages of a request's results: the sort values and the ID of the last object of the page.
///
/// A cursor stays valid while objects, even the one that it names, are inserted and deleted, and in other contexts
/// and launches. It can be encoded and sent to a client:
///
/// ```swift
/// let page = try context.page(request, after: cursor, size: 50)
/// let token = try JSONEncoder().encode(page.next)
/// ```
///
/// The client that has it can see the values and tamper with them: a modified cursor leads to other results of the
/// same request, or to an error, but never to objects that the request does not match.
public struct FetchCursor: Sendable, Hashable {
  /// The entity of the request.
  let entityName: String
  /// The order of the request, as a text for each sort descriptor.
  let order: [String]
  let values: [Value]
  let id: Identity

  enum Identity: Sendable, Hashable {
    case known(ObjectID)
    /// The text of an ID's URI.
    case text(String)
  }

  init(_ position: PagePosition, entityName: String, order: [SortOrdering]) {
    self.entityName = entityName
    self.order = Self.texts(of: order)
    values = position.values
    id = .known(position.id)
  }

  static func texts(of order: [SortOrdering]) -> [String] {
    order.map { "\($0.key) \($0.ascending ? "up" : "down") \($0.comparator.rawValue)" }
  }
}

extension FetchCursor: Codable {
  private enum CodingKeys: String, CodingKey {
    case entity, order, values, id
  }

  /// Decodes a cursor, made in this launch or an earlier one.
  ///
  /// - Throws: `DecodingError` when it is not a cursor.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    entityName = try container.decode(String.self, forKey: .entity)
    order = try container.decode([String].self, forKey: .order)
    values = try container.decode([CursorValue].self, forKey: .values).map(\.value)
    id = .text(try container.decode(String.self, forKey: .id))
    guard values.count == order.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .values, in: container,
        debugDescription: "A cursor has a value for each step of its order.")
    }
  }

  /// Encodes the cursor.
  ///
  /// - Throws: `EncodingError` when the last object of the page was not saved, because its ID is valid only in its
  ///   context.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entityName, forKey: .entity)
    try container.encode(order, forKey: .order)
    try container.encode(values.map { CursorValue(value: $0) }, forKey: .values)
    switch id {
    case .text(let text): try container.encode(text, forKey: .id)
    case .known(let id):
      guard !id.current.isTemporaryID else {
        throw EncodingError.invalidValue(
          id,
          EncodingError.Context(
            codingPath: container.codingPath + [CodingKeys.id],
            debugDescription: "The last object of the page was not saved yet: save first."))
      }
      try container.encode(id.stringRepresentation(), forKey: .id)
    }
  }
}
