// SPDX-License-Identifier: Apache-2.0

/// A text that is used and never shown: whatever prints, dumps or logs what holds it prints three dots.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself, for the one who logs in with it.
  let text: String

  init(_ text: String) {
    self.text = text
  }

  var description: String { "..." }

  var debugDescription: String { description }

  var customMirror: Mirror { Mirror(self, children: []) }

  /// A message in which the secret does not stand: a message that has it is not shown at all.
  func redacting(_ message: String) -> String {
    guard !text.isEmpty, message.contains(text) else { return message }
    return "(the message is not shown, because it contains the password)"
  }
}
