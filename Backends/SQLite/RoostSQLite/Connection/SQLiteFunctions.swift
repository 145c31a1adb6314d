// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostQuery

/// The Roost functions that statements call: functions that SQLite lacks, with the same results as everywhere else in
/// Roost.
enum SQLiteFunctions {
  /// Registers the functions on a connection.
  static func register(on handle: OpaquePointer) throws {
    try add("roost_double", 1, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).double()
    }
    try add("roost_bytes", 1, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).bytes()
    }
    try add("roost_fold", 2, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).fold()
    }
    try add("roost_like", 3, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).match(.like)
    }
    try add("roost_matches", 3, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).match(.matches)
    }
    try add("roost_search", 3, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).match(.search)
    }
    try add("roost_apply", 3, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).apply(count: 1)
    }
    try add("roost_apply", 5, handle) { context, _, arguments in
      SQLiteArguments(context, arguments).apply(count: 2)
    }
    try SQLiteAggregates.register(on: handle)
    try SQLiteRowSum.register(on: handle)
  }

  typealias Body =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// The flags of all functions: the same arguments give the same result, and the schema of a file cannot call them.
  static let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY

  private static func add(
    _ name: String, _ arguments: Int32, _ handle: OpaquePointer, _ body: Body
  ) throws {
    let code = sqlite3_create_function_v2(
      handle, name, arguments, flags, nil, body, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, handle: handle) }
  }
}

/// The arguments of a function call, and its result. A result that is not set is null.
struct SQLiteArguments {
  private let context: OpaquePointer?
  private let values: UnsafeMutablePointer<OpaquePointer?>?

  init(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    self.context = context
    self.values = values
  }

  /// `roost_double(bits)`: the double of an integer's bits.
  func double() {
    guard let value = value(0) else { return }
    let bits = UInt64(bitPattern: sqlite3_value_int64(value))
    sqlite3_result_double(context, Double(bitPattern: bits))
  }

  /// `roost_bytes(text)`: the bytes of hexadecimal digits.
  func bytes() {
    guard let value = value(0), let text = sqlite3_value_text(value) else { return }
    let count = Int(sqlite3_value_bytes(value)) / 2
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(count, 1)) { buffer in
      for index in 0..<count {
        buffer[index] = Self.digit(text[index * 2]) << 4 | Self.digit(text[index * 2 + 1])
      }
      sqlite3_result_blob(context, buffer.baseAddress, Int32(count), roost_sqlite3_transient())
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8 {
    // Of what is no digit, which a statement of the program can give, nothing is expected but that it ends.
    byte >= UInt8(ascii: "a") ? byte &- UInt8(ascii: "a") &+ 10 : byte &- UInt8(ascii: "0")
  }

  /// `roost_fold(text, options)`: the shared folding.
  func fold() {
    guard let text = text(0) else { return }
    setResult(StringFolding.fold(text, StringFolding.Options(rawValue: options(1).rawValue)))
  }

  /// `roost_like(text, pattern, options)`, and `roost_matches` and `roost_search` alike: the shared matching. The
  /// pattern is a constant, compiled at the first call of a statement and kept as SQLite's auxiliary data.
  func match(_ comparison: ComparisonPredicate.Comparison) {
    guard let text = text(0) else { return }
    if let kept = sqlite3_get_auxdata(context, 1) {
      let matcher = Unmanaged<KeptMatcher>.fromOpaque(kept).takeUnretainedValue()
      return setResult(of: matcher.matcher, for: text)
    }
    guard let pattern = self.text(1),
      let matcher = try? StringMatcher(comparison, pattern, options: options(2))
    else { return sqlite3_result_error(context, "a pattern cannot be read", -1) }
    setResult(of: matcher, for: text)
    let kept = Unmanaged.passRetained(KeptMatcher(matcher)).toOpaque()
    sqlite3_set_auxdata(context, 1, kept) { kept in
      if let kept { Unmanaged<KeptMatcher>.fromOpaque(kept).release() }
    }
  }

  private func setResult(of matcher: StringMatcher, for text: String) {
    do {
      sqlite3_result_int(context, try matcher.matches(text) ? 1 : 0)
    } catch {
      sqlite3_result_error(context, StringMatcher.limitMessage, -1)
    }
  }

  private final class KeptMatcher {
    let matcher: StringMatcher
    init(_ matcher: StringMatcher) {
      self.matcher = matcher
    }
  }

  /// `roost_apply(function, kind, value, ...)`: the shared scalar functions.
  func apply(count: Int) {
    guard let number = values?[0].map({ Int(sqlite3_value_int64($0)) }),
      FetchFunction.allCases.indices.contains(number)
    else { return }
    let arguments = (0..<count).map { exchangeValue($0 * 2 + 2, kindAt: $0 * 2 + 1) }
    setResult(FetchFunction.allCases[number].apply(arguments))
  }
}

// MARK: - Values

extension SQLiteArguments {
  /// Returns an argument; nil for null.
  private func value(_ index: Int) -> OpaquePointer? {
    guard let value = values?[index], sqlite3_value_type(value) != SQLITE_NULL else { return nil }
    return value
  }

  private func text(_ index: Int) -> String? {
    guard let value = value(index), let text = sqlite3_value_text(value) else { return nil }
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    return String(decoding: bytes, as: UTF8.self)
  }

  private func blob(_ index: Int) -> UnsafeRawBufferPointer {
    guard let value = value(index) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let start = sqlite3_value_blob(value)
    let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  private func options(_ index: Int) -> ComparisonPredicate.Options {
    ComparisonPredicate.Options(rawValue: value(index).map { Int(sqlite3_value_int64($0)) } ?? 0)
  }

  /// Returns an argument as a value of a slot's kind, whose number is another argument.
  private func exchangeValue(_ index: Int, kindAt kindIndex: Int) -> Value {
    guard let value = value(index), let number = self.value(kindIndex),
      let kind = SlotKind(rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int64(number)))
    else { return .null }
    switch kind {
    case .integer, .position, .reference: return .integer(sqlite3_value_int64(value))
    case .boolean: return .boolean(sqlite3_value_int64(value) != 0)
    case .double: return .double(sqlite3_value_double(value))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value)))
    case .string: return text(index).map(Value.string) ?? .null
    case .decimal: return DecimalCode.decode(blob(index)).map(Value.decimal) ?? .null
    case .data: return .data(Data(blob(index)))
    case .uuid, .uri, .transformable: return .null
    }
  }

  private func setResult(_ value: Value) {
    switch value {
    case .integer(let number): sqlite3_result_int64(context, number)
    case .boolean(let truth): sqlite3_result_int64(context, truth ? 1 : 0)
    case .double(let number): sqlite3_result_double(context, number)
    case .date(let date): sqlite3_result_double(context, date.timeIntervalSinceReferenceDate)
    case .string(let text): setResult(text)
    case .decimal(let number):
      DecimalCode.encode(number).withUnsafeBytes { bytes in
        sqlite3_result_blob(
          context, bytes.baseAddress, Int32(bytes.count), roost_sqlite3_transient())
      }
    default: sqlite3_result_null(context)
    }
  }

  private func setResult(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return sqlite3_result_text(context, "", 0, nil)
      }
      start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_result_text64(
          context, $0, UInt64(bytes.count), roost_sqlite3_transient(), UInt8(SQLITE_UTF8))
      }
    }
  }
}
