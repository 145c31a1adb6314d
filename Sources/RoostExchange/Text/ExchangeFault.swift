// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A fault in a part of a file; the caller adds the place.
package struct ExchangeFault: Error {
  /// The code of the error that it becomes.
  var code: PersistenceError.Code
  /// The rest of a sentence, without values of the file.
  package var reason: String
  /// The property concerned.
  var key: String?
  /// The value that was refused.
  var value: Value?
  /// The remedy; nil for the default of the code.
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

  /// Returns the error, with the place before the reason.
  func error(at place: RecordPlace?, entityName: String? = nil) -> PersistenceError {
    let error = PersistenceError(
      code, (place.map { "\($0): " } ?? "") + reason, entityName: entityName, key: key,
      value: value)
    return remedy.map { error.remedied(by: $0) } ?? error
  }
}

/// The file and line where a record begins.
struct RecordPlace: Hashable, CustomStringConvertible {
  let file: String
  let line: Int

  var description: String { "\(file), line \(line)" }
}

extension PersistenceError {
  /// Returns the error with the place of the record before its message.
  func placed(_ place: RecordPlace) -> PersistenceError {
    var error = self
    error.message = "\(place): \(message)"
    return error
  }
}
