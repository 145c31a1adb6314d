// SPDX-License-Identifier: Apache-2.0

/// The functions that an expression may call. A predicate cannot run any other code.
///
/// ```swift
/// FetchFunction.length.apply([.string("Ada")])  // .integer(3)
/// FetchFunction.divide.apply([.integer(7), .integer(0)])  // .null
/// ```
public enum FetchFunction: String, Sendable, Hashable, CaseIterable {
  /// `a + b`; a date plus a number of seconds is a date.
  case add = "add:to:"
  /// `a - b`; a date minus a date is a number of seconds.
  case subtract = "from:subtract:"
  /// `a * b`.
  case multiply = "multiply:by:"
  /// `a / b`: truncated for integers, nil when `b` is 0.
  case divide = "divide:by:"
  /// `modulus:by:(a, b)`: the remainder of the division, nil when `b` is 0.
  case modulus = "modulus:by:"
  /// `a ** b`, as a double.
  case raise = "raise:toPower:"
  /// `-a`.
  case negate = "negate:"
  /// `a & b`, of integers only.
  case bitwiseAnd = "bitwiseAnd:with:"
  /// `a | b`, of integers only.
  case bitwiseOr = "bitwiseOr:with:"
  /// `a ^ b`, of integers only.
  case bitwiseXor = "bitwiseXor:with:"
  /// `a << b`: nil unless `b` is 0 to 63.
  case leftShift = "leftshift:by:"
  /// `a >> b`: nil unless `b` is 0 to 63.
  case rightShift = "rightshift:by:"
  /// `~a`, of integers only.
  case onesComplement = "onesComplement:"
  /// `abs(a)`: the absolute value.
  case absolute = "abs:"
  /// `ceiling(a)`: the smallest integer that is not less.
  case ceiling = "ceiling:"
  /// `floor(a)`: the largest integer that is not greater.
  case floor = "floor:"
  /// `trunc(a)`: the number rounded towards zero.
  case trunc = "trunc:"
  /// `sqrt(a)`: the square root, nil for numbers below 0.
  case squareRoot = "sqrt:"
  /// `log(a)`: the logarithm to base 10, and nil for numbers that are not above 0.
  case logarithm = "log:"
  /// `ln(a)`: the natural logarithm, and nil for numbers that are not above 0.
  case naturalLogarithm = "ln:"
  /// `exp(a)`: e to the power of the number.
  case exponential = "exp:"
  /// `uppercase(a)`: the string in upper case.
  case uppercase = "uppercase:"
  /// `lowercase(a)`: the string in lower case.
  case lowercase = "lowercase:"
  /// `canonical(a)`: the string folded without case and diacritics, as `[cd]` compares it.
  case canonical = "canonical:"
  /// `length(a)`: the number of Unicode scalars of a string, or of bytes of data.
  case length = "length:"
  /// `now()`: the current date, the same for all rows of a request.
  case now = "now"
  /// `random()`: a random double from 0 up to, but not including, 1, for each row.
  case random = "random"
  /// A distance function of Core Data's grammar, which is parsed and printed, but cannot be evaluated.
  case distanceToLocationFromLocation = "distanceToLocation:fromLocation:"
  /// `CAST(a, "type")`: the value as one of the types of ``CastTarget``, nil when it cannot be converted.
  case cast = "castObject:toType:"
  /// `count(a)`: the number of non-nil values; 0 without values.
  case count = "count:"
  /// `sum(a)`: the sum in the type of the values; 0 without values.
  case sum = "sum:"
  /// `average(a)`: the mean as a double; nil without values.
  case average = "average:"
  /// `min(a)`: the smallest value; nil without values.
  case minimum = "min:"
  /// `max(a)`: the largest value; nil without values.
  case maximum = "max:"
  /// `median(a)`: the middle value, or the mean of the two middle numbers; nil without values.
  case median = "median:"
  /// `mode(a)`: the most frequent value, the smallest of several; nil without values.
  case mode = "mode:"
  /// `stddev(a)`: the population standard deviation.
  case standardDeviation = "stddev:"
  /// `a[i]`: a member of an ordered relationship by its position, or the `FIRST` or `LAST` one.
  case objectFrom = "objectFrom:withIndex:"
}
