// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An optional ability of a store. A case names those that it needs.
///
/// A case for an ability with a ``refusal`` also runs on a store without it: the store must throw that error, and not
/// silently do less. For other abilities there is nothing to call; their cases are listed as left out.
///
/// ```swift
/// ConformanceCase(.saving, "kept", "a save outlives the store (B169)", needs: [.reopening]) { stage in
///   try stage.open(CompanyModel.make()).reopen()
/// }
/// ```
public enum ConformanceFacet: String, Sendable, Hashable, CaseIterable, Codable {
  /// The data outlive the coordinator: the store can be opened again.
  case reopening
  /// Two coordinators can use the same data at the same time.
  case secondHandle
  /// These coordinators can have separate models, as long as they are equal.
  case equalModels
  /// Values can be unique.
  case uniqueness
  /// The store has a change mark, which every write changes, so that writes of others are detected.
  case changeMarks
  /// The store sends a hint immediately after a write.
  case changeHints
  /// A request that has begun ends when it is cancelled.
  case cancellation
  /// The store follows its model to another version.
  case evolution
  /// The store keeps a history of its transactions.
  case history
  /// The store takes part in saves over several stores that are written in all of them or in none.
  case preparation

  /// The error of a store without the ability; nil when there is nothing to call.
  public var refusal: PersistenceError.Code? {
    switch self {
    case .reopening, .secondHandle, .changeMarks, .changeHints, .cancellation, .evolution,
      .preparation:
      nil
    case .equalModels, .uniqueness: .persistentStoreIncompatibleSchema
    case .history: .persistentStoreUnsupportedRequestType
    }
  }
}
