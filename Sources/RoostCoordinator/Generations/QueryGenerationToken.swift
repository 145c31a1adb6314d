// SPDX-License-Identifier: Apache-2.0

/// A snapshot of all stores, which one or several contexts can read.
///
/// It holds a read transaction of each store for as long as it lives. Keep it no longer than you need it: a store
/// cannot reuse the space of data that was overwritten meanwhile.
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

  /// The newest state at the time of the next read.
  public static let current = QueryGenerationToken(nil)
}

extension QueryGenerationToken: Hashable {
  /// Returns whether two tokens refer to the same snapshot.
  public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
    left.generation === right.generation
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(generation.map(ObjectIdentifier.init))
  }
}
