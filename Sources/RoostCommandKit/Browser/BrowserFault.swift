// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel

/// Why a request of the page is not answered.
struct BrowserFault: Error, Sendable {
  /// The status of HTTP.
  var status: Int
  var message: String
  /// The remedy; empty when the message contains it.
  var remedy = ""
  /// The form field with the error; nil for none.
  var field: Field?
  /// The errors of single properties.
  var problems: [Problem] = []

  enum Field: String, Sendable {
    case condition, sort, columns
  }

  struct Problem: Sendable {
    var key: String
    var message: String
  }

  init(_ status: Int, _ message: String, field: Field? = nil) {
    self.status = status
    self.message = message
    self.field = field
  }

  /// Converts an error of a store or of the object graph.
  init(_ error: any Error, field: Field? = nil) {
    guard let error = error as? PersistenceError else {
      self.init(500, CommandProgram.describe(error), field: field)
      return
    }
    self.init(Self.status(of: error.code), error.message, field: field)
    remedy = error.message.contains(error.remedy) ? "" : error.remedy
    let parts = error.underlyingErrors.isEmpty ? [error] : error.underlyingErrors
    problems = parts.compactMap { part in
      part.key.map { Problem(key: $0, message: part.message) }
    }
    let rest = parts.filter { $0.key == nil && $0.message != error.message }.map(\.message)
    message = ([message] + rest.prefix(20)).joined(separator: "\n")
  }

  private static func status(of code: PersistenceError.Code) -> Int {
    switch code {
    case .managedObjectMerge, .managedObjectConstraintMerge: 409
    case .objectReferentialIntegrity, .unknownEntity: 404
    case .readOnlyStore, .forbiddenByPolicy: 403
    case .storeBusy, .persistentStoreTimeout, .userCancelled: 503
    case .unknownKey, .invalidPredicate, .invalidRequest, .invalidValue, .limitExceeded,
      .abstractEntity, .arithmeticOverflow:
      400
    case _ where (1550..<1700).contains(code.rawValue): 422
    default: 500
    }
  }

  var answer: BrowserAnswer {
    BrowserAnswer(
      status: status,
      .object([
        "error": .text(message), "remedy": remedy.isEmpty ? nil : .text(remedy),
        "field": field.map { .text($0.rawValue) },
        "problems": problems.isEmpty
          ? nil
          : .list(
            problems.map { .object(["key": .text($0.key), "message": .text($0.message)]) }),
      ]))
  }
}
