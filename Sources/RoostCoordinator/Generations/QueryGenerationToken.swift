// SPDX-License-Identifier: Apache-2.0

/// The state of all stores at one moment, to be read by one or several contexts.
///
/// It holds a read transaction of each store for as long as it lives: keep it no longer than you need it, because a
/// store cannot reuse the space of what was overwritten meanwhile.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let report = try context.fetch(request)      // pins the snapshot
/// try other.setQueryGenerationFrom(context.queryGenerationToken)
/// ```
public final class QueryGenerationToken: Sendable {
  /// The snapshot; nil for ``current``.
  package let generation: StoreGeneration?

  package init(_ generation: StoreGeneration?) {
    self.generation = generation
  }

  /// Stands for the newest state at the time of the next read.
  public static let current = QueryGenerationToken(nil)
}

extension QueryGenerationToken: Hashable {
  /// Whether two tokens stand for the same snapshot.
  public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
    left.generation === right.generation
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(generation.map(ObjectIdentifier.init))
  }
}
