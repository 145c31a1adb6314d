// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A broken promise: the expectation, and its place in the source.
///
/// ```swift
/// do {
///   try expectEqual(found.count, 3, "the number of people")
/// } catch let failure as ExpectationFailure {
///   print(failure)  // the number of people is 2, expected 3 (Cases/Mine.swift:12)
/// }
/// ```
public struct ExpectationFailure: Error, Sendable, CustomStringConvertible {
  /// The expected and the actual result.
  public let message: String
  /// The file of the expectation.
  public let file: String
  /// The line of the expectation.
  public let line: UInt

  package init(message: String, file: String, line: UInt) {
    self.message = message
    self.file = file
    self.line = line
  }

  /// The expectation with its place in the source.
  public var description: String { "\(message) (\(file):\(line))" }
}

/// Throws unless a condition holds.
///
/// - Parameters:
///   - condition: The condition.
///   - message: The message on failure: the sentence that should have been true.
/// - Throws: ``ExpectationFailure``.
public func expect(
  _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) throws {
  guard !condition else { return }
  throw ExpectationFailure(message: "expected: \(message())", file: "\(file)", line: line)
}

/// Throws unless two values are equal.
///
/// - Parameters:
///   - found: The actual value.
///   - wanted: The expected value.
///   - what: A noun phrase for the value.
/// - Throws: ``ExpectationFailure``.
public func expectEqual<T: Equatable>(
  _ found: T, _ wanted: T, _ what: @autoclosure () -> String = "the value",
  file: StaticString = #fileID, line: UInt = #line
) throws {
  guard found != wanted else { return }
  throw ExpectationFailure(
    message: "\(what()) is \(found), expected \(wanted)", file: "\(file)", line: line)
}

/// Throws unless `body` throws a ``PersistenceError`` with a code.
///
/// - Parameters:
///   - code: The code.
///   - what: A noun phrase for the call.
///   - body: The call that must fail.
/// - Returns: The error.
/// - Throws: ``ExpectationFailure``.
@discardableResult public func expectError(
  _ code: PersistenceError.Code, _ what: @autoclosure () -> String = "the call",
  file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Void
) throws -> PersistenceError {
  do {
    try body()
  } catch let error as PersistenceError {
    if let fault = ErrorText.fault(of: error) {
      throw ExpectationFailure(
        message: "the error \(fault): \(error.detailedDescription)", file: "\(file)", line: line)
    }
    if error.code == code { return error }
    throw ExpectationFailure(
      message: "\(what()) throws \(error.code.rawValue) (\(error.message)), "
        + "expected \(code.rawValue)", file: "\(file)", line: line)
  } catch {
    throw ExpectationFailure(
      message: "\(what()) throws \(error), expected \(code.rawValue)", file: "\(file)", line: line)
  }
  throw ExpectationFailure(
    message: "\(what()) succeeds, expected the error \(code.rawValue)", file: "\(file)",
    line: line)
}

/// Returns the wrapped value of an optional, or throws.
///
/// - Parameters:
///   - value: The optional.
///   - what: A noun phrase for the value.
/// - Throws: ``ExpectationFailure``.
public func require<T>(
  _ value: T?, _ what: @autoclosure () -> String = "the value", file: StaticString = #fileID,
  line: UInt = #line
) throws -> T {
  guard let value else {
    throw ExpectationFailure(
      message: "\(what()) is nil", file: "\(file)", line: line)
  }
  return value
}
