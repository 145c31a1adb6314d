// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Dates in ISO 8601, exact to the last bit.
package enum DateText {
  /// Days from 1970-01-01 to 2001-01-01.
  private static let referenceDay = 11_323
  private static let secondsOfDay = 86_400
  /// 0001-01-01 and 10000-01-01, in seconds since 2001.
  private static let years = -63_113_904_000.0..<252_423_993_600.0

  /// Returns the date in UTC; nil when no such text represents it exactly.
  package static func text(of date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard years.contains(seconds) else { return nil }
    let whole = seconds.rounded(.down)
    guard let fraction = fraction(seconds - whole, of: seconds) else { return nil }
    let total = Int(whole)
    let day = floorDivide(total, secondsOfDay)
    let second = total - day * secondsOfDay
    let (year, month, dayOfMonth) = civil(day + referenceDay)
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(dayOfMonth, 2))T\(pad(second / 3600, 2)):"
      + "\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2))\(fraction)Z"
  }

  /// Returns the fewest fractional digits that represent the date exactly.
  private static func fraction(_ fraction: Double, of seconds: Double) -> String? {
    if fraction == 0 { return "" }
    var scale = 1.0
    for count in 1...15 {
      scale *= 10
      let number = (fraction * scale).rounded()
      guard number < scale else { continue }
      let digits = pad(Int(number), count)
      if seconds.rounded(.down) + (Double("0.\(digits)") ?? 0) == seconds { return ".\(digits)" }
    }
    return nil
  }

  /// Parses a date, with any offset from UTC; a day alone is its start in UTC.
  package static func date(_ text: String) -> Date? {
    var scanner = Scanner(bytes: Array(text.utf8))
    guard let year = scanner.number(4), scanner.pass("-"), let month = scanner.number(2),
      scanner.pass("-"), let day = scanner.number(2), (1...12).contains(month),
      (1...length(of: month, year)).contains(day)
    else { return nil }
    let days = number(ofDay: day, month, year) - referenceDay
    if scanner.isOver { return date(days * secondsOfDay, 0) }
    guard scanner.pass("T") || scanner.pass("t") || scanner.pass(" "), let hour = scanner.number(2),
      hour < 24, scanner.pass(":"), let minute = scanner.number(2), minute < 60
    else { return nil }
    var second = 0
    var fraction = 0.0
    if scanner.pass(":") {
      guard let number = scanner.number(2), number < 60 else { return nil }
      second = number
      if scanner.pass(".") {
        guard let part = scanner.fraction() else { return nil }
        fraction = part
      }
    }
    guard let offset = scanner.offset(), scanner.isOver else { return nil }
    return date(days * secondsOfDay + hour * 3600 + minute * 60 + second - offset, fraction)
  }

  private static func date(_ seconds: Int, _ fraction: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
  }

  private struct Scanner {
    let bytes: [UInt8]
    var index = 0

    var isOver: Bool { index == bytes.count }

    mutating func pass(_ character: Unicode.Scalar) -> Bool {
      guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func number(_ count: Int) -> Int? {
      guard bytes.count - index >= count else { return nil }
      var number = 0
      for byte in bytes[index..<index + count] {
        guard byte &- 0x30 < 10 else { return nil }
        number = number * 10 + Int(byte - 0x30)
      }
      index += count
      return number
    }

    mutating func fraction() -> Double? {
      let start = index
      while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
      guard index > start else { return nil }
      return Double("0." + String(decoding: bytes[start..<index], as: UTF8.self))
    }

    /// Parses the offset from UTC in seconds; a missing offset means UTC.
    mutating func offset() -> Int? {
      if isOver || pass("Z") || pass("z") { return 0 }
      let isNegative = pass("-")
      guard isNegative || pass("+"), let hours = number(2), hours < 24 else { return nil }
      _ = pass(":")
      let minutes = isOver ? 0 : number(2)
      guard let minutes, minutes < 60 else { return nil }
      return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
  }
}

// MARK: - The calendar

// Proleptic Gregorian calendar, with eras of 400 years and years that begin in March.
extension DateText {
  private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }

  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (year + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }

  private static func number(ofDay day: Int, _ month: Int, _ year: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = floorDivide(year, 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func length(of month: Int, _ year: Int) -> Int {
    switch month {
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func pad(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
