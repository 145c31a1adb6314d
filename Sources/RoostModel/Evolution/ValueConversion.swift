// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The conversion of an attribute's values after a change of its type. No conversion loses information.
///
/// Integers of all widths have the same representation, and so have float and double: they need none.
///
/// ```swift
/// if case .stringToURI = conversion { print("records whose text is no URI are refused") }
/// ```
public enum ValueConversion: Sendable, Hashable {
  /// An integer of at most 32 bits becomes a double.
  case integerToDouble
  /// A text becomes a URI; an invalid one is an error.
  case stringToURI
  /// A URI becomes its text.
  case uriToString

  /// Returns the URI with exactly this text; nil when there is none. `URL` escapes characters that a URI cannot have:
  /// the text would not be the same when it is read again.
  package static func uri(of text: String) -> URL? {
    guard let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8) else {
      return nil
    }
    return url
  }
}
