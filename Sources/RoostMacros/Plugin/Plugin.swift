// SPDX-License-Identifier: Apache-2.0

internal import RoostMacroExpansion

/// The compiler plugin behind `@Entity`. It is a target of its own so that tests of the expansion do not depend on a
/// program for the host: with one they, and all that they are linked with, would be compiled a second time.
@main enum Plugin {
  static func main() {
    Conversation.run()
  }
}
