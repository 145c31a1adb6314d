// SPDX-License-Identifier: Apache-2.0

/// The result of an expansion: source, errors or both.
struct ExpansionResult: Equatable {
  /// The expansion; nil when nothing can be generated.
  var source: String?
  var diagnostics: [Diagnostic] = []
}

/// An error at an offset in the expanded file.
struct Diagnostic: Equatable {
  /// The message: what is wrong, and what to write instead.
  var sentence: String
  /// The offset in UTF-8 bytes from the beginning of the file.
  var offset: Int
  /// The fix-it; nil unless there is exactly one remedy.
  var fixIt: FixIt?
}

/// A replacement of a range in the expanded file.
struct FixIt: Equatable {
  /// The description of the replacement.
  var sentence: String
  /// The replaced bytes, from the beginning of the file.
  var range: Range<Int>
  var text: String
}
