// SPDX-License-Identifier: Apache-2.0

/// The functions that an expression may call. The set is closed: a predicate can run no other code.
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
  /// `a / b`: of integers without the fraction, and nil when `b` is 0.
  case divide = "divide:by:"
  /// `modulus:by:(a, b)`: what a division leaves over, and nil when `b` is 0.
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
  /// `abs(a)`: the number without its sign.
  case absolute = "abs:"
  /// `ceiling(a)`: the next whole number that is not less.
  case ceiling = "ceiling:"
  /// `floor(a)`: the next whole number that is not greater.
  case floor = "floor:"
  /// `trunc(a)`: the number without its fraction.
  case trunc = "trunc:"
  /// `sqrt(a)`: nil for numbers below 0.
  case squareRoot = "sqrt:"
  /// `log(a)`: the logarithm to base 10, and nil for numbers that are not above 0.
  case logarithm = "log:"
  /// `ln(a)`: the natural logarithm, and nil for numbers that are not above 0.
  case naturalLogarithm = "ln:"
  /// `exp(a)`: e to the power of the number.
  case exponential = "exp:"
  /// `uppercase(a)`: the string in capital letters.
  case uppercase = "uppercase:"
  /// `lowercase(a)`: the string in small letters.
  case lowercase = "lowercase:"
  /// `canonical(a)`: the string without case and marks, as `[cd]` compares it.
  case canonical = "canonical:"
  /// `length(a)`: the Unicode scalars of a string, or the bytes of data.
  case length = "length:"
  /// `now()`: the date, one for all rows of a request.
  case now = "now"
  /// `random()`: a double from 0 up to, but not including, 1; another one for each row.
  case random = "random"
  /// A distance of Core Data's grammar: it is read and printed, and cannot be evaluated.
  case distanceToLocationFromLocation = "distanceToLocation:fromLocation:"
  /// `CAST(a, "type")`: the value as one of the types of ``CastTarget``, nil when it has none.
  case cast = "castObject:toType:"
  /// `count(a)`: how many values there are that are not nil; 0 of none.
  case count = "count:"
  /// `sum(a)`: the sum in the type of the values; 0 of none.
  case sum = "sum:"
  /// `average(a)`: the mean as a double; nil of none.
  case average = "average:"
  /// `min(a)`: the least value; nil of none.
  case minimum = "min:"
  /// `max(a)`: the greatest value; nil of none.
  case maximum = "max:"
  /// `median(a)`: the value in the middle, of two numbers there the mean; nil of none.
  case median = "median:"
  /// `mode(a)`: the value that is there most often, of several the least; nil of none.
  case mode = "mode:"
  /// `stddev(a)`: how far the values lie from their mean, taken as all values and not as a sample.
  case standardDeviation = "stddev:"
  /// `a[i]`: a member of an ordered relationship by its position, or the `FIRST` or `LAST` one.
  case objectFrom = "objectFrom:withIndex:"
}
