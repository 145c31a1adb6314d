// SPDX-License-Identifier: Apache-2.0

extension TaskLocal {
  /// Runs work with a value bound, preserving the typed error of the work: `withValue` erases it to any error.
  func holding<Answer, Failure: Error>(
    _ value: Value, _ work: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    var result: Result<Answer, Failure>?
    withValue(value) {
      do throws(Failure) {
        result = .success(try work())
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { preconditionFailure("The work was run.") }
    return try result.get()
  }
}
