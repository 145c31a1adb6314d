// SPDX-License-Identifier: Apache-2.0

/// A text that is used and never shown: printing, dumping or logging a value that contains it shows three dots.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself, for the login.
  let text: String

  init(_ text: String) {
    self.text = text
  }

  var description: String { "..." }

  var debugDescription: String { description }

  var customMirror: Mirror { Mirror(self, children: []) }

  /// Returns the message, or a substitute when it contains the secret.
  func redacting(_ message: String) -> String {
    guard !text.isEmpty, message.contains(text) else { return message }
    return "(the message is not shown, because it contains the password)"
  }
}
