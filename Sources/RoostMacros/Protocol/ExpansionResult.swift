// SPDX-License-Identifier: Apache-2.0

/// What an expansion yields: source, errors or both.
struct ExpansionResult: Equatable {
  /// The expansion; nil when there is nothing sensible to write.
  var source: String?
  var diagnostics: [Diagnostic] = []
}

/// An error at a place in the file that is expanded.
struct Diagnostic: Equatable {
  /// What is wrong, and what to write instead.
  var sentence: String
  /// In bytes of UTF-8 from the beginning of the file.
  var offset: Int
  /// What mends it, where there is one way only.
  var fixIt: FixIt?
}

/// A replacement of a piece of the file that is expanded.
struct FixIt: Equatable {
  /// What it does.
  var sentence: String
  /// The bytes that are replaced, from the beginning of the file.
  var range: Range<Int>
  var text: String
}
