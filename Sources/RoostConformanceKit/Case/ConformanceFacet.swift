// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An ability that a store may lack. A case names those that it needs.
///
/// A store that lacks an ability with a ``refusal`` is run all the same: it must answer with that error, and not do
/// less in silence. For the others there is nothing to be called; their cases are listed as left out.
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
  /// These coordinators can have models of their own, as long as they are equal.
  case equalModels
  /// Values can be unique.
  case uniqueness
  /// The store has a mark that every write changes, so that writes of others are noticed.
  case changeMarks
  /// The store says at once that it was written.
  case changeHints
  /// A request that has begun ends when it is cancelled.
  case cancellation
  /// The store follows its model to another version.
  case evolution
  /// The store keeps a history of its transactions.
  case history
  /// The store takes part in saves over several stores that are written in all of them or in none.
  case preparation

  /// The error with which a store without the ability answers; nil when there is nothing to ask it for.
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
