// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

/// How a case ended.
///
/// ```swift
/// if case .failed(let reason) = run.outcome(of: conformanceCase) { print(reason) }
/// ```
public enum ConformanceOutcome: Sendable, Hashable {
  /// The store claims the facets of the case, and the promise is kept.
  case passed
  /// The store does not claim the facets, and rejects the call with the documented error.
  case refused
  /// The case was not run, for this reason.
  case leftOut(String)
  /// A known defect, for this reason; the case fails as expected.
  case knownDefect(String)
  /// The promise is not kept.
  case failed(String)

  /// Whether a store with this outcome does not conform.
  public var isFailure: Bool {
    if case .failed = self { return true }
    return false
  }
}

/// A case that is known to fail on a store. If it passes, that counts as a failure: the entry must be removed.
///
/// ```swift
/// let defects = [KnownDefect("values.decimals", "the engine keeps 15 digits")]
/// let run = ConformanceRun(harness, knownDefects: defects)
/// ```
public struct KnownDefect: Sendable, Hashable {
  /// The ID of the case.
  public var caseID: String
  /// Why it fails.
  public var reason: String

  /// Names a defect.
  public init(_ caseID: String, _ reason: String) {
    self.caseID = caseID
    self.reason = reason
  }
}
