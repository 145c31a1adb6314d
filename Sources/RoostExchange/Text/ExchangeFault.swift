// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What is wrong with a part of a file; the place is added by who knows it.
package struct ExchangeFault: Error {
  /// What kind of error it becomes.
  var code: PersistenceError.Code
  /// The rest of a sentence, without values of the file.
  package var reason: String
  /// The property concerned.
  var key: String?
  /// The value that was refused.
  var value: Value?
  /// What to do; nil for what the code says.
  var remedy: String?

  init(
    _ reason: String, code: PersistenceError.Code = .invalidValue, key: String? = nil,
    value: Value? = nil, remedy: String? = nil
  ) {
    self.code = code
    self.reason = reason
    self.key = key
    self.value = value
    self.remedy = remedy
  }

  /// The error, with the place in front of the reason.
  func error(at place: RecordPlace?, entityName: String? = nil) -> PersistenceError {
    let error = PersistenceError(
      code, (place.map { "\($0): " } ?? "") + reason, entityName: entityName, key: key,
      value: value)
    return remedy.map { error.remedied(by: $0) } ?? error
  }
}

/// Where a record begins in its file.
struct RecordPlace: Hashable, CustomStringConvertible {
  let file: String
  let line: Int

  var description: String { "\(file), line \(line)" }
}

extension PersistenceError {
  /// The error with the place of the record in front of its message.
  func placed(_ place: RecordPlace) -> PersistenceError {
    var error = self
    error.message = "\(place): \(message)"
    return error
  }
}
