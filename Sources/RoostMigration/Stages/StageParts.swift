// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// How far a staged migration is: each handler and each change of the version is a part of it.
final class StageParts {
  let reporter: MigrationReporter
  private let count: Int
  private var number = -1

  /// - Parameter isInterrupted: Whether a handler of an earlier migration comes first.
  init(_ steps: [StagePath.Step], isInterrupted: Bool, _ reporter: MigrationReporter) {
    self.reporter = reporter
    count = steps.reduce(isInterrupted ? 1 : 0) { count, step in
      switch step {
      case .infer: count + 1
      case .custom(let stage): count + (stage.didMigrateHandler == nil ? 2 : 3)
      }
    }
  }

  /// Begins the next part.
  func next() {
    number += 1
    reporter.beginPart(number, of: count)
  }

  /// Begins the next part, which is one step.
  ///
  /// - Throws: The errors of the reporter, such as `migrationCancelled`.
  func begin(_ title: String) throws {
    next()
    try reporter.begin(title)
  }
}
