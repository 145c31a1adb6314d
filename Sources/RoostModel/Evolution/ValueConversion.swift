// SPDX-License-Identifier: Apache-2.0

/// How the values of an attribute are held otherwise after its type has changed. No conversion loses anything.
///
/// Integers of all widths are held alike, as are float and double: they need none.
///
/// ```swift
/// if case .stringToURI = conversion { print("records whose text is no URI are refused") }
/// ```
public enum ValueConversion: Sendable, Hashable {
  /// An integer of at most 32 bits becomes a double.
  case integerToDouble
  /// A text becomes a URI; one that is none is an error.
  case stringToURI
  /// A URI becomes its text.
  case uriToString
}
